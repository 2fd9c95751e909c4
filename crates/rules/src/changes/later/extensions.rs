//! Data of vendors, whose content only they understand.

use std::collections::BTreeMap;

use pack::json::Node;
use pack::model::Eval;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Scope};
use crate::changes::tools::tool_scope;
use crate::changes::value::written;
use crate::changes::workflow::state_scope;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "extensions-changed",
    bumps: Bumps::table("-pm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "vendor data changed",
    why: "The format gives `extensions` no meaning; a host or a tool that reads them may act otherwise, and whether one does is not visible in the pack.",
    fix: "Ask whoever reads the data; nothing else has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States where vendor data moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for (old, new) in comparison.tools.pairs() {
        let key = new.name_key();
        changes.scope(tool_scope(comparison, old.name_key(), key));
        compare_pair(*old, *new, &format!("tool `{key}`"), changes);
        if let (Some(old), Some(new)) = (old.get("action_scope"), new.get("action_scope")) {
            compare_pair(old, new, &format!("the action scope of tool `{key}`"), changes);
        }
    }
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        let (old, new) = (pair.old.prompt, pair.new.prompt);
        compare_pair(*old, *new, &format!("prompt `{}`", pair.key()), changes);
        for (old, new) in pair.validators.pairs() {
            let kind = new.text("type").unwrap_or_default();
            compare_pair(*old, *new, &format!("validator `{kind}` of prompt `{}`", pair.key()), changes);
        }
        compare_evals(old.evals(), new.evals(), changes);
    }
    changes.scope(Scope::default());
    compare_evals(comparison.old.pack.evals(), comparison.new.pack.evals(), changes);
    for ((_, old), (key, new)) in comparison.members.pairs() {
        compare_pair(*old, *new, &format!("agent `{key}`"), changes);
    }
    for (old, new) in comparison.compositions.pairs() {
        compare_pair(*old, *new, &format!("composition `{}`", new.key().unwrap_or_default()), changes);
    }
    for (old, new) in comparison.states.pairs() {
        changes.scope(state_scope(comparison, old.name_key(), new.name_key()));
        compare_pair(*old, *new, &format!("state `{}`", new.name_key()), changes);
    }
}

fn compare_evals<'a>(
    old: impl Iterator<Item = Eval<'a>>,
    new: impl Iterator<Item = Eval<'a>>,
    changes: &mut Changes<'a>,
) {
    let news: BTreeMap<&str, Eval<'a>> = new.filter_map(|eval| Some((eval.text("id")?, eval))).collect();
    for old in old {
        if let Some((id, new)) = old.text("id").and_then(|id| news.get_key_value(id)) {
            compare_pair(*old, **new, &format!("eval `{id}`"), changes);
        }
    }
}

/// Compares the vendor data of two owners.
pub(super) fn compare_pair<'a>(old: Node<'a>, new: Node<'a>, of: &str, changes: &mut Changes<'a>) {
    compare_values(old.get("extensions"), new.get("extensions"), of, changes);
}

/// Compares the vendor data of one owner.
pub(super) fn compare_values<'a>(
    old: Option<Node<'a>>,
    new: Option<Node<'a>>,
    of: &str,
    changes: &mut Changes<'a>,
) {
    if written(old) != written(new) {
        changes.report(&CHANGED, At::either(old, new), format!("the vendor data of {of} changed"));
    }
}
