//! The document as a whole (catalogue 3.1).

use pack::json::ProblemKind;

use crate::lint::{Findings, Lint, Text};

mod byte_order_mark;
mod duplicate_key;
mod invalid_encoding;
mod invalid_json;
mod misspelled_field;
mod oversized_pack;
mod unportable_number;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &invalid_json::LINT,
    &invalid_encoding::LINT,
    &byte_order_mark::LINT,
    &duplicate_key::LINT,
    &oversized_pack::LINT,
    &unportable_number::LINT,
    &misspelled_field::LINT,
];

/// Reports what reading the text met, of one kind.
fn report_problems(text: &Text<'_>, kind: ProblemKind, findings: &mut Findings<'_>) {
    for problem in text.problems.iter().filter(|problem| problem.kind == kind) {
        let draft = findings.report_span(problem.pointer.clone(), problem.span, problem.message.clone());
        if let Some(help) = &problem.help {
            draft.help(help.clone());
        }
    }
}
