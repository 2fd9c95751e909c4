//! The workflow and the agents (catalogue 3.7).

use super::comparison::Comparison;
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod agents;
mod artifact;
mod budget;
mod card;
mod event;
mod limit;
mod machine;
mod membership;
mod orchestration;
mod pairs;
mod whole;
mod work;

pub(super) use card::{covers, modes};
pub(super) use machine::{Machine, Position, Run, is_terminal};
pub(super) use pairs::{Member, members, states};

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &whole::ADDED,
    &whole::REMOVED,
    &whole::VERSION_CHANGED,
    &whole::ENGINE_CHANGED,
    &whole::ENTRY_CHANGED,
    &membership::ADDED,
    &membership::REMOVED,
    &membership::RENAMED,
    &event::ADDED,
    &event::REMOVED,
    &event::RENAMED,
    &event::TARGET_CHANGED,
    &work::PROMPT_CHANGED,
    &orchestration::CHANGED,
    &orchestration::WIDENED,
    &work::COMPOSITION_CHANGED,
    &orchestration::PERSISTENCE_CHANGED,
    &limit::TERMINAL_CHANGED,
    &limit::MAX_VISITS_ADDED,
    &limit::MAX_VISITS_DECREASED,
    &limit::MAX_VISITS_REMOVED,
    &limit::MAX_VISITS_INCREASED,
    &limit::ON_MAX_VISITS_CHANGED,
    &work::SKILLS_CHANGED,
    &artifact::ADDED,
    &artifact::REMOVED,
    &artifact::TYPE_CHANGED,
    &artifact::MODE_CHANGED,
    &artifact::SCOPE_CHANGED,
    &budget::ADDED,
    &budget::DECREASED,
    &budget::REMOVED,
    &budget::INCREASED,
    &agents::ADDED,
    &agents::REMOVED,
    &agents::MEMBER_ADDED,
    &agents::MEMBER_REMOVED,
    &agents::ENTRY_CHANGED,
    &card::INPUT_MODE_REMOVED,
    &card::INPUT_MODE_ADDED,
    &card::OUTPUT_MODE_REMOVED,
    &card::OUTPUT_MODE_ADDED,
    &agents::STATE_CHANGED,
    &card::TAG_REMOVED,
    &card::TAG_ADDED,
    &card::DESCRIPTION_CHANGED,
];

/// Compares the workflow with everything in it, then the agents.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    if whole::compare(comparison, changes) {
        budget::compare(comparison, changes);
        artifact::compare(comparison, changes);
        membership::compare(comparison, changes);
        for (old, new) in comparison.states.pairs() {
            changes.scope(state_scope(comparison, old.name_key(), new.name_key()));
            event::compare(comparison, old, new, changes);
            work::compare(comparison, old, new, changes);
            orchestration::compare(old, new, changes);
            limit::compare(comparison, old, new, changes);
        }
    }
    changes.scope(Scope::default());
    if agents::compare(comparison, changes) {
        for (old, new) in comparison.members.pairs() {
            agents::compare_state(comparison, old, new, changes);
            card::compare(comparison, old, new, changes);
        }
    }
}

/// What a change of a state counts for: nothing where neither side can come to it.
pub(super) fn state_scope<'a>(comparison: &Comparison<'a>, old: &str, new: &str) -> Scope<'a> {
    let unreachable = !comparison.old.machine.reaches(old) && !comparison.new.machine.reaches(new);
    Scope { unreachable, ..Scope::default() }
}
