//! The events of a state: which ones it knows, and where they lead.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::State;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Draft};
use crate::changes::witness::{Focus, Named, Trace};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "event-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a state knows another event",
    why: "Callers or the model may take another way out of the state; every event that they know still works.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("event-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "event-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a state no longer knows an event",
    why: "A caller that fires the event in this state is refused. Where the runtime or a composition fires it, the model loses a way out, and users notice.",
    fix: "Keep the event, and lead it to a state that tells what to do instead; remove it in the next major version.",
    mirror: Mirror::Rule("event-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "event-renamed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an event of a state has another name",
    why: "A caller that fires the event by its old name is refused. Where the runtime fires it, the model reads another word and may choose otherwise.",
    fix: "Keep the old name, or let the state know both names until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const TARGET_CHANGED: ChangeRule = ChangeRule {
    id: "event-target-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an event leads to another state",
    why: "A caller that fires the event waits in the state that it knows, and the run is somewhere else. Where the runtime fires it, users meet another prompt.",
    fix: "Give the new way a new event, and keep the old one as it is.",
    mirror: Mirror::Itself,
};

/// An event: its name, the target, the place of the target.
type Event<'a> = (&'a str, &'a str, Node<'a>);

/// States which events of a state came, went, changed their name or their target.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    old: State<'a>,
    new: State<'a>,
    changes: &mut Changes<'a>,
) {
    let follow = |target: &'a str| comparison.renamed_states.get(target).copied().unwrap_or(target);
    let (olds, news) = (events(old), events(new));
    let before = olds.iter().filter(|(name, ..)| !news.contains_key(*name));
    let removed: Vec<Event<'a>> =
        before.map(|(name, (target, node))| (*name, follow(target), *node)).collect();
    let after = news.iter().filter(|(name, ..)| !olds.contains_key(*name));
    let added: Vec<Event<'a>> = after.map(|(name, (target, node))| (*name, *target, *node)).collect();
    let renamed = renames(&removed, &added);
    let key = new.name_key();
    for (name, (target, node)) in &olds {
        let Some((new_target, new_node)) = news.get(name) else { continue };
        if follow(target) != *new_target {
            let message =
                format!("event `{name}` of state `{key}` leads to `{new_target}` instead of `{target}`");
            let draft = changes.report(&TARGET_CHANGED, At::both(*node, *new_node), message);
            let draft = weigh(draft, old).focus(Focus::Trace(Trace::Event(old.name_key(), name)));
            if comparison.loses(Named::State, target, new_target) {
                draft.leads_nowhere(new_target);
            }
        }
    }
    for (name, target, node) in &removed {
        let trace = Focus::Trace(Trace::Event(old.name_key(), name));
        if let Some((new_name, _, new_node)) = renamed.get(name) {
            let message = format!("event `{name}` of state `{key}` is now called `{new_name}`");
            weigh(changes.report(&RENAMED, At::both(*node, *new_node), message), old).focus(trace);
        } else if !comparison.is_lone_state(target) {
            let message = format!("state `{key}` no longer knows the event `{name}`");
            weigh(changes.report(&REMOVED, At::removed(*node), message), old).focus(trace);
        }
    }
    let taken: BTreeSet<&str> = renamed.values().map(|event| event.0).collect();
    for (name, target, node) in &added {
        if !taken.contains(name) && !comparison.is_lone_state(target) {
            let message = format!("state `{key}` now knows the event `{name}`");
            changes.report(&ADDED, At::added(*node), message);
        }
    }
}

fn events(state: State<'_>) -> BTreeMap<&str, (&str, Node<'_>)> {
    state.events().map(|(event, target, node)| (event, (target, node))).collect()
}

/// Events that lead to one target which no other removed and no other added one has, by the old name.
fn renames<'a>(removed: &[Event<'a>], added: &[Event<'a>]) -> BTreeMap<&'a str, Event<'a>> {
    let unique = |events: &[Event<'a>]| {
        let mut targets: BTreeMap<&'a str, Option<Event<'a>>> = BTreeMap::new();
        for event in events {
            targets.entry(event.1).and_modify(|known| *known = None).or_insert(Some(*event));
        }
        targets
    };
    let theirs = unique(added);
    let both = |(target, event): (&'a str, Option<Event<'a>>)| {
        Some((event?.0, theirs.get(target).copied().flatten()?))
    };
    unique(removed).into_iter().filter_map(both).collect()
}

/// Where the runtime or a composition fires the event, no caller is refused.
fn weigh<'d, 'a>(draft: &'d mut Draft<'a>, state: State<'a>) -> &'d mut Draft<'a> {
    if matches!(state.orchestration(), "internal" | "composition") {
        draft.bumps(Bumps::table("pmM")).class(Class::Behaviour).affected(&[Affected::User]);
    }
    draft
}
