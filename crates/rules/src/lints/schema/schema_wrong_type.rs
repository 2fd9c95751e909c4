//! Flags values of another JSON type than the declared spec version asks for.

use super::report_problems;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-wrong-type",
    group: Group::Schema,
    level: Level::Error,
    summary: "a value has the wrong JSON type",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Write the value in the type that the message names.",
    example: r#""required": "yes""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_problems(pack, SchemaProblemKind::WrongType, findings);
}
