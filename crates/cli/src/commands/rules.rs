//! `packhouse rules`: the list of all lints and change rules.

use clap::Args;
use registry::gate::GATE_RULES;
use registry::rule_documents;
use rules::{CHANGES, ChangeRule, LINTS, Level, Profile, verdict_level};
use serde_json::{Value, json};

use crate::args::DataFormat;
use crate::exit::Verdict;
use crate::output::print;

/// List all rules
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse rules --format json")]
pub struct Arguments {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: DataFormat,
}

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let text = match arguments.format {
        DataFormat::Text => list(),
        DataFormat::Json => serde_json::to_string_pretty(&document())? + "\n",
    };
    print(&text)?;
    Ok(Verdict::Pass)
}

fn list() -> String {
    let mut text = "lints (`packhouse explain RULE` says more)\n".to_owned();
    let width = LINTS.iter().map(|lint| lint.id.len()).chain(CHANGES.iter().map(|rule| rule.id.len())).max();
    let width = width.unwrap_or_default();
    for lint in LINTS.iter() {
        let (id, level, group) = (lint.id, lint.level.as_str(), lint.group.as_str());
        text.push_str(&format!("  {id:width$}  {level:5}  {group:11}  {}\n", lint.summary));
    }
    text.push_str("\nchange rules, with their bump under the profiles wire, contract and strict\n");
    let (verdicts, changes): (Vec<&ChangeRule>, Vec<&ChangeRule>) =
        CHANGES.iter().copied().partition(|rule| verdict_level(rule.id, Profile::Contract).is_some());
    for rule in changes {
        let bumps = [rule.bumps.wire, rule.bumps.contract, rule.bumps.strict].map(|bump| bump.as_str());
        let [wire, contract, strict] = bumps;
        text.push_str(&format!("  {:width$}  {wire:5} {contract:5} {strict:5}  {}\n", rule.id, rule.summary));
    }
    text.push_str("\nrules of `packhouse check` on versions\n");
    for rule in verdicts {
        let level = verdict_level(rule.id, Profile::Contract).unwrap_or(Level::Error);
        text.push_str(&format!("  {:width$}  {:5}  {}\n", rule.id, level.as_str(), rule.summary));
    }
    text.push_str("\nrules of `packhouse check` on the settings\n");
    for rule in &GATE_RULES {
        text.push_str(&format!("  {:width$}  {:5}  {}\n", rule.id, rule.level.as_str(), rule.summary));
    }
    text
}

fn document() -> Value {
    json!({ "version": 1, "rules": rule_documents::all() })
}
