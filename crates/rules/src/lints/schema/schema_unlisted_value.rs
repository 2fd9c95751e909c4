//! Flags values outside an enumeration of the declared spec version.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-unlisted-value",
    group: Group::Schema,
    level: Level::Error,
    summary: "a value is outside its list of allowed values",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Use one of the listed values.",
    example: r#""tool_policy": { "tool_choice": "always" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::UnlistedValue, findings);
}
