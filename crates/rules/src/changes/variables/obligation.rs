//! Whether callers must or may send a variable.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::VariableSide;
use crate::changes::witness::Focus;

pub(super) const BECAME_REQUIRED: ChangeRule = ChangeRule {
    id: "variable-became-required",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an optional variable is now required",
    why: "A call that was complete before can now be refused: not every runtime fills a default in for a required variable.",
    fix: "Keep `required: false`; give the variable a usable default where the text needs a value.",
    mirror: Mirror::Rule("variable-became-optional"),
};

pub(super) const BECAME_OPTIONAL: ChangeRule = ChangeRule {
    id: "variable-became-optional",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a required variable may now be left out",
    why: "Existing calls stay complete; callers gain the choice to leave the value out.",
    fix: "Nothing has to be done beyond a minor version; a used variable should have a usable default.",
    mirror: Mirror::Rule("variable-became-required"),
};

/// States that an obligation came or went. What the runtime fills in is nobody's obligation.
pub(super) fn compare<'a>(old: &VariableSide<'a>, new: &VariableSide<'a>, changes: &mut Changes<'a>) {
    let name = new.name();
    let at = || {
        At::spots(
            Spot::member(*old.variable, "required", false),
            Spot::member(*new.variable, "required", false),
        )
    };
    let (was, is) = (old.variable.is_required(), new.variable.is_required());
    if was == is || (old.is_auto() && new.is_auto()) {
        return;
    }
    if is && new.is_must() {
        let draft = changes.report(&BECAME_REQUIRED, at(), format!("variable `{name}` is now required"));
        draft.focus(Focus::Without(name));
        if old.is_needed() {
            draft.bumps(Bumps::table("pMM"));
        }
    } else if was && old.is_must() {
        changes.report(&BECAME_OPTIONAL, at(), format!("variable `{name}` may now be left out"));
    }
}
