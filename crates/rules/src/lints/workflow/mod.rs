//! Workflow (catalogue 3.10).

use pack::model::Workflow;

use crate::lint::Lint;

mod undeclared_composition;
mod undeclared_prompt;
mod undeclared_state;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] =
    &[&undeclared_state::LINT, &undeclared_prompt::LINT, &undeclared_composition::LINT];

/// Whether the workflow has that state; where `states` is absent, empty or no map, the schema says so.
fn declares_state(workflow: Workflow<'_>, name: &str) -> bool {
    workflow
        .get("states")
        .is_none_or(|states| !states.is_object() || states.is_empty() || states.get(name).is_some())
}
