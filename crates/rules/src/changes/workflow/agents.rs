//! The agents of a pack: which prompts are agents, which one is asked first, and where they start the workflow.

use super::Member;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::witness::{Focus, Named, Trace};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "agents-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the pack now offers agents",
    why: "Callers gain agents; every prompt can still be rendered alone.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("agents-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "agents-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the pack no longer offers agents",
    why: "Callers and registries that know an agent by its name find nothing.",
    fix: "Keep the agents and deprecate them; remove the block in the next major version.",
    mirror: Mirror::Rule("agents-added"),
};

pub(super) const MEMBER_ADDED: ChangeRule = ChangeRule {
    id: "agent-member-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new agent",
    why: "Callers gain an agent; every agent that they know is still there.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("agent-member-removed"),
};

pub(super) const MEMBER_REMOVED: ChangeRule = ChangeRule {
    id: "agent-member-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent is gone",
    why: "Callers, routers and other agents that call the agent by its name find nothing.",
    fix: "Keep the agent and deprecate it in its description; remove it in the next major version.",
    mirror: Mirror::Rule("agent-member-added"),
};

pub(super) const ENTRY_CHANGED: ChangeRule = ChangeRule {
    id: "agent-entry-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "another agent is asked first",
    why: "Callers that address the pack without naming an agent get another one, with other modes and another card.",
    fix: "Keep the entry, and let callers name the new agent; move the entry in the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const STATE_CHANGED: ChangeRule = ChangeRule {
    id: "agent-state-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent starts the workflow elsewhere, or answers without it",
    why: "Callers fire the events of the state that they know, or expect one answer where the agent now runs a workflow.",
    fix: "Offer the other start as another agent, and keep this one as it is.",
    mirror: Mirror::Itself,
};

/// States which agents came and went, and which one is asked first; says whether both versions have agents.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) -> bool {
    let held = |key: &str| Focus::Reference(Named::Agent, key.to_owned());
    let (old, new) = match (comparison.old.pack.agents(), comparison.new.pack.agents()) {
        (Some(old), Some(new)) => (old, new),
        (Some(old), None) => {
            let message = "the pack no longer offers agents: callers that know one find nothing";
            let draft = changes.report(&REMOVED, At::removed(*old), message);
            let mut names = old.members().filter_map(|member| member.key());
            let entry = old.text("entry").filter(|entry| names.clone().any(|name| name == *entry));
            if let Some(name) = entry.or_else(|| names.next()) {
                draft.focus(held(name));
            }
            return false;
        }
        (None, Some(new)) => {
            changes.report(&ADDED, At::added(*new), "the pack now offers agents");
            return false;
        }
        (None, None) => return false,
    };
    for (name, member) in &comparison.members.added {
        changes.report(&MEMBER_ADDED, At::added(**member), format!("new agent `{name}`"));
    }
    for (_, member) in &comparison.members.removed {
        let name = member.key().unwrap_or_default();
        let message = format!("agent `{name}` is gone: whoever calls it finds nothing");
        changes.report(&MEMBER_REMOVED, At::removed(**member), message).focus(held(name));
    }
    let (before, after) = (old.text("entry").unwrap_or_default(), new.text("entry").unwrap_or_default());
    if comparison.renamed_prompts.get(before).copied().unwrap_or(before) != after {
        let message = format!("agent `{after}` is asked first instead of `{before}`");
        let draft = changes.report(&ENTRY_CHANGED, At::member(*old, *new, "entry"), message);
        if old.get("entry").is_some() {
            draft.focus(Focus::Reference(Named::EntryAgent, before.to_owned()));
        }
    }
    true
}

/// States that an agent starts the workflow elsewhere.
pub(super) fn compare_state<'a>(
    comparison: &Comparison<'a>,
    (_, old): Member<'a>,
    (name, new): Member<'a>,
    changes: &mut Changes<'a>,
) {
    let before = old.text("state");
    let followed = before.map(|state| comparison.renamed_states.get(state).copied().unwrap_or(state));
    if followed == new.text("state") {
        return;
    }
    let shown = |state: Option<&str>| match state {
        Some(state) => format!("starts the workflow in state `{state}`"),
        None => "answers with its prompt alone".to_owned(),
    };
    let message = format!("agent `{name}` {}; before it {}", shown(new.text("state")), shown(before));
    let trace = Focus::Trace(Trace::Agent(old.key().unwrap_or_default()));
    changes.report(&STATE_CHANGED, At::member(*old, *new, "state"), message).focus(trace);
}
