//! Flags controls that name a validator nobody declares.

use std::collections::BTreeSet;

use super::controls;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-validator",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a control names a validator that no prompt has",
    why: "The obligation counts as controlled, but nothing controls it.",
    fix: "Name the `id` of a validator.",
    example: r#""controls": [{ "validator": "no-advise" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let validators = pack.prompts().iter().flat_map(|prompt| prompt.prompt.validators());
    let ids: BTreeSet<&str> = validators.filter_map(|validator| validator.text("id")).collect();
    for node in pack.pack.governances().flat_map(controls).filter_map(|control| control.get("validator")) {
        if let Some(id) = node.as_str().filter(|id| !ids.contains(id)) {
            findings
                .report(node, format!("no validator has the id `{id}`"))
                .help("give the validator that is meant this `id`")
                .suggest_for(node, guesser.closest(id, ids.iter().copied()));
        }
    }
}
