//! What the card of an agent says: the modes of its input and output, its tags, its description.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Agent, Pack};

use super::Member;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::witness::Focus;

pub(super) const INPUT_MODE_REMOVED: ChangeRule = ChangeRule {
    id: "agent-input-mode-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent no longer accepts a media type",
    why: "A caller that sends the media type is refused.",
    fix: "Keep the mode; where the agent cannot make sense of it any more, say so in its answer until the next major version.",
    mirror: Mirror::Rule("agent-input-mode-added"),
};

pub(super) const INPUT_MODE_ADDED: ChangeRule = ChangeRule {
    id: "agent-input-mode-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent accepts another media type",
    why: "Callers may send more than before; what they send today still works.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("agent-input-mode-removed"),
};

pub(super) const OUTPUT_MODE_REMOVED: ChangeRule = ChangeRule {
    id: "agent-output-mode-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent no longer answers in a media type",
    why: "The list is an offer: a caller that asks for the media type gets no answer in it.",
    fix: "Keep the mode until the next major version.",
    mirror: Mirror::Rule("agent-output-mode-added"),
};

pub(super) const OUTPUT_MODE_ADDED: ChangeRule = ChangeRule {
    id: "agent-output-mode-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent may answer in another media type",
    why: "A caller that names no mode may get an answer that it cannot read; whether it names one is not visible in the pack.",
    fix: "Announce the new mode, and keep the old one the preferred one.",
    mirror: Mirror::Rule("agent-output-mode-removed"),
};

pub(super) const TAG_REMOVED: ChangeRule = ChangeRule {
    id: "agent-tag-removed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent lost a tag",
    why: "A router that filters on the tag no longer finds the agent; whether one does is not visible in the pack.",
    fix: "Keep the tag beside the new ones.",
    mirror: Mirror::Rule("agent-tag-added"),
};

pub(super) const TAG_ADDED: ChangeRule = ChangeRule {
    id: "agent-tag-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an agent got another tag",
    why: "Routers that filter on the tag find the agent too; nobody loses it.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("agent-tag-removed"),
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "agent-description-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the card of an agent describes it otherwise",
    why: "Routers and other agents read the description to decide whom they ask, so they may choose differently.",
    fix: "Nothing has to be done beyond a patch version; keep the words that routers look for.",
    mirror: Mirror::Itself,
};

/// States what the card of an agent says now.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    (_, old): Member<'a>,
    (name, new): Member<'a>,
    changes: &mut Changes<'a>,
) {
    compare_modes(old, new, name, &INPUT, changes);
    compare_modes(old, new, name, &OUTPUT, changes);
    compare_tags(old, new, name, changes);
    let own = |agent: Agent<'a>| agent.text("description");
    let card = |pack: Pack<'a>, agent: Agent<'a>| {
        own(agent).or_else(|| pack.prompt(agent.key()?)?.text("description")).unwrap_or_default()
    };
    if own(old) != own(new) && card(comparison.old.pack, old) != card(comparison.new.pack, new) {
        let message = format!("the card of agent `{name}` describes it otherwise");
        changes.report(&DESCRIPTION_CHANGED, At::member(*old, *new, "description"), message);
    }
}

/// One of the two lists of modes.
struct Modes {
    field: &'static str,
    removed: &'static ChangeRule,
    added: &'static ChangeRule,
    verb: &'static str,
    is_input: bool,
}

const INPUT: Modes = Modes {
    field: "input_modes",
    removed: &INPUT_MODE_REMOVED,
    added: &INPUT_MODE_ADDED,
    verb: "accepts",
    is_input: true,
};

const OUTPUT: Modes = Modes {
    field: "output_modes",
    removed: &OUTPUT_MODE_REMOVED,
    added: &OUTPUT_MODE_ADDED,
    verb: "answers in",
    is_input: false,
};

fn compare_modes<'a>(
    old: Agent<'a>,
    new: Agent<'a>,
    name: &'a str,
    modes: &'static Modes,
    changes: &mut Changes<'a>,
) {
    let (before, after) = (spots(old, modes.field), spots(new, modes.field));
    let covered =
        |mode: &str, list: &BTreeMap<&'a str, Spot<'a>>| list.keys().any(|other| covers(other, mode));
    for (mode, spot) in before.iter().filter(|(mode, _)| !covered(mode, &after)) {
        let message = format!("agent `{name}` no longer {} `{mode}`", modes.verb);
        let draft = changes.report(modes.removed, At::spots(spot.clone(), None), message);
        draft.focus(Focus::Mode { agent: old.key().unwrap_or_default(), mode, is_input: modes.is_input });
    }
    for (mode, spot) in after.iter().filter(|(mode, _)| !covered(mode, &before)) {
        let message = format!("agent `{name}` now {} `{mode}`", modes.verb);
        changes.report(modes.added, At::spots(None, spot.clone()), message);
    }
}

/// The modes in effect, with their places.
fn spots<'a>(agent: Agent<'a>, field: &'static str) -> BTreeMap<&'a str, Spot<'a>> {
    if !agent.get(field).is_some_and(Node::is_array) {
        let spot = Spot::member(*agent, field, DEFAULT_MODE).value(DEFAULT_MODE);
        return BTreeMap::from([(DEFAULT_MODE, spot)]);
    }
    agent.texts(field).map(|(mode, node)| (mode, Spot::of(node))).collect()
}

const DEFAULT_MODE: &str = "text/plain";

/// Whether a mode of a list, which may be `image/*`, allows another. Media types are the same in either case of letters.
pub(crate) fn covers(listed: &str, mode: &str) -> bool {
    let all = listed.strip_suffix('*').filter(|start| start.is_empty() || start.ends_with('/'));
    let starts = |start: &str| mode.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    listed == "*/*" || listed.eq_ignore_ascii_case(mode) || all.is_some_and(starts)
}

/// The modes in effect.
pub(crate) fn modes<'a>(agent: Agent<'a>, is_input: bool) -> BTreeSet<&'a str> {
    spots(agent, if is_input { INPUT.field } else { OUTPUT.field }).into_keys().collect()
}

fn compare_tags<'a>(old: Agent<'a>, new: Agent<'a>, name: &str, changes: &mut Changes<'a>) {
    let tags = |agent: Agent<'a>| -> BTreeMap<&'a str, Node<'a>> { agent.texts("tags").collect() };
    let (before, after) = (tags(old), tags(new));
    for (tag, node) in before.iter().filter(|(tag, _)| !after.contains_key(*tag)) {
        let message = format!("agent `{name}` no longer has the tag `{tag}`");
        changes.report(&TAG_REMOVED, At::removed(*node), message);
    }
    for (tag, node) in after.iter().filter(|(tag, _)| !before.contains_key(*tag)) {
        changes.report(&TAG_ADDED, At::added(*node), format!("agent `{name}` now has the tag `{tag}`"));
    }
}
