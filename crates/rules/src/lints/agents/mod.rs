//! Agents (catalogue 3.11).

use crate::lint::Lint;

mod mismatched_agent_prompt;
mod missing_agent_description;
mod self_calling_agent;
mod undeclared_entry_agent;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &undeclared_entry_agent::LINT,
    &self_calling_agent::LINT,
    &mismatched_agent_prompt::LINT,
    &missing_agent_description::LINT,
];
