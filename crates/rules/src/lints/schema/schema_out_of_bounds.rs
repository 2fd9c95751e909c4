//! Flags numbers, lengths and counts beyond their limit.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-out-of-bounds",
    group: Group::Schema,
    level: Level::Error,
    summary: "a number, length or count is beyond its limit",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Bring the value inside the limit that the message names.",
    example: r#""parameters": { "temperature": 3 }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::OutOfBounds, findings);
}
