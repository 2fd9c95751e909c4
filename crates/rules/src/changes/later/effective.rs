//! Governance in effect: of the pack, and of each agent, whose own fields replace the pack's one by one.
//!
//! A field that an agent only inherits is judged at the pack, so that one edit is one change; a value that moved
//! between the pack and its agents, so that the same holds for all of them, is no change.

use std::collections::BTreeSet;

use pack::json::Node;
use pack::model::Pack;

use super::{duty, extensions, independence, listed, obligation, record, review, validator, vocabulary};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::written;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "governance-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "a governance declaration",
    why: "Operators gain a record that they may have to check before they deploy; no run is affected.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("governance-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "governance-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "the governance declaration is gone",
    why: "Nothing says any more who answers for the pack and what it may be used for; reviews and approvals that rest on the declaration lose their ground.",
    fix: "Keep the declaration, and change the fields that no longer hold.",
    mirror: Mirror::Rule("governance-added"),
};

/// The governance of the pack or of one agent, on both sides.
pub(super) struct Subject<'a> {
    /// Whose it is, as a message names it.
    pub(super) of: String,
    old: Merged<'a>,
    new: Merged<'a>,
    /// Fields that the pack and its agents exchanged without any effect.
    moved: BTreeSet<&'a str>,
    is_agent: bool,
}

/// The governance of one side: the own declaration, over the one that is inherited.
#[derive(Clone, Copy)]
struct Merged<'a> {
    own: Option<Node<'a>>,
    inherited: Option<Node<'a>>,
}

impl<'a> Merged<'a> {
    fn own(self, field: &str) -> Option<Node<'a>> {
        self.own?.get(field).filter(|node| !node.is_null())
    }

    fn get(self, field: &str) -> Option<Node<'a>> {
        self.own(field).or_else(|| self.inherited?.get(field).filter(|node| !node.is_null()))
    }

    fn fields(self) -> impl Iterator<Item = &'a str> {
        let members = |node: Option<Node<'a>>| node.into_iter().flat_map(Node::members).map(|(key, _)| key);
        members(self.own).chain(members(self.inherited))
    }

    fn is_empty(self) -> bool {
        self.fields().all(|field| written(self.get(field)).is_none())
    }
}

impl<'a> Subject<'a> {
    /// The field on both sides; nothing where another subject tells of it.
    pub(super) fn field(&self, field: &str) -> [Option<Node<'a>>; 2] {
        let is_own = self.old.own(field).is_some() || self.new.own(field).is_some();
        if self.moved.contains(field) || self.is_agent && !is_own {
            return [None, None];
        }
        [self.old.get(field), self.new.get(field)]
    }
}

/// Compares every governance declaration.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (of_pack, agents) = subjects(comparison);
    let vocabulary = vocabulary::Usage::of(comparison);
    let validators = validator::renamed(comparison);
    for subject in std::iter::once(of_pack).chain(agents) {
        if compare_whole(&subject, changes) {
            continue;
        }
        record::compare(&subject, changes);
        listed::compare(&subject, changes);
        duty::compare(&subject, changes);
        vocabulary.compare(&subject, changes);
        independence::compare(&subject, changes);
        let obligations = obligation::compare(&subject, &validators, changes);
        review::compare(&subject, &obligations, changes);
        let [old, new] = subject.field("extensions");
        extensions::compare_values(old, new, &format!("the governance of {}", subject.of), changes);
    }
}

fn subjects<'a>(comparison: &Comparison<'a>) -> (Subject<'a>, Vec<Subject<'a>>) {
    let declared = |pack: Pack<'a>| pack.metadata()?.get("governance").filter(|node| node.is_object());
    let [old, new] = [declared(comparison.old.pack), declared(comparison.new.pack)];
    let agents: Vec<Subject<'a>> = comparison
        .members
        .pairs()
        .map(|((_, old_agent), (name, new_agent))| {
            let own = |node: Node<'a>| node.get("governance").filter(|node| node.is_object());
            Subject {
                of: format!("agent `{name}`"),
                old: Merged { own: own(*old_agent), inherited: old },
                new: Merged { own: own(*new_agent), inherited: new },
                moved: BTreeSet::new(),
                is_agent: true,
            }
        })
        .collect();
    let (old, new) = (Merged { own: old, inherited: None }, Merged { own: new, inherited: None });
    let moved = moved(old, new, &agents);
    (Subject { of: "the pack".to_owned(), old, new, moved, is_agent: false }, agents)
}

/// Fields that the pack has on one side only, while the same holds for every agent on both.
fn moved<'a>(old: Merged<'a>, new: Merged<'a>, agents: &[Subject<'a>]) -> BTreeSet<&'a str> {
    if agents.is_empty() {
        return BTreeSet::new();
    }
    let is_lone = |field: &&str| written(old.own(field)).is_some() != written(new.own(field)).is_some();
    let is_kept = |field: &&str| {
        agents.iter().all(|agent| written(agent.old.get(field)) == written(agent.new.get(field)))
    };
    old.fields().chain(new.fields()).filter(is_lone).filter(is_kept).collect()
}

/// States that a declaration came or went as a whole, and says whether that is all to be said.
fn compare_whole<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) -> bool {
    let Subject { of, old, new, .. } = subject;
    let speaks = |side: &Merged<'a>| {
        side.own.into_iter().flat_map(Node::members).any(|(field, _)| !subject.moved.contains(field))
    };
    match (old.is_empty(), new.is_empty()) {
        (true, false) if speaks(new) => {
            let at = At::either(None, new.own);
            changes.report(&ADDED, at, format!("{of} now declares its governance"));
        }
        (false, true) if speaks(old) => {
            let at = At::either(old.own, None);
            changes.report(&REMOVED, at, format!("{of} no longer declares any governance"));
        }
        (true, _) | (_, true) => {}
        (false, false) => return false,
    }
    true
}
