//! Obligations of a governance declaration, and the controls that meet them.

use std::collections::{BTreeMap, BTreeSet};

use pack::digest::{canonical, canonical_node};
use pack::json::Node;
use serde_json::Value;

use super::effective::Subject;
use super::extensions;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::pairing::{Content, Pairing};
use crate::changes::report::{At, Changes};
use crate::subset::value_of;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "obligation-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "another obligation",
    why: "Operators gain a duty that the pack says it meets; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("obligation-removed"),
};

pub(super) const CONTROL_ADDED: ChangeRule = ChangeRule {
    id: "obligation-control-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an obligation is met by another control",
    why: "The obligation stands on one more leg; nothing that met it before is gone.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("obligation-control-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "obligation-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "an obligation is no longer declared",
    why: "Auditors find nothing that says how the duty is met, and reviews that satisfied it point nowhere.",
    fix: "Keep the obligation; if the duty has ended, say so in the changelog.",
    mirror: Mirror::Rule("obligation-added"),
};

pub(super) const CONTROL_REMOVED: ChangeRule = ChangeRule {
    id: "obligation-control-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "an obligation lost a control",
    why: "What was said to meet the obligation no longer does.",
    fix: "Name the control that takes over before you remove this one.",
    mirror: Mirror::Rule("obligation-control-added"),
};

pub(super) const CONTROL_WEAKENED: ChangeRule = ChangeRule {
    id: "obligation-control-weakened",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "a control that the pack carries became one outside of it",
    why: "A validator or an eval can be seen to run; for an external control there is only somebody's word.",
    fix: "Keep the validator or the eval beside the external control.",
    mirror: Mirror::Waived("the swapped pair says `obligation-changed`"),
};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "obligation-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "an obligation says something else",
    why: "Auditors read another duty, another scope or another control.",
    fix: "Nothing has to be done beyond a patch version; tell operators what moved.",
    mirror: Mirror::Itself,
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "obligation-renamed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an obligation has another id",
    why: "Evidence is filed under the id: what was collected so far belongs to an obligation that no longer exists.",
    fix: "Keep the id and change the term or the note.",
    mirror: Mirror::Itself,
};

/// The obligations of both sides, by id.
pub(super) type Obligations<'a> = Pairing<Node<'a>>;

/// New ids of renamed validators, by old id.
type Renamed<'a> = BTreeMap<&'a str, &'a str>;

/// States how the obligations moved; gives them paired.
pub(super) fn compare<'a>(
    subject: &Subject<'a>,
    validators: &Renamed<'a>,
    changes: &mut Changes<'a>,
) -> Obligations<'a> {
    let pairs = by_id(subject.field("obligations"));
    let of = &subject.of;
    let rules = Membership { noun: "obligation", added: &ADDED, removed: &REMOVED, renamed: &RENAMED };
    rules.report(&pairs, of, changes);
    for (old, new) in pairs.pairs() {
        compare_pair(old, new, of, validators, changes);
    }
    pairs
}

/// Pairs the objects of two lists by their ids, then by what they say.
pub(super) fn by_id<'a>(lists: [Option<Node<'a>>; 2]) -> Pairing<Node<'a>> {
    let [old, new] = lists.map(|list| {
        let items = list.into_iter().flat_map(Node::items);
        items.filter(|item| item.text("id").is_some()).collect::<Vec<_>>()
    });
    let mut pairs = Pairing::by_name(old, new, id);
    pairs.recognize(|node| Content::json(node, &["id"]));
    pairs
}

/// The rules about entries of one list of a declaration that come, go, or change their id.
pub(super) struct Membership {
    /// What one entry is called.
    pub noun: &'static str,
    pub added: &'static ChangeRule,
    pub removed: &'static ChangeRule,
    pub renamed: &'static ChangeRule,
}

impl Membership {
    /// States which entries of the declaration `of` came, went or changed their id.
    pub(super) fn report<'a>(&self, pairs: &Pairing<Node<'a>>, of: &str, changes: &mut Changes<'a>) {
        let noun = self.noun;
        for node in &pairs.added {
            let message = format!("{of} declares the {noun} `{}`", id(*node));
            changes.report(self.added, At::added(*node), message);
        }
        for node in &pairs.removed {
            let message = format!("{of} no longer declares the {noun} `{}`", id(*node));
            changes.report(self.removed, At::removed(*node), message);
        }
        for (old, new) in &pairs.renamed {
            let message = format!("{noun} `{}` of {of} is now called `{}`", id(*old), id(*new));
            changes.report(self.renamed, At::both(*old, *new), message);
        }
    }
}

/// The id of an obligation or a review.
pub(super) fn id(node: Node<'_>) -> &str {
    node.text("id").unwrap_or_default()
}

fn compare_pair<'a>(
    old: Node<'a>,
    new: Node<'a>,
    of: &str,
    validators: &Renamed<'a>,
    changes: &mut Changes<'a>,
) {
    let name = id(new);
    let controls = Controls::of(old, new, validators);
    for (before, after) in &controls.weakened {
        let message =
            format!("obligation `{name}` of {of} rests on an external control instead of one in the pack");
        changes.report(&CONTROL_WEAKENED, At::both(*before, *after), message);
    }
    for node in &controls.removed {
        let message = format!("obligation `{name}` of {of} lost the control {}", canonical_node(*node));
        changes.report(&CONTROL_REMOVED, At::removed(*node), message);
    }
    for node in &controls.added {
        let message = format!("obligation `{name}` of {of} has the new control {}", canonical_node(*node));
        changes.report(&CONTROL_ADDED, At::added(*node), message);
    }
    if controls.edited || without(old, &OWN_RULES) != without(new, &OWN_RULES) {
        let message = format!("obligation `{name}` of {of} says something else");
        changes.report(&CHANGED, At::both(old, new), message);
    }
    extensions::compare_pair(old, new, &format!("obligation `{name}` of {of}"), changes);
}

/// Members that other rules compare.
const OWN_RULES: [&str; 3] = ["id", "controls", "extensions"];

/// The canonical text of an object without some of its members, and without empty blocks.
pub(super) fn without(node: Node<'_>, names: &[&str]) -> String {
    let mut value = value_of(node);
    if let Value::Object(members) = &mut value {
        members.retain(|key, value| {
            let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty);
            !names.contains(&key.as_str()) && !value.is_null() && !is_empty
        });
    }
    canonical(&value)
}

/// How the controls of an obligation moved.
struct Controls<'a> {
    weakened: Vec<(Node<'a>, Node<'a>)>,
    removed: Vec<Node<'a>>,
    added: Vec<Node<'a>>,
    /// Whether a control took the place of another one of no less weight.
    edited: bool,
}

impl<'a> Controls<'a> {
    fn of(old: Node<'a>, new: Node<'a>, validators: &Renamed<'a>) -> Controls<'a> {
        let after: BTreeMap<String, Node<'a>> =
            new.list("controls").map(|node| (canonical_node(node), node)).collect();
        let name = |node: Node<'a>| {
            let text = canonical_node(node);
            if after.contains_key(&text) { text } else { followed(node, validators) }
        };
        let before: BTreeMap<String, Node<'a>> =
            old.list("controls").map(|node| (name(node), node)).collect();
        let lone = |side: &BTreeMap<String, Node<'a>>, other: &BTreeMap<String, Node<'a>>| -> Vec<Node<'a>> {
            side.iter().filter(|(text, _)| !other.contains_key(*text)).map(|(_, node)| *node).collect()
        };
        let (mut removed, mut added) = (lone(&before, &after), lone(&after, &before));
        let weakened = take_pairs(&mut removed, &mut added, is_carried, is_external);
        let strengthened = take_pairs(&mut removed, &mut added, is_external, is_carried);
        let others = take_pairs(&mut removed, &mut added, |_| true, |_| true);
        let edited = !strengthened.is_empty() || !others.is_empty();
        Controls { weakened, removed, added, edited }
    }
}

/// The canonical text of a control, with the name that its validator has in NEW.
fn followed(control: Node<'_>, validators: &Renamed<'_>) -> String {
    let mut value = value_of(control);
    if let Some(Value::String(name)) = value.get_mut("validator")
        && let Some(new) = validators.get(name.as_str())
    {
        *name = (*new).to_owned();
    }
    canonical(&value)
}

/// A control that runs with the pack.
fn is_carried(control: Node<'_>) -> bool {
    control.get("validator").is_some() || control.get("eval").is_some()
}

fn is_external(control: Node<'_>) -> bool {
    control.get("external").is_some()
}

/// Takes pairs of the two kinds out of the lists, in order, as many as there are.
fn take_pairs<'a>(
    removed: &mut Vec<Node<'a>>,
    added: &mut Vec<Node<'a>>,
    is_before: impl Fn(Node<'a>) -> bool,
    is_after: impl Fn(Node<'a>) -> bool,
) -> Vec<(Node<'a>, Node<'a>)> {
    let befores = removed.iter().copied().filter(|node| is_before(*node));
    let afters = added.iter().copied().filter(|node| is_after(*node));
    let pairs: Vec<(Node<'a>, Node<'a>)> = befores.zip(afters).collect();
    let taken: BTreeSet<u32> = pairs.iter().map(|(before, _)| before.span().start).collect();
    removed.retain(|node| !taken.contains(&node.span().start));
    let taken: BTreeSet<u32> = pairs.iter().map(|(_, after)| after.span().start).collect();
    added.retain(|node| !taken.contains(&node.span().start));
    pairs
}
