//! Where a run ends: in terminal states, and in states that may not be entered again.

use pack::model::State;

use super::machine::{is_terminal, max_visits};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::value::{by_limit, number, written};
use crate::changes::witness::{Focus, Trace};

pub(super) const TERMINAL_CHANGED: ChangeRule = ChangeRule {
    id: "state-terminal-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the workflow now ends, or no longer ends, in a state",
    why: "Callers wait for the end of the run in the states that they know, or fire events that are refused after it.",
    fix: "Leave the state as it is, and add another one that ends, or does not end, the run.",
    mirror: Mirror::Itself,
};

pub(super) const MAX_VISITS_ADDED: ChangeRule = ChangeRule {
    id: "state-max-visits-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a state may be entered only so often",
    why: "A run that comes back more often is sent elsewhere or ends before its user is served.",
    fix: "Check in the traces how often runs come back, set the limit above that, and name a good `on_max_visits`.",
    mirror: Mirror::Rule("state-max-visits-removed"),
};

pub(super) const MAX_VISITS_DECREASED: ChangeRule = ChangeRule {
    id: "state-max-visits-decreased",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a state may be entered less often",
    why: "A run that used the old limit is sent elsewhere or ends before its user is served.",
    fix: "Check in the traces how often runs come back, and keep the limit above that.",
    mirror: Mirror::Rule("state-max-visits-increased"),
};

pub(super) const MAX_VISITS_REMOVED: ChangeRule = ChangeRule {
    id: "state-max-visits-removed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a state may be entered without limit",
    why: "A run that goes in circles is no longer sent elsewhere, so its cost is open.",
    fix: "Keep a generous limit, or bound the whole run by a budget.",
    mirror: Mirror::Rule("state-max-visits-added"),
};

pub(super) const MAX_VISITS_INCREASED: ChangeRule = ChangeRule {
    id: "state-max-visits-increased",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a state may be entered more often",
    why: "Runs may take longer and cost more than operators planned for.",
    fix: "Tell operators about the higher exposure, and publish a minor version.",
    mirror: Mirror::Rule("state-max-visits-decreased"),
};

pub(super) const ON_MAX_VISITS_CHANGED: ChangeRule = ChangeRule {
    id: "state-on-max-visits-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a run that comes back too often goes on elsewhere",
    why: "Users whose run reaches the limit meet another state, or the run ends there. Without a limit on either side the field does nothing.",
    fix: "Make sure that the new target takes over well, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// States where a run may end now.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    old: State<'a>,
    new: State<'a>,
    changes: &mut Changes<'a>,
) {
    let key = new.name_key();
    if is_terminal(old) != is_terminal(new) {
        let spot = |state: State<'a>| Spot::member(*state, "terminal", false);
        let verb = if is_terminal(new) { "now completes" } else { "no longer completes" };
        let message = format!("the workflow {verb} in state `{key}`");
        let trace = Focus::Trace(Trace::State(old.name_key()));
        changes.report(&TERMINAL_CHANGED, At::spots(spot(old), spot(new)), message).focus(trace);
    }
    compare_visits(old, new, changes);
    let target = old.text("on_max_visits");
    let followed = target.map(|name| comparison.renamed_states.get(name).copied().unwrap_or(name));
    if followed != new.text("on_max_visits") {
        let shown = |state: State<'a>| match state.text("on_max_visits") {
            Some(name) => format!("to go on in `{name}`"),
            None => "to end".to_owned(),
        };
        let message =
            format!("a run that may not enter `{key}` again has {} instead of {}", shown(new), shown(old));
        let draft = changes.report(&ON_MAX_VISITS_CHANGED, At::member(*old, *new, "on_max_visits"), message);
        if max_visits(old).is_none() && max_visits(new).is_none() {
            draft.bumps(Bumps::table("ppp"));
        }
    }
}

fn compare_visits<'a>(old: State<'a>, new: State<'a>, changes: &mut Changes<'a>) {
    let limit = |state: State<'a>| number(state.get("max_visits"));
    let moves = by_limit(limit(new), limit(old));
    let key = new.name_key();
    let (rule, message) = match (written(limit(old)), written(limit(new))) {
        (None, Some(most)) => {
            (&MAX_VISITS_ADDED, format!("state `{key}` may be entered at most {most} times"))
        }
        (Some(most), None) => (
            &MAX_VISITS_REMOVED,
            format!("state `{key}` may be entered without limit instead of {most} times"),
        ),
        (Some(before), Some(after)) if moves.is_ne() => {
            let rule = if moves.is_lt() { &MAX_VISITS_DECREASED } else { &MAX_VISITS_INCREASED };
            (rule, format!("state `{key}` may be entered {after} times instead of {before}"))
        }
        _ => return,
    };
    let draft = changes.report(rule, At::member(*old, *new, "max_visits"), message);
    if let Some(after) = max_visits(new).filter(|_| moves.is_lt()) {
        draft.focus(Focus::Trace(Trace::Visits(old.name_key(), after)));
    }
}
