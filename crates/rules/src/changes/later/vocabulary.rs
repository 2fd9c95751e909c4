//! The prefixes of terms, and the vocabularies that they stand for.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::Pack;

use super::effective::Subject;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::written;
use crate::lints::governance::{prefix_of, terms};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "governance-vocabulary-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prefix that terms use stands for another vocabulary, or for none",
    why: "Whoever expands the terms reads other ones, and rules that match the old ones no longer apply; who does so is not visible in the pack.",
    fix: "Give the new vocabulary a prefix of its own.",
    mirror: Mirror::Itself,
};

pub(super) const UNUSED_CHANGED: ChangeRule = ChangeRule {
    id: "governance-vocabulary-unused-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prefix came, or one that no term uses changed",
    why: "No term reads otherwise than before.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// The prefixes that terms of each side use.
pub(super) struct Usage<'a> {
    old: BTreeSet<&'a str>,
    new: BTreeSet<&'a str>,
}

impl<'a> Usage<'a> {
    /// Reads every term of both sides.
    pub(super) fn of(comparison: &Comparison<'a>) -> Usage<'a> {
        Usage { old: used(comparison.old.pack), new: used(comparison.new.pack) }
    }

    /// States which prefixes moved.
    pub(super) fn compare(&self, subject: &Subject<'a>, changes: &mut Changes<'a>) {
        let [old, new] = subject.field("vocabularies").map(prefixes);
        let all: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        for prefix in all {
            let (before, after) = (old.get(prefix).copied(), new.get(prefix).copied());
            if written(before) == written(after) {
                continue;
            }
            let is_used = match (before, after) {
                (None, _) => false,
                (_, None) => self.new.contains(prefix),
                _ => self.old.contains(prefix) || self.new.contains(prefix),
            };
            let verb = match (before, after) {
                (None, _) => "stands for a vocabulary now",
                (_, None) => "no longer stands for a vocabulary",
                _ => "stands for another vocabulary",
            };
            let rule = if is_used { &CHANGED } else { &UNUSED_CHANGED };
            let message = format!("the prefix `{prefix}` of {} {verb}", subject.of);
            changes.report(rule, At::either(before, after), message);
        }
    }
}

fn prefixes(vocabularies: Option<Node<'_>>) -> BTreeMap<&str, Node<'_>> {
    vocabularies.into_iter().flat_map(Node::members).collect()
}

fn used(pack: Pack<'_>) -> BTreeSet<&str> {
    let declared = pack.governances().flat_map(terms);
    let scopes = pack.tools().filter_map(|tool| tool.get("action_scope"));
    let classes = scopes.flat_map(|scope| scope.list("data_classes"));
    declared.chain(classes).filter_map(|term| prefix_of(term.as_str()?)).collect()
}
