//! What was tested with which model.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::report::{At, Changes};
use crate::changes::value::sorted;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "tested-model-changed",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the record of tested models changed",
    why: "Operators choose models by these records; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States that the records of a prompt moved; their order means nothing.
pub(super) fn compare<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*pair.old.prompt, *pair.new.prompt);
    let key = "tested_models";
    if sorted(old.get(key)) != sorted(new.get(key)) {
        let message = format!("the tested models of prompt `{}` changed", pair.key());
        changes.report(&CHANGED, At::member(old, new, key), message);
    }
}
