//! Flags a UTF-8 byte order mark at the start of the file.

use crate::lint::{Check, Edit, Findings, Group, Level, Lint, Text};
use pack::Pointer;
use pack::json::ProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "byte-order-mark",
    group: Group::Portability,
    level: Level::Warn,
    summary: "the file starts with a byte order mark",
    why: "The JSON parsers of Go and Python refuse a file that starts with one.",
    fix: "Save the file as UTF-8 without BOM; `--fix` drops it.",
    example: r#"\u{feff}{ "id": "support" }"#,
    check: Check::Text(check),
};

fn check(text: &Text<'_>, findings: &mut Findings<'_>) {
    for problem in text.problems.iter().filter(|problem| problem.kind == ProblemKind::ByteOrderMark) {
        let dropped = Edit { span: problem.span, replacement: String::new() };
        findings.report_span(Pointer::root(), problem.span, problem.message.clone()).safe_fix(vec![dropped]);
    }
}
