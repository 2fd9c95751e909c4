//! Who drives a state, and whether the conversation lives on in it.

use pack::model::State;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::value::written;
use crate::changes::witness::{Focus, Trace};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "state-orchestration-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "another party drives a state",
    why: "A caller that fires the state's events is refused where the runtime drives now; where the caller drives now, a run that nobody moves on stands still.",
    fix: "Make the state `hybrid`, so that both may drive, and narrow it in the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const WIDENED: ChangeRule = ChangeRule {
    id: "state-orchestration-widened",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "runtime and caller may both drive a state",
    why: "Whoever drove the state before still may; the other party gains the right.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Waived("one direction of `state-orchestration-changed`"),
};

pub(super) const PERSISTENCE_CHANGED: ChangeRule = ChangeRule {
    id: "state-persistence-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "the conversation is kept or lost on entering a state",
    why: "The prompt of the state sees another history, and stored sessions grow or shrink; what a runtime does where nothing is said is not visible in the pack.",
    fix: "Run the evals of the state's prompt, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// States who drives the state now, and what it remembers.
pub(super) fn compare<'a>(old: State<'a>, new: State<'a>, changes: &mut Changes<'a>) {
    let (before, after) = (old.orchestration(), new.orchestration());
    let key = new.name_key();
    if before != after {
        let spot = |state: State<'a>| Spot::member(*state, "orchestration", "internal");
        let at = At::spots(spot(old), spot(new));
        let message = format!("state `{key}` is orchestrated `{after}` instead of `{before}`");
        match (before, after) {
            ("internal" | "external", "hybrid") => {
                changes.report(&WIDENED, at, message);
            }
            _ => {
                let trace = Focus::Trace(Trace::State(old.name_key()));
                changes.report(&CHANGED, at, message).focus(trace);
            }
        }
    }
    if written(old.get("persistence")) != written(new.get("persistence")) {
        let shown = |state: State<'a>| match state.text("persistence") {
            Some(text) => format!("`{text}`"),
            None => "undeclared".to_owned(),
        };
        let message = format!("the persistence of state `{key}` is {} instead of {}", shown(new), shown(old));
        changes.report(&PERSISTENCE_CHANGED, At::member(*old, *new, "persistence"), message);
    }
}
