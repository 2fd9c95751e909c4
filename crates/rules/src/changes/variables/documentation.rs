//! What readers learn about a variable.

use pack::digest::canonical_node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::side::VariableSide;

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "variable-description-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the description of a variable changed",
    why: "People who write callers read it; no call is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const EXAMPLE_CHANGED: ChangeRule = ChangeRule {
    id: "variable-example-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the example of a variable changed",
    why: "People who write callers read it; no call is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States that description or example moved.
pub(super) fn compare<'a>(old: &VariableSide<'a>, new: &VariableSide<'a>, changes: &mut Changes<'a>) {
    for (rule, key) in [(&DESCRIPTION_CHANGED, "description"), (&EXAMPLE_CHANGED, "example")] {
        // An empty list is an example as good as any other.
        let [before, after] =
            [old, new].map(|side| side.variable.get(key).filter(|node| !node.is_null()).map(canonical_node));
        if before != after {
            let message = format!("the {key} of variable `{}` changed", new.name());
            changes.report(rule, At::member(*old.variable, *new.variable, key), message);
        }
    }
}
