//! Flags texts that break the pattern of their field.

use super::report_problem;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Pointer;
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "schema-pattern-mismatch",
    group: Group::Schema,
    level: Level::Error,
    summary: "a text breaks the pattern of its field",
    why: "A runtime that validates packs refuses to load this one.",
    fix: "Write the text in the form that the message names.",
    example: r#""id": "Support Bot""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    // Version fields have a lint of their own, which says more.
    let is_version = |pointer: &Pointer| pointer.as_str() == "/version" || is_prompt_version(pointer);
    for problem in &pack.schema_problems {
        if problem.kind == SchemaProblemKind::PatternMismatch && !is_version(&problem.pointer) {
            report_problem(problem, findings);
        }
    }
}

fn is_prompt_version(pointer: &Pointer) -> bool {
    let tokens: Vec<_> = pointer.tokens().collect();
    matches!(&tokens[..], [prompts, _, version] if prompts == "prompts" && version == "version")
}
