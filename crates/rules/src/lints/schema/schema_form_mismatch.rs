//! Flags values of a union that show none of its forms, or two.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-form-mismatch",
    group: Group::Schema,
    level: Level::Error,
    summary: "a value shows none of its possible forms, or two at once",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Keep the keys of one form.",
    example: r#"{ "path": "${input.tier}", "op": "equals", "exists": true }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::FormMismatch, findings);
}
