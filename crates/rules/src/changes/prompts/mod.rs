//! Prompts and their texts (catalogue 3.2).

use std::collections::BTreeMap;

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod card;
mod cause;
mod fragment;
mod membership;
mod overrides;
mod template;
mod tested;
mod usage;

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
    &usage::PATH_ADDED,
    &usage::PATH_REMOVED,
    &usage::PLACEHOLDER_ADDED,
    &usage::EFFECT_REMOVED,
    &usage::USE_WITHOUT_DEFAULT,
    &usage::UNRESOLVABLE_ADDED,
    &usage::ARTIFACT_ADDED,
    &usage::ARTIFACT_REMOVED,
    &fragment::CHANGED,
    &fragment::ADDED,
    &fragment::REMOVED,
    &fragment::RENAMED,
    &overrides::ADDED,
    &overrides::REMOVED,
    &overrides::TEMPLATE_CHANGED,
    &overrides::PARAMETERS_CHANGED,
    &tested::CHANGED,
];

/// Compares the prompts.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    membership::compare(comparison, changes);
    let mut moved_by_fragment: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        membership::compare_id(pair, changes);
        card::compare(comparison, pair, changes);
        tested::compare(pair, changes);
        if pair.old.texts.too_long() || pair.new.texts.too_long() {
            template::compare_unread(comparison, pair, changes);
            continue;
        }
        let causes = cause::causes(comparison, pair);
        if !template::compare_too_deep(comparison, pair, changes) {
            template::compare(comparison, pair, &causes, changes);
        }
        overrides::compare(comparison, pair, &causes, changes);
        if !pair.broken_by_syntax {
            usage::compare(comparison, pair, changes);
        }
        for key in causes.fragments {
            moved_by_fragment.entry(key).or_default().push(pair.key());
        }
    }
    fragment::compare(comparison, &moved_by_fragment, changes);
}
