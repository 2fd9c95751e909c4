//! Flags what the Python client cannot load.

use pack::Node;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "python-client-mismatch",
    group: Group::Portability,
    level: Level::Off,
    summary: "something that the Python client cannot load",
    why: "The Python client reads packs of version 1.1 with closed models: one later field, and the whole pack is refused.",
    fix: "Leave the field out of packs that the Python client runs.",
    example: r#""workflow": { … }"#,
    check: Check::Pack(check),
};

const SECTIONS: [&str; 6] = ["evals", "workflow", "agents", "skills", "compositions", "requires"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    SECTIONS.iter().for_each(|section| report_field(*pack.pack, section, findings));
    for prompt in pack.pack.prompts() {
        report_field(*prompt, "evals", findings);
        prompt.variables().for_each(|variable| report_field(*variable, "binding", findings));
        prompt.validators().for_each(|validator| report_field(*validator, "message", findings));
    }
}

fn report_field(owner: Node<'_>, field: &str, findings: &mut Findings<'_>) {
    if let Some(member) = owner.get(field) {
        findings.report_key(member, format!("the Python client loads no pack with {}", quoted(field)));
    }
}
