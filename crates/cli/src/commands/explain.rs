//! `packhouse explain RULE`: what a rule or a problem of a source means, why, how to fix it, an example.

use clap::Args;
use pack::similar::closest;
use registry::ProblemCode;
use registry::gate::{GATE_RULES, GateRule, find_gate_rule};
use registry::release::Flag;
use rules::change::Bumps;
use rules::{
    CHANGES, Case, ChangeRule, LINTS, Level, Lint, Profile, cases, find_change, find_lint, verdict_level,
};

use crate::complaint::Complaint;
use crate::exit::Verdict;
use crate::output::print;

/// Explain a rule, a flag of a release, or a problem of a source
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse explain undeclared-variable")]
pub struct Arguments {
    /// The id of a lint or change rule, a flag, or the code of a problem
    rule: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no such rule.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let id = arguments.rule.as_str();
    let text = find_lint(id).map(of_lint).or_else(|| find_change(id).map(of_change));
    let text = text.or_else(|| find_gate_rule(id).map(of_gate));
    let text = text.or_else(|| Flag::ALL.into_iter().find(|flag| flag.as_str() == id).map(of_flag));
    let text = text.or_else(|| ProblemCode::ALL.iter().find(|code| code.as_str() == id).map(of_problem));
    print(&text.ok_or_else(|| unknown(id))?)?;
    Ok(Verdict::Pass)
}

fn unknown(id: &str) -> Complaint {
    let known = LINTS.iter().map(|lint| lint.id).chain(CHANGES.iter().map(|rule| rule.id));
    let known = known.chain(GATE_RULES.iter().map(|rule| rule.id)).chain(Flag::ALL.map(Flag::as_str));
    let known = known.chain(ProblemCode::ALL.iter().map(|code| code.as_str()));
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

fn of_gate(rule: &GateRule) -> String {
    format!(
        "{}: {}\nrule of `packhouse check`, level {}\n\n{}\n\nfix: {}\n",
        rule.id, rule.summary, rule.level, rule.why, rule.fix
    )
}

fn of_flag(flag: Flag) -> String {
    let [why, fix] = flag.meaning();
    format!(
        "{}: a release of a registry is flagged, and ranges pass it over\nflag of a release\n\n{why}\n\nfix: {fix}\n",
        flag.as_str()
    )
}

fn of_problem(code: &ProblemCode) -> String {
    format!(
        "{code}: {}\nproblem of a source in a registry, level {}\n\nfix: {}\n",
        code.title(),
        code.level(),
        code.help()
    )
}

/// What the rule is when it judges versions, and asks for none itself.
fn of_verdict(rule: &ChangeRule, level: Level) -> String {
    let strict = verdict_level(rule.id, Profile::Strict).filter(|strict| *strict != level);
    let strict = strict.map(|strict| format!(", under the profile strict {strict}")).unwrap_or_default();
    format!(
        "{}: {}\nrule of `packhouse check` on versions, level {level}{strict}\n\n{}\n\nfix: {}\n",
        rule.id, rule.summary, rule.why, rule.fix
    )
}

fn of_change(rule: &ChangeRule) -> String {
    if let Some(level) = verdict_level(rule.id, Profile::Contract) {
        return of_verdict(rule, level);
    }
    let case = |case: Case| {
        let Bumps { wire, contract, strict } = case.bumps;
        format!("      wire {wire}, contract {contract}, strict {strict}, {}\n", case.when)
    };
    let cases: String = cases(rule.id).map(case).collect();
    let affected: Vec<String> = rule.affected.iter().map(super::word).collect();
    let bumps = rule.bumps;
    let suggest = rule.suggest.map(|bump| format!(", suggests {bump}")).unwrap_or_default();
    format!(
        "{}: {}\nchange rule, class {}, {}; affects {}\nbump: wire {}, contract {}, strict {}{suggest}\n{cases}\n\
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
