//! The workflow as a whole: whether there is one, where it starts, and what its engine is told.

use pack::digest::canonical;
use pack::json::Node;
use serde_json::Value;

use super::budget;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::written;
use crate::changes::witness::{Focus, Trace};
use crate::subset::value_of;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "workflow-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new workflow",
    why: "Callers gain a state machine over the prompts; every prompt can still be rendered alone.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("workflow-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "workflow-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the workflow is gone",
    why: "Callers that start the workflow, or resume a session in one of its states, find nothing to run.",
    fix: "Keep the workflow and deprecate it; remove it in the next major version.",
    mirror: Mirror::Rule("workflow-added"),
};

pub(super) const VERSION_CHANGED: ChangeRule = ChangeRule {
    id: "workflow-version-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the workflow names another version of the workflow format",
    why: "A runtime that does not know the version refuses the workflow; which versions it knows is not visible in the pack.",
    fix: "Keep version 1 unless a feature needs a later one, and tell consumers which runtime they need.",
    mirror: Mirror::Itself,
};

pub(super) const ENGINE_CHANGED: ChangeRule = ChangeRule {
    id: "workflow-engine-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the hints for the workflow engine changed",
    why: "Timeouts, concurrency and vendor settings are read by some runtimes and ignored by others, so runs may be cut short or take another course.",
    fix: "Check the new hints on the runtimes that run the pack, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const ENTRY_CHANGED: ChangeRule = ChangeRule {
    id: "workflow-entry-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the workflow starts in another state",
    why: "The first event that callers fire, and the first prompt that users meet, belong to the old entry.",
    fix: "Keep the entry and lead from it to the new state, or offer the new start as an agent with its own `state`.",
    mirror: Mirror::Itself,
};

/// States what moved of the workflow as a whole; says whether both versions have one.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) -> bool {
    let (old, new) = match (comparison.old.pack.workflow(), comparison.new.pack.workflow()) {
        (Some(old), Some(new)) => (*old, *new),
        (Some(old), None) => {
            let message = "the workflow is gone: callers that start it find nothing to run";
            changes.report(&REMOVED, At::removed(*old), message).focus(Focus::Trace(Trace::Entry));
            return false;
        }
        (None, Some(new)) => {
            changes.report(&ADDED, At::added(*new), "the pack now has a workflow");
            return false;
        }
        (None, None) => return false,
    };
    if written(old.get("version")) != written(new.get("version")) {
        let shown = |side: Node<'_>| written(side.get("version")).unwrap_or("none".to_owned());
        let message = format!("the workflow is of version {} instead of {}", shown(new), shown(old));
        changes.report(&VERSION_CHANGED, At::member(old, new, "version"), message);
    }
    if engine(old) != engine(new) {
        let message = "what the workflow tells the engine changed";
        changes.report(&ENGINE_CHANGED, At::member(old, new, "engine"), message);
    }
    let entry = |side: Node<'a>| side.text("entry").unwrap_or_default();
    let followed = comparison.renamed_states.get(entry(old)).copied().unwrap_or(entry(old));
    if followed != entry(new) {
        let message = format!("the workflow starts in state `{}` instead of `{}`", entry(new), entry(old));
        let draft = changes.report(&ENTRY_CHANGED, At::member(old, new, "entry"), message);
        draft.focus(Focus::Trace(Trace::Entry));
    }
    true
}

/// What the engine is told, without the limits that have rules of their own.
fn engine(workflow: Node<'_>) -> Option<String> {
    let mut value = value_of(workflow.get("engine").filter(|engine| !engine.is_null())?);
    if let Value::Object(engine) = &mut value {
        if let Some(Value::Object(limits)) = engine.get_mut("budget") {
            limits.retain(|key, _| !budget::FIELDS.iter().any(|(known, _)| known == key));
            if limits.is_empty() {
                engine.remove("budget");
            }
        }
        if engine.is_empty() {
            return None;
        }
    }
    Some(canonical(&value))
}
