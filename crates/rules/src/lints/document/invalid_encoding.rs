//! Flags bytes that are not UTF-8 and escapes of half a surrogate pair.

use super::report_problems;
use crate::lint::{Check, Findings, Group, Level, Lint, Text};
use pack::json::ProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "invalid-encoding",
    group: Group::Schema,
    level: Level::Error,
    summary: "bytes that are not UTF-8, or half a surrogate pair",
    why: "Parsers replace or refuse such bytes, each in its own way, so the prompt differs between runtimes.",
    fix: "Save the file as UTF-8, and write characters beyond the basic plane themselves or as a full pair.",
    example: r#""description": "\ud83d""#,
    check: Check::Text(check),
};

fn check(text: &Text<'_>, findings: &mut Findings<'_>) {
    report_problems(text, ProblemKind::InvalidEncoding, findings);
}
