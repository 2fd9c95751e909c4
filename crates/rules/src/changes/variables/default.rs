//! What stands in for a variable that callers leave out.

use pack::digest::canonical_node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::side::VariableSide;
use crate::changes::witness::Focus;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "variable-default-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an optional variable gets a default",
    why: "Calls that left the variable out rendered without a value; now the default fills the text.",
    fix: "Nothing has to be done beyond a minor version; run the evals for calls that leave the variable out.",
    mirror: Mirror::Rule("variable-default-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "variable-default-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the default of an optional variable is gone",
    why: "Calls that leave the variable out, as they may, leave its placeholder in the rendered text now.",
    fix: "Keep a default that is valid, not null and not empty.",
    mirror: Mirror::Rule("variable-default-added"),
};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "variable-default-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "the default of an optional variable changed",
    why: "Calls that leave the variable out render another text.",
    fix: "Run the evals for calls that leave the variable out, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const IGNORED_CHANGED: ChangeRule = ChangeRule {
    id: "variable-default-ignored-changed",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a default that nothing uses changed",
    why: "No call is filled in with it: the variable is required or no text uses it; only readers of the declaration notice.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States how the default moved. `null` is no default; one that is empty or refused fills nothing.
pub(super) fn compare<'a>(old: &VariableSide<'a>, new: &VariableSide<'a>, changes: &mut Changes<'a>) {
    let written = |side: &VariableSide<'a>| side.variable.default_value().map(|node| canonical_node(node));
    let (was, is) = (written(old), written(new));
    if was == is {
        return;
    }
    let name = new.name();
    let at = At::either(old.variable.default_value(), new.variable.default_value());
    // Where callers had to send the variable on the other side, no call relied on the default.
    // On the side without default it counts where callers may leave the variable out and a text shows it.
    let counts = |side: &VariableSide<'a>| !side.variable.is_required() && side.used;
    let shown = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
    match (old.has_usable_default(), new.has_usable_default()) {
        (true, false) if counts(new) && !old.is_must() => {
            let message = format!(
                "variable `{name}` has no usable default any more: calls without it leave it unfilled"
            );
            let draft = changes.report(&REMOVED, at, message);
            draft.focus(Focus::Without(name));
            if new.is_auto() {
                draft.bumps(Bumps::table("pmm"));
            }
        }
        (false, true) if counts(old) && !new.is_must() => {
            changes.report(&ADDED, at, format!("variable `{name}` has the default `{}`", shown(is)));
        }
        (true, true) if counts(old) && counts(new) => {
            let message =
                format!("the default of variable `{name}` is `{}` instead of `{}`", shown(is), shown(was));
            changes.report(&CHANGED, at, message);
        }
        _ => {
            let message =
                format!("the default of variable `{name}` changed, but no call is filled in with it");
            changes.report(&IGNORED_CHANGED, at, message);
        }
    }
}
