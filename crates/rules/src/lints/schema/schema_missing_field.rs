//! Flags objects that lack fields which the declared spec version requires.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-missing-field",
    group: Group::Schema,
    level: Level::Error,
    summary: "a required field is absent",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Add the field; the schema guide says what belongs there.",
    example: r#""variables": [{ "name": "customer" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::MissingField, findings);
}
