//! What the metadata says for catalogues, and what a compiler noted.

use pack::digest::canonical_node;
use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::{sorted, written};

pub(super) const LANGUAGE_CHANGED: ChangeRule = ChangeRule {
    id: "metadata-language-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator, Affected::User],
    safety: false,
    governance: false,
    summary: "the declared language changed",
    why: "Users are answered in another language, or operators route the pack elsewhere.",
    fix: "Publish a minor version; another language beside the first is better served by a pack of its own.",
    mirror: Mirror::Itself,
};

pub(super) const TAGS_CHANGED: ChangeRule = ChangeRule {
    id: "metadata-tags-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack's tags changed",
    why: "Catalogues and searches sort the pack elsewhere; nothing else reads tags.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const DOMAIN_CHANGED: ChangeRule = ChangeRule {
    id: "metadata-domain-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack's domain changed",
    why: "Catalogues sort the pack elsewhere; nothing else reads the domain.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const COST_CHANGED: ChangeRule = ChangeRule {
    id: "metadata-cost-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the cost estimate changed",
    why: "Operators plan with the estimate; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const COMPILATION_CHANGED: ChangeRule = ChangeRule {
    id: "compilation-changed",
    bumps: Bumps::table("---"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "what the compiler noted changed",
    why: "The block tells when and how the pack was compiled; every build writes another one.",
    fix: "Nothing has to be done.",
    mirror: Mirror::Itself,
};

/// States that descriptive metadata moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let root = (*comparison.old.pack, *comparison.new.pack);
    let same = |old: Option<Node<'_>>, new: Option<Node<'_>>| written(old) == written(new);
    if !same(root.0.get("compilation"), root.1.get("compilation")) {
        changes.report(
            &COMPILATION_CHANGED,
            At::member(root.0, root.1, "compilation"),
            "the compiler's note changed",
        );
    }
    let (old, new) = (root.0.get("metadata"), root.1.get("metadata"));
    let member = |side: Option<Node<'a>>, key: &str| side.and_then(|metadata| metadata.get(key));
    let fields = [
        (&LANGUAGE_CHANGED, "language", "the declared language"),
        (&DOMAIN_CHANGED, "domain", "the domain"),
        (&COST_CHANGED, "cost_estimate", "the cost estimate"),
    ];
    for (rule, key, what) in fields {
        let (old, new) = (member(old, key), member(new, key));
        if !same(old, new) {
            let shown = |side: Option<Node<'a>>| side.and_then(Node::as_str).map(|text| format!("`{text}`"));
            let message = match (shown(old), shown(new)) {
                (Some(old), Some(new)) => format!("{what} of the pack is {new} instead of {old}"),
                _ => format!("{what} of the pack changed"),
            };
            changes.report(rule, At::either(old, new), message);
        }
    }
    let (old, new) = (member(old, "tags"), member(new, "tags"));
    if sorted(old) != sorted(new) {
        let list =
            |side: Option<Node<'a>>| side.map(|tags| canonical_node(tags)).unwrap_or("none".to_owned());
        let message = format!("the tags of the pack are {} instead of {}", list(new), list(old));
        changes.report(&TAGS_CHANGED, At::either(old, new), message);
    }
}
