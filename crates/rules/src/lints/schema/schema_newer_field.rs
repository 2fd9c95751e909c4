//! Flags keys that only a later spec version has.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-newer-field",
    group: Group::Schema,
    level: Level::Error,
    summary: "a field came with a later spec version than the pack names",
    why: "A runtime of the declared version refuses the pack or ignores the field.",
    fix: "Name the later version in `$schema`, or remove the field.",
    example: r#""$schema": "https://promptpack.org/schema/v1.0/promptpack.schema.json", "evals": []"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::NewerField, findings);
}
