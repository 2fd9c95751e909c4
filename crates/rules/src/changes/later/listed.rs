//! Lists of a governance declaration: foreseeable misuse, and the environments that are approved.

use std::collections::BTreeMap;

use pack::json::Node;

use super::effective::Subject;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::wording::quoted;

pub(super) const MISUSE_ADDED: ChangeRule = ChangeRule {
    id: "governance-misuse-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "another foreseeable misuse",
    why: "Operators learn of a use that they have to guard against; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("governance-misuse-removed"),
};

pub(super) const MISUSE_REMOVED: ChangeRule = ChangeRule {
    id: "governance-misuse-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: true,
    summary: "a foreseeable misuse is no longer named",
    why: "Operators guard against what is named: a misuse that is left out is no longer looked for.",
    fix: "Keep the entry, or say in the changelog why the misuse is no longer possible.",
    mirror: Mirror::Rule("governance-misuse-added"),
};

pub(super) const ENVIRONMENTS_DECLARED: ChangeRule = ChangeRule {
    id: "governance-environments-declared",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack may only be deployed in certain environments",
    why: "A host that honours the list refuses the pack everywhere else; where it is deployed is not visible in the pack.",
    fix: "List every environment in which the pack runs today.",
    mirror: Mirror::Rule("governance-environments-dropped"),
};

pub(super) const ENVIRONMENTS_DROPPED: ChangeRule = ChangeRule {
    id: "governance-environments-dropped",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack may be deployed in any environment",
    why: "Nothing keeps the pack out of an environment that nobody has approved.",
    fix: "Keep the list, and add the environments that are meant.",
    mirror: Mirror::Rule("governance-environments-declared"),
};

pub(super) const ENVIRONMENT_REMOVED: ChangeRule = ChangeRule {
    id: "governance-environment-removed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an environment is no longer approved",
    why: "A host that honours the list refuses the pack there; where it is deployed is not visible in the pack.",
    fix: "Announce the date from which the environment is no longer approved, and remove it in the next major version.",
    mirror: Mirror::Rule("governance-environment-added"),
};

pub(super) const ENVIRONMENT_ADDED: ChangeRule = ChangeRule {
    id: "governance-environment-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: false,
    summary: "another environment is approved",
    why: "The pack may run where it was refused before: make sure that somebody approved that.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("governance-environment-removed"),
};

/// States which entries came and went.
pub(super) fn compare<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) {
    let [old, new] = subject.field("foreseeable_misuse").map(entries);
    for (text, node) in new.iter().filter(|(text, _)| !old.contains_key(*text)) {
        let message = format!("{} names a foreseeable misuse: {}", subject.of, quoted(text));
        changes.report(&MISUSE_ADDED, At::added(*node), message);
    }
    for (text, node) in old.iter().filter(|(text, _)| !new.contains_key(*text)) {
        let message = format!("{} no longer names the foreseeable misuse {}", subject.of, quoted(text));
        changes.report(&MISUSE_REMOVED, At::removed(*node), message);
    }
    compare_environments(subject, changes);
}

fn compare_environments<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) {
    let lists = subject.field("approved_environments");
    let of = &subject.of;
    let [old, new] = lists.map(entries);
    match (old.is_empty(), new.is_empty()) {
        (true, false) => {
            let message = format!("{of} may only be deployed in the environments that it lists");
            changes.report(&ENVIRONMENTS_DECLARED, At::either(None, lists[1]), message);
            return;
        }
        (false, true) => {
            let message = format!("{of} no longer lists the environments in which it may be deployed");
            changes.report(&ENVIRONMENTS_DROPPED, At::either(lists[0], None), message);
            return;
        }
        _ => {}
    }
    for (name, node) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let message = format!("{of} is no longer approved for the environment {}", quoted(name));
        changes.report(&ENVIRONMENT_REMOVED, At::removed(*node), message);
    }
    for (name, node) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let message = format!("{of} is now approved for the environment {}", quoted(name));
        changes.report(&ENVIRONMENT_ADDED, At::added(*node), message);
    }
}

fn entries(list: Option<Node<'_>>) -> BTreeMap<&str, Node<'_>> {
    list.into_iter().flat_map(Node::items).filter_map(|item| Some((item.as_str()?, item))).collect()
}
