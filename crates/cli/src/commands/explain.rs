//! `packhouse explain RULE`: what a rule means, why, how to fix it, an example.

use clap::Args;
use pack::similar::closest;
use rules::{CHANGES, ChangeRule, LINTS, Lint, find_change, find_lint};

use crate::complaint::Complaint;
use crate::exit::Verdict;
use crate::output::print;

/// Explain a rule
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse explain undeclared-variable")]
pub struct Arguments {
    /// The id of a lint or change rule
    rule: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no such rule.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let id = arguments.rule.as_str();
    let text = match (find_lint(id), find_change(id)) {
        (Some(lint), _) => of_lint(lint),
        (None, Some(rule)) => of_change(rule),
        (None, None) => return Err(unknown(id).into()),
    };
    print(&text)?;
    Ok(Verdict::Pass)
}

fn unknown(id: &str) -> Complaint {
    let known = LINTS.iter().map(|lint| lint.id).chain(CHANGES.iter().map(|rule| rule.id));
    let complaint = Complaint::new(format!("there is no rule `{id}`")).not_found();
    match closest(id, known) {
        Some(near) => complaint.help(format!("did you mean `{near}`?")),
        None => complaint.help("`packhouse rules` lists them"),
    }
}

fn of_lint(lint: &Lint) -> String {
    let example: String = lint.example.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{}: {}\nlint, group {}, level {}\n\n{}\n\nfix: {}\n\nexample of what it flags:\n\n{example}",
        lint.id, lint.summary, lint.group, lint.level, lint.why, lint.fix
    )
}

fn of_change(rule: &ChangeRule) -> String {
    let affected: Vec<String> = rule.affected.iter().map(super::word).collect();
    let bumps = rule.bumps;
    let suggest = rule.suggest.map(|bump| format!(", suggests {bump}")).unwrap_or_default();
    format!(
        "{}: {}\nchange rule, class {}, {}; affects {}\nbump: wire {}, contract {}, strict {}{suggest}\n\n\
         {}\n\nfix: {}\n",
        rule.id,
        rule.summary,
        super::word(&rule.class),
        super::word(&rule.certainty),
        affected.join(", "),
        bumps.wire,
        bumps.contract,
        bumps.strict,
        rule.why,
        rule.fix
    )
}
