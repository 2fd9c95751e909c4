//! Prompts and their texts (catalogue 3.2).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod card;
mod membership;
mod template;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &membership::ADDED,
    &membership::REMOVED,
    &membership::RENAMED,
    &membership::ID_CHANGED,
    &card::NAME_CHANGED,
    &card::DESCRIPTION_CHANGED,
    &template::CHANGED,
    &template::WHITESPACE_CHANGED,
];

/// Compares the prompts.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    membership::compare(comparison, changes);
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        membership::compare_id(pair, changes);
        card::compare(comparison, pair, changes);
        template::compare(comparison, pair, changes);
    }
}
