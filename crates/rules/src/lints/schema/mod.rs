//! Schema and spec version (catalogue 3.2).

use pack::schema::{SchemaProblem, SchemaProblemKind};

use crate::facts::Facts;
use crate::lint::{Findings, Lint};

mod missing_schema;
mod newer_spec_mismatch;
mod promptkit_mismatch;
mod python_client_mismatch;
mod schema_form_mismatch;
mod schema_missing_field;
mod schema_newer_field;
mod schema_out_of_bounds;
mod schema_pattern_mismatch;
mod schema_unknown_field;
mod schema_unlisted_value;
mod schema_wrong_type;
mod unknown_schema;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &schema_missing_field::LINT,
    &schema_wrong_type::LINT,
    &schema_unlisted_value::LINT,
    &schema_pattern_mismatch::LINT,
    &schema_out_of_bounds::LINT,
    &schema_unknown_field::LINT,
    &schema_newer_field::LINT,
    &schema_form_mismatch::LINT,
    &unknown_schema::LINT,
    &missing_schema::LINT,
    &newer_spec_mismatch::LINT,
    &promptkit_mismatch::LINT,
    &python_client_mismatch::LINT,
];

/// Reports what the schema refused, of one kind.
fn report_problems(pack: &Facts<'_>, kind: SchemaProblemKind, findings: &mut Findings<'_>) {
    for problem in pack.schema_problems.iter().filter(|problem| problem.kind == kind) {
        report_problem(problem, findings);
    }
}

fn report_problem(problem: &SchemaProblem, findings: &mut Findings<'_>) {
    let draft = findings.report_at(&problem.pointer, problem.message.clone());
    if let Some(help) = &problem.help {
        draft.help(help.clone());
    }
}
