//! What a provider has to be able to do.

use std::collections::BTreeSet;

use pack::json::Node;
use pack::number::Exact;

use super::requirement::Requirement;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::{sorted, written};

pub(super) const RAISED: ChangeRule = ChangeRule {
    id: "provider-capability-raised",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a provider has to be able to do more",
    why: "The model that operators wired to the key may lack what is asked now; capabilities are advice, so runtimes warn or refuse.",
    fix: "Tell operators which models still do, and publish a minor version.",
    mirror: Mirror::Rule("provider-capability-lowered"),
};

pub(super) const LOWERED: ChangeRule = ChangeRule {
    id: "provider-capability-lowered",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a provider has to be able to do less",
    why: "Every model that did before still does; operators may choose a smaller one.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("provider-capability-raised"),
};

pub(super) const CUSTOM_CHANGED: ChangeRule = ChangeRule {
    id: "provider-capability-custom-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a capability that the format does not define changed",
    why: "Only the runtime knows what the key asks of a model, so nobody can say here whether it asks for more.",
    fix: "Say in the description what is asked, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const EMBEDDING_DIMENSIONS_CHANGED: ChangeRule = ChangeRule {
    id: "provider-embedding-dimensions-changed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "vectors of another length are asked for",
    why: "Vectors that operators stored before no longer match those that the new model makes: search over them fails or finds nothing.",
    fix: "Ask for the new length under a new key, so that operators can embed their data anew before they switch.",
    mirror: Mirror::Itself,
};

/// The keys that the format defines; `embedding_dimensions` is told apart.
const KNOWN: [&str; 5] =
    ["modalities", "min_context_tokens", "tool_use", "structured_output", "embedding_dimensions"];

/// States what a provider has to be able to do from now on, or no longer.
pub(super) fn compare<'a>(old: &Requirement<'a>, new: &Requirement<'a>, changes: &mut Changes<'a>) {
    for name in ["modalities", "min_context_tokens", "tool_use", "structured_output"] {
        let (before, after) = (old.capability(name), new.capability(name));
        for (rule, moves, does) in [
            (&RAISED, exceeds(after, before), "asks for more"),
            (&LOWERED, exceeds(before, after), "asks for less"),
        ] {
            if moves {
                let message = format!("`{name}` of provider `{}` {does}", new.key);
                changes.report(rule, At::either(before, after), message);
            }
        }
    }
    let dimensions = (old.capability("embedding_dimensions"), new.capability("embedding_dimensions"));
    if written(dimensions.0) != written(dimensions.1) {
        let message = format!("provider `{}` has to make vectors of another length", new.key);
        changes.report(&EMBEDDING_DIMENSIONS_CHANGED, At::either(dimensions.0, dimensions.1), message);
    }
    compare_custom(old, new, changes);
}

/// Whether one value asks for something that the other does not.
fn exceeds(one: Option<Node<'_>>, other: Option<Node<'_>>) -> bool {
    let number = |node: Option<Node<'_>>| node.and_then(Node::as_exact).unwrap_or_else(|| Exact::parse("0"));
    let flag = |node: Option<Node<'_>>| node.and_then(Node::as_bool).unwrap_or(false);
    let known: BTreeSet<String> = sorted(other).into_iter().collect();
    number(one) > number(other)
        || flag(one) && !flag(other)
        || sorted(one).iter().any(|modality| !known.contains(modality))
}

fn compare_custom<'a>(old: &Requirement<'a>, new: &Requirement<'a>, changes: &mut Changes<'a>) {
    let keys = [old, new].into_iter().filter_map(|side| side.capabilities());
    let keys: BTreeSet<&str> = keys.flat_map(Node::members).map(|(key, _)| key).collect();
    for key in keys.into_iter().filter(|key| !KNOWN.contains(key)) {
        let (before, after) = (old.capability(key), new.capability(key));
        if written(before) != written(after) {
            let message = format!("capability `{key}` of provider `{}` changed", new.key);
            changes.report(&CUSTOM_CHANGED, At::either(before, after), message);
        }
    }
}
