//! Evals as each prompt meets them: those of the pack, replaced by those of the prompt that have the same id.
//!
//! An eval of the pack is compared once, however many prompts it measures; one that moves between the pack and every
//! prompt is no change.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::Eval;

use super::metrics;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Scope, Spot};
use crate::changes::value::{sorted, written};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "eval-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a new eval",
    why: "Operators gain a measurement, which costs model calls of its own where a model judges; no caller notices.",
    fix: "Nothing has to be done beyond a minor version; tell operators about the cost of the eval.",
    mirror: Mirror::Rule("eval-removed"),
};

pub(super) const ENABLED: ChangeRule = ChangeRule {
    id: "eval-enabled",
    summary: "an eval that was off runs",
    mirror: Mirror::Rule("eval-disabled"),
    ..ADDED
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "eval-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an eval is gone",
    why: "Dashboards and alerts that read its results go silent, and a regression that it would show passes unseen.",
    fix: "Tell operators before, and publish a minor version; a replacement under the same id keeps the dashboards.",
    mirror: Mirror::Rule("eval-added"),
};

pub(super) const DISABLED: ChangeRule = ChangeRule {
    id: "eval-disabled",
    summary: "an eval is switched off",
    mirror: Mirror::Rule("eval-enabled"),
    ..REMOVED
};

/// A part of an eval that moves what its results mean.
const fn part(id: &'static str, summary: &'static str, why: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("ppm"),
        suggest: None,
        class: Class::Operations,
        certainty: Certainty::Proven,
        affected: &[Affected::Operator],
        safety: false,
        governance: false,
        summary,
        why,
        fix: "Mark the release in the dashboards; an eval with a new id beside the old one keeps both series apart.",
        mirror: Mirror::Itself,
    }
}

pub(super) const TYPE_CHANGED: ChangeRule = part(
    "eval-type-changed",
    "an eval judges by another method",
    "Results before and after cannot be compared, and the runtime has to know the new type.",
);

pub(super) const TRIGGER_CHANGED: ChangeRule = part(
    "eval-trigger-changed",
    "an eval runs at other moments",
    "The eval sees other turns or whole sessions, so the number of results, their cost and their mean move.",
);

pub(super) const SAMPLE_CHANGED: ChangeRule = part(
    "eval-sample-changed",
    "an eval samples another share",
    "More or fewer turns are judged: cost and certainty of the results move, the results themselves do not.",
);

pub(super) const PARAMS_CHANGED: ChangeRule = part(
    "eval-params-changed",
    "the parameters of an eval changed",
    "The same answers may score differently than before, so results cannot be compared across the release.",
);

pub(super) const THRESHOLD_CHANGED: ChangeRule = part(
    "eval-threshold-changed",
    "an eval passes at another score",
    "Answers of the same quality now pass or fail, so rates and the alerts on them move.",
);

pub(super) const WHEN_CHANGED: ChangeRule = part(
    "eval-when-changed",
    "the condition under which an eval runs changed",
    "Other turns are judged than before, so results cannot be compared across the release.",
);

pub(super) const GROUPS_CHANGED: ChangeRule = part(
    "eval-groups-changed",
    "an eval belongs to other groups",
    "Runs and reports that select evals by group take it in or leave it out.",
);

/// The share in percent that counts where nothing is said.
const SAMPLE: i64 = 5;

/// One eval as it counts on both sides, and the prompts for which it does.
struct Pair<'a> {
    old: Option<Eval<'a>>,
    new: Option<Eval<'a>>,
    prompts: Vec<&'a str>,
    unreachable: bool,
}

/// Places of both sides: what is the same for several prompts is one pair.
type Pairs<'a> = BTreeMap<(Option<u32>, Option<u32>), Pair<'a>>;

/// Evals by id; of several with one id the first counts.
type ById<'a> = BTreeMap<&'a str, Eval<'a>>;

/// States which evals came, went or changed.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for pair in pairs(comparison).into_values() {
        let (old, new) = (pair.old, pair.new);
        let scope = scope(&pair);
        let name = |eval: Eval<'a>| match scope.prompt {
            Some(prompt) => format!("eval `{}` of prompt `{prompt}`", id(eval)),
            None => format!("eval `{}`", id(eval)),
        };
        changes.scope(scope.clone());
        match (old, new) {
            (None, Some(new)) => {
                changes.report(&ADDED, At::added(*new), format!("new {}", name(new)));
            }
            (Some(old), None) => {
                changes.report(&REMOVED, At::removed(*old), format!("{} is gone", name(old)));
            }
            (Some(old), Some(new)) => compare_pair(old, new, &name(new), changes),
            (None, None) => {}
        }
    }
}

fn scope<'a>(pair: &Pair<'a>) -> Scope<'a> {
    let is_own = |eval: &Option<Eval<'a>>| {
        let list = eval.and_then(|eval| eval.parent());
        list.and_then(Node::parent).is_some_and(|owner| owner.parent().is_some())
    };
    let prompt = match &pair.prompts[..] {
        [only] if is_own(&pair.old) || is_own(&pair.new) => Some(*only),
        _ => None,
    };
    Scope { prompt, prompts: pair.prompts.clone(), unreachable: pair.unreachable }
}

fn id(eval: Eval<'_>) -> &str {
    eval.text("id").unwrap_or_default()
}

fn by_id<'a>(evals: impl Iterator<Item = Eval<'a>>) -> ById<'a> {
    let mut found = ById::new();
    for eval in evals {
        found.entry(id(eval)).or_insert(eval);
    }
    found
}

/// Every eval as some prompt meets it on either side.
///
/// Only ids that a prompt replaces are looked at per prompt; the rest of the pack's evals is the same for all.
fn pairs<'a>(comparison: &Comparison<'a>) -> Pairs<'a> {
    let shared = (by_id(comparison.old.pack.evals()), by_id(comparison.new.pack.evals()));
    let mut pairs = Pairs::new();
    let mut replaced: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut replaced_on_both: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in &comparison.prompt_pairs {
        let own = (by_id(pair.old.prompt.evals()), by_id(pair.new.prompt.evals()));
        for id in own.0.keys().chain(own.1.keys()).copied().collect::<BTreeSet<_>>() {
            let (old, new) = (own.0.get(id).copied(), own.1.get(id).copied());
            replaced.entry(id).or_default().insert(pair.key());
            *replaced_on_both.entry(id).or_default() += usize::from(old.is_some() && new.is_some());
            let old = old.or_else(|| shared.0.get(id).copied());
            let new = new.or_else(|| shared.1.get(id).copied());
            add(&mut pairs, old, new).prompts.push(pair.key());
        }
    }
    let all = comparison.prompt_pairs.len();
    for id in shared.0.keys().chain(shared.1.keys()).copied().collect::<BTreeSet<_>>() {
        let (old, new) = (shared.0.get(id).copied(), shared.1.get(id).copied());
        let replacing = replaced.get(id);
        let count = replacing.map_or(0, BTreeSet::len);
        let unreachable = all > 0 && replaced_on_both.get(id) == Some(&all);
        if (all > 0 && count == all && !unreachable) || equal(old, new) {
            continue;
        }
        let keys = comparison.prompt_pairs.iter().map(|pair| pair.key());
        let meets = |key: &&str| !replacing.is_some_and(|replacing| replacing.contains(key));
        let pair = add(&mut pairs, old, new);
        pair.prompts.extend(keys.filter(meets));
        pair.unreachable = unreachable;
    }
    pairs
}

fn add<'p, 'a>(pairs: &'p mut Pairs<'a>, old: Option<Eval<'a>>, new: Option<Eval<'a>>) -> &'p mut Pair<'a> {
    let place = |eval: Option<Eval<'_>>| eval.map(|eval| eval.span().start);
    pairs.entry((place(old), place(new))).or_insert(Pair {
        old,
        new,
        prompts: Vec::new(),
        unreachable: false,
    })
}

fn equal(old: Option<Eval<'_>>, new: Option<Eval<'_>>) -> bool {
    old.map(|eval| written(Some(*eval))) == new.map(|eval| written(Some(*eval)))
}

fn compare_pair<'a>(old: Eval<'a>, new: Eval<'a>, name: &str, changes: &mut Changes<'a>) {
    compare_switch(old, new, name, changes);
    metrics::compare(old, new, name, changes);
    let texts = [(&TYPE_CHANGED, "type"), (&TRIGGER_CHANGED, "trigger")];
    let blocks = [(&PARAMS_CHANGED, "params"), (&THRESHOLD_CHANGED, "threshold"), (&WHEN_CHANGED, "when")];
    for (rule, field) in texts.into_iter().chain(blocks) {
        if written(old.get(field)) != written(new.get(field)) {
            let message = format!("`{field}` of {name} changed");
            changes.report(rule, At::member(*old, *new, field), message);
        }
    }
    if sorted(old.get("groups")) != sorted(new.get("groups")) {
        let message = format!("{name} belongs to other groups");
        changes.report(&GROUPS_CHANGED, At::member(*old, *new, "groups"), message);
    }
    let sample = |eval: Eval<'_>| written(eval.get("sample_percentage")).unwrap_or(SAMPLE.to_string());
    if sample(old) != sample(new) {
        let message = format!("{name} samples {} % instead of {} %", sample(new), sample(old));
        let spot = |eval: Eval<'a>| Spot::member(*eval, "sample_percentage", SAMPLE);
        changes.report(&SAMPLE_CHANGED, At::spots(spot(old), spot(new)), message);
    }
}

fn compare_switch<'a>(old: Eval<'a>, new: Eval<'a>, name: &str, changes: &mut Changes<'a>) {
    let is_on = |eval: Eval<'_>| eval.flag("enabled") != Some(false);
    let (rule, does) = match (is_on(old), is_on(new)) {
        (false, true) => (&ENABLED, "runs now"),
        (true, false) => (&DISABLED, "is switched off"),
        _ => return,
    };
    let spot = |eval: Eval<'a>| Spot::member(*eval, "enabled", true);
    changes.report(rule, At::spots(spot(old), spot(new)), format!("{name} {does}"));
}
