//! The variables of each prompt (catalogue 3.3).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod binding;
mod bound;
mod constraint;
mod default;
mod documentation;
mod enumeration;
mod kind;
mod membership;
mod obligation;
mod pattern;
mod relation;
mod values;

pub(super) use pattern::listed;
pub(super) use relation::{Relation, relate, shortest_text};
pub(super) use values::{Constraints, number_value};

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &membership::REQUIRED_ADDED,
    &membership::OPTIONAL_ADDED,
    &membership::OPTIONAL_ADDED_WITHOUT_DEFAULT,
    &membership::REMOVED,
    &membership::REMOVED_BUT_USED,
    &membership::RENAMED,
    &kind::CHANGED,
    &kind::NARROWED,
    &kind::WIDENED,
    &obligation::BECAME_REQUIRED,
    &obligation::BECAME_OPTIONAL,
    &default::ADDED,
    &default::REMOVED,
    &default::CHANGED,
    &default::IGNORED_CHANGED,
    &enumeration::ADDED,
    &enumeration::VALUE_REMOVED,
    &enumeration::REMOVED,
    &enumeration::VALUE_ADDED,
    &pattern::ADDED,
    &pattern::NARROWED,
    &pattern::REMOVED,
    &pattern::GENERALIZED,
    &pattern::CHANGED,
    &bound::MIN_LENGTH_ADDED,
    &bound::MIN_LENGTH_INCREASED,
    &bound::MAX_LENGTH_ADDED,
    &bound::MAX_LENGTH_DECREASED,
    &bound::MINIMUM_ADDED,
    &bound::MINIMUM_INCREASED,
    &bound::MAXIMUM_ADDED,
    &bound::MAXIMUM_DECREASED,
    &bound::MIN_LENGTH_REMOVED,
    &bound::MIN_LENGTH_DECREASED,
    &bound::MAX_LENGTH_REMOVED,
    &bound::MAX_LENGTH_INCREASED,
    &bound::MINIMUM_REMOVED,
    &bound::MINIMUM_DECREASED,
    &bound::MAXIMUM_REMOVED,
    &bound::MAXIMUM_INCREASED,
    &constraint::RESPELLED,
    &binding::ADDED,
    &binding::REMOVED,
    &binding::SOURCE_CHANGED,
    &binding::FILTER_CHANGED,
    &documentation::DESCRIPTION_CHANGED,
    &documentation::EXAMPLE_CHANGED,
];

/// Compares the variables of every prompt that both versions have.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        membership::compare(pair, changes);
        for (old, new) in pair.variables.pairs() {
            constraint::compare((old, new), &comparison.budget, changes);
            obligation::compare(old, new, changes);
            default::compare(old, new, changes);
            binding::compare(old, new, changes);
            documentation::compare(old, new, changes);
        }
    }
}
