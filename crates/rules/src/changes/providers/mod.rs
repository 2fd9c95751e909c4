//! Model providers that a pack requires (last part of catalogue 3.8).

use super::comparison::Comparison;
use super::pairing::{Content, Pairing};
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod capabilities;
mod requirement;
mod requirements;

use requirement::Requirement;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &requirements::REQUIRED_ADDED,
    &requirements::DEFAULT_DECLARED,
    &requirements::OPTIONAL_ADDED,
    &requirements::REMOVED,
    &requirements::BECAME_REQUIRED,
    &requirements::BECAME_OPTIONAL,
    &requirements::RENAMED,
    &requirements::ROLE_CHANGED,
    &capabilities::RAISED,
    &capabilities::LOWERED,
    &capabilities::CUSTOM_CHANGED,
    &capabilities::EMBEDDING_DIMENSIONS_CHANGED,
];

/// Compares what both versions ask of the host.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    let (old, new) = (Requirement::all(comparison.old.pack), Requirement::all(comparison.new.pack));
    let mut providers = Pairing::by_name(&old, &new, |requirement| requirement.key);
    providers.recognize(|requirement| Content::text(&requirement.content()));
    requirements::compare(&providers, changes);
    for (old, new) in providers.pairs() {
        capabilities::compare(old, new, changes);
    }
}
