//! The variables of each prompt (catalogue 3.3).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod membership;
mod obligation;
mod values;

pub(super) use values::accepts;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &membership::REQUIRED_ADDED,
    &membership::OPTIONAL_ADDED,
    &membership::OPTIONAL_ADDED_WITHOUT_DEFAULT,
    &membership::REMOVED,
    &membership::REMOVED_BUT_USED,
    &membership::RENAMED,
    &obligation::BECAME_REQUIRED,
    &obligation::BECAME_OPTIONAL,
];

/// Compares the variables of every prompt that both versions have.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        membership::compare(pair, changes);
        for (old, new) in pair.variables.pairs() {
            obligation::compare(old, new, changes);
        }
    }
}
