//! Validators: their names, and what became of the flag that let them only observe.

use std::collections::{BTreeMap, BTreeSet};

use pack::SpecVersion;
use pack::model::{Pack, Validator};

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes, Spot};

pub(super) const FLAG_INERT_CHANGED: ChangeRule = ChangeRule {
    id: "validator-fail-flag-inert-changed",
    bumps: Bumps::table("---"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a flag that no longer means anything changed",
    why: "From spec 1.7 on every enabled validator enforces, whatever `fail_on_violation` says.",
    fix: "Nothing has to be done; remove the flag.",
    mirror: Mirror::Itself,
};

pub(super) const OBSERVING_ENFORCED: ChangeRule = ChangeRule {
    id: "validator-observing-enforced",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "a validator that only observed now enforces",
    why: "Spec 1.7 ignores `fail_on_violation`: answers that were let through with a note are refused; how often that happens is not visible in the pack.",
    fix: "Disable the validator, and measure with an eval instead, until its violations are rare.",
    mirror: Mirror::Waived("alone: the swapped pair says `validator-blocking-disabled`"),
};

pub(super) const ID_ADDED: ChangeRule = ChangeRule {
    id: "validator-id-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a validator got an id",
    why: "Obligations may name the validator now; where one does, evidence is collected from this version on.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("validator-id-removed"),
};

pub(super) const ID_REMOVED: ChangeRule = ChangeRule {
    id: "validator-id-removed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a validator lost its id",
    why: "An obligation that named the validator points nowhere.",
    fix: "Keep the id as long as an obligation names it.",
    mirror: Mirror::Rule("validator-id-added"),
};

pub(super) const ID_CHANGED: ChangeRule = ChangeRule {
    id: "validator-id-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a validator has another id",
    why: "Evidence is filed under the id: what was collected so far belongs to a validator that no longer exists.",
    fix: "Keep the id.",
    mirror: Mirror::Itself,
};

/// States which validators changed their name or their force.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (comparison.old, comparison.new);
    let ignores_flag = [old, new].map(|side| side.spec >= SpecVersion::V1_7);
    let named = [named(old.pack), named(new.pack)];
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        for (old, new) in pair.validators.pairs() {
            compare_flag(pair, old, new, ignores_flag, changes);
            compare_id(pair, old, new, &named, changes);
        }
    }
}

fn compare_flag<'a>(
    pair: &PromptPair<'a>,
    old: Validator<'a>,
    new: Validator<'a>,
    ignores_flag: [bool; 2],
    changes: &mut Changes<'a>,
) {
    let kind = new.text("type").unwrap_or_default();
    let flag = |validator: Validator<'a>| validator.flag("fail_on_violation").unwrap_or(false);
    let is_enabled = |validator: Validator<'a>| validator.flag("enabled").unwrap_or(true);
    let spot = |validator: Validator<'a>| Spot::member(*validator, "fail_on_violation", false);
    let at = At::spots(spot(old), spot(new));
    match ignores_flag {
        [true, true] if flag(old) != flag(new) => {
            let message = format!(
                "the flag of validator `{kind}` of prompt `{}` changed and means nothing",
                pair.key()
            );
            changes.report(&FLAG_INERT_CHANGED, at, message);
        }
        [false, true] if !flag(old) && !flag(new) && is_enabled(old) && is_enabled(new) => {
            let message =
                format!("validator `{kind}` of prompt `{}` only observed and now enforces", pair.key());
            changes.report(&OBSERVING_ENFORCED, at, message);
        }
        _ => {}
    }
}

fn compare_id<'a>(
    pair: &PromptPair<'a>,
    old: Validator<'a>,
    new: Validator<'a>,
    named: &[BTreeSet<&'a str>; 2],
    changes: &mut Changes<'a>,
) {
    let kind = new.text("type").unwrap_or_default();
    let of = format!("validator `{kind}` of prompt `{}`", pair.key());
    let (before, after) = (old.text("id"), new.text("id"));
    let (rule, message) = match (before, after) {
        (None, Some(id)) => (&ID_ADDED, format!("{of} is now called `{id}`")),
        (Some(id), None) => (&ID_REMOVED, format!("{of} is no longer called `{id}`")),
        (Some(old), Some(new)) if old != new => {
            (&ID_CHANGED, format!("{of} is called `{new}` instead of `{old}`"))
        }
        _ => return,
    };
    let is_named =
        before.is_some_and(|id| named[0].contains(id)) || after.is_some_and(|id| named[1].contains(id));
    let draft = changes.report(rule, At::member(*old, *new, "id"), message);
    if is_named {
        draft.message.push_str(", and an obligation names it");
        draft.bumps(Bumps::table("pmM"));
    }
}

/// New ids of validators that kept their prompt and their type, by old id.
pub(super) fn renamed<'a>(comparison: &Comparison<'a>) -> BTreeMap<&'a str, &'a str> {
    let all = comparison.prompt_pairs.iter().flat_map(|pair| pair.validators.pairs());
    all.filter_map(|(old, new)| Some((old.text("id")?, new.text("id")?)))
        .filter(|(old, new)| old != new)
        .collect()
}

/// The validators that obligations name.
fn named(pack: Pack<'_>) -> BTreeSet<&str> {
    let obligations = pack.governances().flat_map(|governance| governance.list("obligations"));
    obligations
        .flat_map(|obligation| obligation.list("controls"))
        .filter_map(|control| control.text("validator"))
        .collect()
}
