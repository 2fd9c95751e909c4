//! Model providers that a pack requires (last part of catalogue 3.8).

use std::collections::BTreeMap;

use ::pack::model::Pack;

use super::comparison::Comparison;
use super::later;
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
    let providers = paired(&old, &new);
    let named = later::provider_keys(comparison.new.pack);
    requirements::compare(&providers, &named, changes);
    for (old, new) in providers.pairs() {
        capabilities::compare(old, new, changes);
    }
}

fn paired<'r, 'a>(old: &'r [Requirement<'a>], new: &'r [Requirement<'a>]) -> Pairing<&'r Requirement<'a>> {
    let mut providers = Pairing::by_name(old, new, |requirement| requirement.key);
    providers.recognize(|requirement| Content::text(&requirement.content()));
    providers
}

/// New keys of renamed requirements, by old key.
pub(super) fn renamed<'a>(old: Pack<'a>, new: Pack<'a>) -> BTreeMap<&'a str, &'a str> {
    let (old, new) = (Requirement::all(old), Requirement::all(new));
    paired(&old, &new).renamed.iter().map(|(old, new)| (old.key, new.key)).collect()
}
