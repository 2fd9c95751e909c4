//! Who goes on after a state: the user with another turn, or the agent by itself (1.7).

use std::collections::BTreeSet;

use pack::model::State;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::witness::{Focus, Trace};
use crate::changes::workflow::{is_terminal, state_scope};
use crate::lints::workflow::unyielding_cycles;
use crate::wording::listed;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "state-control-changed",
    bumps: Bumps::table("pMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "another party goes on after a state",
    why: "The number of turns that a caller has to give changes: it waits for a turn that never comes, or is asked for one that it does not expect.",
    fix: "Add a state with the other control and lead there by a new event; move the control in the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const LOOP_UNBOUNDED: ChangeRule = ChangeRule {
    id: "state-agent-loop-unbounded",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "states of the agent form a loop that nothing ends",
    why: "A run that comes there never returns to the user, and its cost has no bound.",
    fix: "Give one of the states `max_visits`, or a transition to an end or to a state that the user controls.",
    mirror: Mirror::Waived("alone: the swapped pair only repairs the loop"),
};

/// States after which another party goes on.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let control = |state: State<'a>| state.text("control").unwrap_or("user");
    let is_inert = |state: State<'a>| is_terminal(state) || state.orchestration() == "external";
    for (old, new) in comparison.states.pairs() {
        let (before, after) = (control(old), control(new));
        if before == after || is_inert(old) && is_inert(new) {
            continue;
        }
        let key = new.name_key();
        changes.scope(state_scope(comparison, old.name_key(), key));
        let message = format!("after state `{key}` the {after} goes on instead of the {before}");
        let spot = |state: State<'a>| Spot::member(*state, "control", "user");
        changes.report(&CHANGED, At::spots(spot(old), spot(new)), message);
    }
}

/// States which loops of the agent are no longer bounded.
pub(super) fn compare_loops<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (Some(old), Some(new)) = (comparison.old.pack.workflow(), comparison.new.pack.workflow()) else {
        return;
    };
    let before: BTreeSet<&str> = unyielding_cycles(old)
        .into_iter()
        .flatten()
        .map(|state| state.name_key())
        .map(|name| comparison.renamed_states.get(name).copied().unwrap_or(name))
        .collect();
    for cycle in unyielding_cycles(new) {
        let names: Vec<&str> = cycle.iter().map(|state| state.name_key()).collect();
        if names.iter().all(|name| before.contains(name)) {
            continue;
        }
        let first = cycle.iter().find(|state| !before.contains(state.name_key())).copied();
        let Some(first) = first else { continue };
        let name = first.name_key();
        let pair = comparison.states.pairs().find(|(_, new)| *new == first);
        let message = format!("the agent never comes back from the states {}", listed(names));
        changes.scope(state_scope(comparison, name, name));
        let at = At::either(pair.map(|(old, _)| *old), Some(*first));
        let draft = changes.report(&LOOP_UNBOUNDED, at, message);
        if let Some((old, _)) = pair {
            draft.focus(Focus::Trace(Trace::Loop(old.name_key())));
        }
    }
}
