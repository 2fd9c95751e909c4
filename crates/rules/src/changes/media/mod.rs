//! Media that a prompt takes (catalogue 3.6).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod behaviour;
mod inflow;
mod settings;

pub(super) use settings::{Descriptor, Limit, Settings};

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &inflow::DISABLED,
    &inflow::TYPE_REMOVED,
    &inflow::FORMAT_REMOVED,
    &inflow::LIMIT_ADDED,
    &inflow::LIMIT_DECREASED,
    &inflow::CAPTION_REQUIRED,
    &inflow::METADATA_REQUIRED,
    &inflow::ENABLED,
    &inflow::TYPE_ADDED,
    &inflow::FORMAT_ADDED,
    &inflow::LIMIT_REMOVED,
    &inflow::LIMIT_INCREASED,
    &inflow::CAPTION_OPTIONAL,
    &inflow::METADATA_OPTIONAL,
    &behaviour::DETAIL_CHANGED,
    &behaviour::EXTRACTION_MODE_CHANGED,
    &behaviour::CUSTOM_PARAMS_CHANGED,
    &behaviour::EXAMPLE_CHANGED,
];

/// Compares the media settings of each prompt.
///
/// Where one side takes no media at all, only that is said; where neither does, nothing can break.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        let (old, new) = (Settings::of(pair.old.prompt), Settings::of(pair.new.prompt));
        let (Some(old_media), Some(new_media)) = (old.media, new.media) else {
            inflow::compare_switch(pair, &old, &new, changes);
            continue;
        };
        if old.enabled != new.enabled {
            inflow::compare_switch(pair, &old, &new, changes);
            continue;
        }
        let sides = inflow::Sides { key: pair.key(), old: &old, new: &new, inert: !old.enabled };
        inflow::compare(&sides, changes);
        behaviour::compare(&sides, (*old_media, *new_media), changes);
    }
}
