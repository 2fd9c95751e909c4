//! Which providers a pack requires, under which keys, in which roles.

use std::collections::BTreeSet;

use serde_json::json;

use super::requirement::Requirement;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror, Witness};
use crate::changes::pairing::Pairing;
use crate::changes::report::{At, Changes, Spot};

pub(super) const REQUIRED_ADDED: ChangeRule = ChangeRule {
    id: "provider-required-added",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack does not run without another provider",
    why: "A host that supplies what the earlier version asked for refuses to start the pack.",
    fix: "Declare the provider with `required: false` first, and require it in the next major version.",
    mirror: Mirror::Waived("a requirement that goes is `provider-removed`, whether it was required or not"),
};

pub(super) const DEFAULT_DECLARED: ChangeRule = ChangeRule {
    id: "provider-default-declared",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the primary model is declared, or no longer",
    why: "Every pack requires `default` without saying so: writing it down asks nothing new of the host.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const OPTIONAL_ADDED: ChangeRule = ChangeRule {
    id: "provider-optional-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack can use another provider",
    why: "Operators may supply it for a feature of the pack; without it the pack starts as before.",
    fix: "Say in the description what is missing without it; a minor version is enough.",
    mirror: Mirror::Rule("provider-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "provider-removed",
    summary: "the pack no longer asks for a provider",
    why: "Operators may stop supplying it; one that they still supply does no harm.",
    fix: "Make sure that no prompt or step names it any more; a minor version is enough.",
    mirror: Mirror::Rule("provider-optional-added"),
    ..OPTIONAL_ADDED
};

pub(super) const BECAME_REQUIRED: ChangeRule = ChangeRule {
    id: "provider-became-required",
    summary: "the pack does not run without a provider that was optional",
    why: "A host that ran the earlier version without the provider refuses to start the pack.",
    fix: "Keep it optional, and let the feature that needs it degrade; require it in the next major version.",
    mirror: Mirror::Rule("provider-became-optional"),
    ..REQUIRED_ADDED
};

pub(super) const BECAME_OPTIONAL: ChangeRule = ChangeRule {
    id: "provider-became-optional",
    summary: "the pack runs without a provider that was required",
    why: "Operators may leave it out; a host that supplies it sees no difference.",
    fix: "Say in the description what is missing without it; a minor version is enough.",
    mirror: Mirror::Rule("provider-became-required"),
    ..OPTIONAL_ADDED
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "provider-renamed",
    summary: "the pack asks for a provider under another key",
    why: "Operators wire models to keys: nothing is wired to the new one, and what is wired to the old one is not used.",
    fix: "Keep the key, or declare the new one beside it as optional until the next major version.",
    mirror: Mirror::Itself,
    ..REQUIRED_ADDED
};

pub(super) const ROLE_CHANGED: ChangeRule = ChangeRule {
    id: "provider-role-changed",
    summary: "a provider has to be another kind of model",
    why: "The model that operators wired to the key cannot do what is asked of it now.",
    fix: "Ask for the other kind of model under a new key, and keep the old one until the next major version.",
    mirror: Mirror::Itself,
    ..REQUIRED_ADDED
};

/// States which requirements came, went or changed. `named` are the keys that NEW's prompts and steps ask for.
pub(super) fn compare<'a>(
    providers: &Pairing<&Requirement<'a>>,
    named: &BTreeSet<&str>,
    changes: &mut Changes<'a>,
) {
    for provider in &providers.added {
        let at = At::either(None, provider.node);
        if provider.required {
            let message = format!("provider `{}` is required from now on", provider.key);
            changes.report(&REQUIRED_ADDED, at, message).witness(unsupplied(provider, "not asked for"));
        } else {
            changes.report(&OPTIONAL_ADDED, at, format!("new optional provider `{}`", provider.key));
        }
    }
    // Of one that is still asked for, `provider-removed-but-used` says that it is gone.
    for provider in providers.removed.iter().filter(|provider| !named.contains(provider.key)) {
        let message = format!("provider `{}` is no longer asked for", provider.key);
        changes.report(&REMOVED, At::either(provider.node, None), message);
    }
    for (old, new) in &providers.renamed {
        let message = format!("provider `{}` is now called `{}`", old.key, new.key);
        let draft = changes.report(&RENAMED, At::either(old.node, new.node), message);
        match is_optional(old, new) {
            true => draft.bumps(Bumps::table("pmm")),
            false => draft.witness(held(old, "no longer asked for")),
        };
    }
    for (old, new) in providers.pairs() {
        compare_pair(old, new, changes);
    }
}

fn compare_pair<'a>(old: &Requirement<'a>, new: &Requirement<'a>, changes: &mut Changes<'a>) {
    let key = new.key;
    let is_declared_alike = old.node.is_some() == new.node.is_some();
    if old.role != new.role {
        let message = format!("provider `{key}` is of role `{}` instead of `{}`", new.role, old.role);
        let draft = changes.report(&ROLE_CHANGED, at(old, new, "role", old.role, new.role), message);
        match is_optional(old, new) {
            true => draft.bumps(Bumps::table("pmm")),
            false => draft.witness(held(old, &format!("has to be `{}`", new.role))),
        };
    }
    if old.required != new.required {
        let place = at(old, new, "required", old.required, new.required);
        if new.required {
            let message = format!("provider `{key}` is required, and was optional");
            let witness = unsupplied(new, "not needed");
            changes.report(&BECAME_REQUIRED, place, message).witness(witness);
        } else {
            changes.report(
                &BECAME_OPTIONAL,
                place,
                format!("provider `{key}` is optional, and was required"),
            );
        }
    }
    let is_equal = old.role == new.role
        && old.required == new.required
        && old.capabilities().or(new.capabilities()).is_none_or(|node| node.is_empty());
    if !is_declared_alike && is_equal {
        let does = if new.node.is_some() { "is declared" } else { "is no longer declared" };
        let message = format!("provider `{key}`, which every pack requires, {does}");
        changes.report(&DEFAULT_DECLARED, At::either(old.node, new.node), message);
    }
}

fn is_optional(old: &Requirement<'_>, new: &Requirement<'_>) -> bool {
    !old.required && !new.required
}

/// The member of both entries; an entry that is a bare key stands for itself.
fn at<'a>(
    old: &Requirement<'a>,
    new: &Requirement<'a>,
    field: &'static str,
    before: impl Into<serde_json::Value>,
    after: impl Into<serde_json::Value>,
) -> At<'a> {
    let spot = |requirement: &Requirement<'a>, value: serde_json::Value| {
        requirement.node.map(|node| match node.is_object() {
            true => Spot::member(node, field, value),
            false => Spot::of(node).value(value),
        })
    };
    At::spots(spot(old, before.into()), spot(new, after.into()))
}

/// A host that supplies what OLD required, and not this.
fn unsupplied(requirement: &Requirement<'_>, before: &str) -> Witness {
    witness(requirement.key, None, before, "required, and not supplied")
}

/// A host that supplies what OLD asked for under this key.
fn held(requirement: &Requirement<'_>, after: &str) -> Witness {
    witness(requirement.key, Some(requirement.role), "used", after)
}

fn witness(key: &str, role: Option<&str>, before: &str, after: &str) -> Witness {
    let mut input = json!({ "provider": key });
    if let Some(role) = role {
        input["role"] = role.into();
    }
    Witness {
        kind: "reference".to_owned(),
        input,
        old_result: before.to_owned(),
        new_result: after.to_owned(),
    }
}
