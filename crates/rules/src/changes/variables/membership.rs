//! Variables that come, go, or change their name.

use super::binding;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::report::{At, Changes};
use crate::changes::side::VariableSide;
use crate::changes::witness::Focus;

pub(super) const REQUIRED_ADDED: ChangeRule = ChangeRule {
    id: "variable-required-added",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new variable that callers must send",
    why: "A call that was complete before lacks the new variable: the runtime refuses it or sends a broken prompt.",
    fix: "Declare the variable with `required: false` and a usable default, so that existing calls stay complete.",
    mirror: Mirror::Waived("swapped it is `variable-removed`"),
};

pub(super) const OPTIONAL_ADDED: ChangeRule = ChangeRule {
    id: "variable-optional-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new variable that callers may send",
    why: "Existing calls stay complete; callers gain a way to influence the prompt.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Waived("swapped it is `variable-removed`"),
};

pub(super) const OPTIONAL_ADDED_WITHOUT_DEFAULT: ChangeRule = ChangeRule {
    id: "variable-optional-added-without-default",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new optional variable that the text uses and no default fills",
    why: "Existing calls do not send it and nothing else fills it, so its placeholder is left in the rendered text: strict clients refuse to render, others send the raw placeholder to the model.",
    fix: "Give the variable a default that is valid, not null and not empty.",
    mirror: Mirror::Waived("swapped it is `variable-removed`"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "variable-removed",
    bumps: Bumps::table("pMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a variable is gone, and so are its uses",
    why: "Callers still send the value and it silently loses its meaning; a host that checks inputs strictly refuses the unknown name.",
    fix: "Keep the declaration as optional for one major version, say in its description that it has no effect, and accept `unused-variable` for it with an `[[allow]]` entry.",
    mirror: Mirror::Waived(
        "swapped it is `variable-required-added`, `variable-optional-added`, `variable-optional-added-without-default` or `variable-binding-added`",
    ),
};

pub(super) const REMOVED_BUT_USED: ChangeRule = ChangeRule {
    id: "variable-removed-but-used",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a variable is no longer declared, but the text still uses it",
    why: "Strict clients drop values for undeclared names, so the placeholder stays in the rendered text whatever the caller sends.",
    fix: "Declare the variable again, or remove its placeholders too.",
    mirror: Mirror::Waived("swapped, the missing declaration is repaired by an added variable"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "variable-renamed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a variable has another name",
    why: "Callers send the old name, which means nothing any more, and the new one is missing.",
    fix: "Keep the old name, or add the new one as optional beside it and remove the old one in the next major version.",
    mirror: Mirror::Itself,
};

/// States which variables came, went or changed their name.
pub(super) fn compare<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    for variable in &pair.variables.added {
        added(variable, changes);
    }
    for variable in &pair.variables.removed {
        removed(pair, variable, changes);
    }
    for (old, new) in &pair.variables.renamed {
        let message = format!("variable `{}` is now called `{}`", old.name(), new.name());
        let draft = changes.report(&RENAMED, At::both(*old.variable, *new.variable), message);
        draft.focus(Focus::Without(new.name()));
        if !new.is_needed() {
            draft.bumps(Bumps::table("mMM"));
        }
    }
}

fn added<'a>(variable: &VariableSide<'a>, changes: &mut Changes<'a>) {
    let name = variable.name();
    if variable.is_auto() {
        let message = format!("the runtime is asked to fill in new variable `{name}`");
        changes.report(&binding::ADDED, At::added(*variable.variable), message);
        return;
    }
    let (rule, message) = if variable.is_must() {
        (&REQUIRED_ADDED, format!("new variable `{name}` is required: calls without it fail"))
    } else if variable.is_needed() {
        let message = format!(
            "new variable `{name}` is used and has no usable default: calls without it leave it unfilled"
        );
        (&OPTIONAL_ADDED_WITHOUT_DEFAULT, message)
    } else {
        (&OPTIONAL_ADDED, format!("new variable `{name}` may be sent"))
    };
    changes.report(rule, At::added(*variable.variable), message).focus(Focus::Without(name));
}

fn removed<'a>(pair: &PromptPair<'a>, variable: &VariableSide<'a>, changes: &mut Changes<'a>) {
    let name = variable.name();
    let still_used = pair.new.usage.undeclared.contains(name);
    let at = At::removed(*variable.variable);
    if still_used {
        let message = format!("variable `{name}` is no longer declared, but the text still uses it");
        changes.report(&REMOVED_BUT_USED, at, message).focus(Focus::Left(name.to_owned()));
    } else {
        let message = format!("variable `{name}` is gone: values of callers have no effect any more");
        changes.report(&REMOVED, at, message);
    }
}
