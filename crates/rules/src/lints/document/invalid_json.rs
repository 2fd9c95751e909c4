//! Flags text that a strict JSON parser refuses.

use super::report_problems;
use crate::lint::{Check, Findings, Group, Level, Lint, Text};
use pack::json::ProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "invalid-json",
    group: Group::Schema,
    level: Level::Error,
    summary: "the text is no strict JSON",
    why: "Every runtime parses packs strictly: comments, trailing commas and cut-off files make the whole pack unloadable.",
    fix: "Repair the syntax at the place shown.",
    example: r#"{ "id": "support", }"#,
    check: Check::Text(check),
};

fn check(text: &Text<'_>, findings: &mut Findings<'_>) {
    report_problems(text, ProblemKind::InvalidJson, findings);
}
