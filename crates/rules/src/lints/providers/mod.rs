//! Requires (catalogue 3.14).

use pack::{Node, SpecVersion};

use crate::facts::Facts;
use crate::lint::Lint;

mod invalid_provider_key;
mod mismatched_default_role;
mod mismatched_provider;
mod optional_provider;
mod undeclared_provider;
mod unprefixed_extension;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &invalid_provider_key::LINT,
    &mismatched_default_role::LINT,
    &undeclared_provider::LINT,
    &optional_provider::LINT,
    &mismatched_provider::LINT,
    &unprefixed_extension::LINT,
];

/// Where prompts, prompt steps and agent steps name a provider (1.9).
fn references<'a>(pack: &Facts<'a>) -> Vec<Node<'a>> {
    if pack.spec() < SpecVersion::V1_9 {
        return Vec::new();
    }
    let prompts = pack.prompts().iter().map(|prompt| prompt.prompt.0);
    let steps = pack.pack.all_steps().filter(|step| matches!(step.kind(), Some("prompt" | "agent")));
    prompts.chain(steps.map(|step| step.0)).filter_map(|owner| owner.get("provider")).collect()
}
