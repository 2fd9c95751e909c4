//! Flags an object that holds a key twice.

use super::report_problems;
use crate::lint::{Check, Findings, Group, Level, Lint, Text};
use pack::json::ProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "duplicate-key",
    group: Group::Correctness,
    level: Level::Error,
    summary: "one object holds a key twice",
    why: "Parsers differ on which copy counts, so two runtimes load two different packs from one file.",
    fix: "Remove one of the two.",
    example: r#"{ "temperature": 0.2, "temperature": 0.7 }"#,
    check: Check::Text(check),
};

fn check(text: &Text<'_>, findings: &mut Findings<'_>) {
    report_problems(text, ProblemKind::DuplicateKey, findings);
}
