//! The type of a variable.

use super::constraint::{Moved, narrowing, shown, widening};
use super::values::{Keyword, Kind};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::Changes;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "variable-type-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a variable has another type",
    why: "Values of the old type are refused, or rendered in another form.",
    fix: "Add a variable of the new type beside the old one, optional and with a default.",
    mirror: Mirror::Itself,
};

pub(super) const NARROWED: ChangeRule = narrowing(
    "variable-type-narrowed",
    "variable-type-widened",
    "a variable takes whole numbers only",
    "Keep `number`, and let the text deal with fractions.",
);

pub(super) const WIDENED: ChangeRule =
    widening("variable-type-widened", "variable-type-narrowed", "a variable takes any number");

/// Whether every value of one type is one of the other.
pub(super) fn is_within(inner: Kind<'_>, outer: Kind<'_>) -> bool {
    inner == outer || (inner == Kind::Integer && outer == Kind::Number)
}

/// States that the type moved.
pub(super) fn compare<'a>(moved: &Moved<'_, 'a>, changes: &mut Changes<'a>) {
    let (old, new) = (moved.before.kind, moved.after.kind);
    let message =
        format!("variable `{}` is of type `{}` instead of `{}`", moved.name(), shown(new), shown(old));
    let rule = match () {
        () if is_within(old, new) => &WIDENED,
        () if is_within(new, old) => &NARROWED,
        () => &CHANGED,
    };
    let draft = changes.report(rule, moved.at(Keyword::Type), message);
    moved.break_of(draft);
    // What an unknown type allows is known to the runtime alone.
    if matches!(old, Kind::Unknown(_)) || matches!(new, Kind::Unknown(_)) {
        draft.possible(None);
    }
}
