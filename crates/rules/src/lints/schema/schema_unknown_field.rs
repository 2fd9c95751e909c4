//! Flags keys that a closed object does not have.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-unknown-field",
    group: Group::Schema,
    level: Level::Error,
    summary: "a closed object has no such field",
    why: "The field has no meaning in any version: a runtime that validates refuses the pack, another one ignores what you wrote.",
    fix: "Correct the spelling, or remove the field.",
    example: r#"{ "name": "customer", "type": "string", "requird": true }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::UnknownField, findings);
}
