//! The pack as a whole and its template engine (catalogue 3.1).

use ::pack::SpecVersion;
use ::pack::model::Pack;
use ::pack::spec::Declared;

use super::comparison::Comparison;
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod ambiguous;
mod described;
mod description;
mod engine;
mod floor;
mod identity;
mod metadata;
mod spec;
pub(super) mod unknown;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &identity::ID_CHANGED,
    &identity::NAME_CHANGED,
    &identity::DESCRIPTION_CHANGED,
    &spec::SCHEMA_URL_CHANGED,
    &spec::FLOOR_RAISED,
    &spec::FLOOR_LOWERED,
    &engine::VERSION_CHANGED,
    &engine::SYNTAX_CHANGED,
    &engine::SYNTAX_RESPELLED,
    &engine::FEATURE_ADDED,
    &engine::FEATURE_REMOVED,
    &metadata::LANGUAGE_CHANGED,
    &metadata::TAGS_CHANGED,
    &metadata::DOMAIN_CHANGED,
    &metadata::COST_CHANGED,
    &description::CHANGED,
    &metadata::COMPILATION_CHANGED,
    &unknown::CHANGED,
    &ambiguous::CHANGED,
];

/// The spec version under which a pack runs: the one that it names, never below the one that it needs.
pub(super) fn spec_version(pack: Pack<'_>, declared: &Declared) -> SpecVersion {
    declared.version.max(floor::floor(pack).version)
}

/// Compares what belongs to the whole pack.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    identity::compare(comparison, changes);
    spec::compare(comparison, changes);
    engine::compare(comparison, changes);
    metadata::compare(comparison, changes);
    description::compare(comparison, changes);
    ambiguous::compare(comparison, changes);
}
