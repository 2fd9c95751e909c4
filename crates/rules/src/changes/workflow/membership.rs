//! States that come, go, or change their name.

use super::state_scope;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::witness::{Focus, Named};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "state-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new state",
    why: "Runs may come to a state that was not there; callers keep every state and event that they know.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("state-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "state-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a state is gone",
    why: "Callers that read the state's name, and sessions that were stored in it, find nothing to go on with.",
    fix: "Keep the state and lead nowhere to it any more; remove it in the next major version, once no session is stored in it.",
    mirror: Mirror::Rule("state-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "state-renamed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a state has another name",
    why: "Stored sessions resume by the state's name, and callers compare with it: the old name finds nothing.",
    fix: "Keep the name and change the description instead, or keep the old state beside the new one until sessions have moved on.",
    mirror: Mirror::Itself,
};

/// States which states came, went or changed their name.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let states = &comparison.states;
    let held = |key: &str| Focus::Reference(Named::State, key.to_owned());
    for state in &states.added {
        let key = state.name_key();
        changes.scope(state_scope(comparison, key, key));
        changes.report(&ADDED, At::added(**state), format!("new state `{key}`"));
    }
    for state in &states.removed {
        let key = state.name_key();
        changes.scope(state_scope(comparison, key, key));
        let message = format!("state `{key}` is gone: sessions that were stored in it cannot go on");
        changes.report(&REMOVED, At::removed(**state), message).focus(held(key));
    }
    for (old, new) in &states.renamed {
        let (old_key, new_key) = (old.name_key(), new.name_key());
        changes.scope(state_scope(comparison, old_key, new_key));
        let message = format!("state `{old_key}` is now called `{new_key}`");
        changes.report(&RENAMED, At::both(**old, **new), message).focus(held(old_key));
    }
}
