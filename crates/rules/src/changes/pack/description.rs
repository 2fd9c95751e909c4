//! Descriptions of things that no other rule speaks of.

use std::collections::BTreeMap;

use pack::json::Node;
use pack::model::{Eval, Provider};

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::compositions;
use crate::changes::report::{At, Changes};
use crate::changes::side::is_effective;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "description-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the description of a part changed",
    why: "People read the description of states, steps, artifacts, compositions, evals and providers; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States that the description of a part that both versions have moved, under its old name or a new one.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for (old, new) in comparison.states.pairs() {
        report("state", new.name_key(), *old, *new, changes);
        let slots = new.get("artifacts");
        for (name, artifact) in old.map("artifacts").filter(|(_, artifact)| is_effective(*artifact)) {
            if let Some(now) = slots.and_then(|slots| slots.get(name)) {
                report("artifact", name, artifact, now, changes);
            }
        }
    }
    for (old, new) in comparison.compositions.pairs() {
        report("composition", new.key().unwrap_or_default(), *old, *new, changes);
    }
    for (old, new) in compositions::steps(comparison) {
        report("step", new.id().unwrap_or_default(), *old, *new, changes);
    }
    let (old, new) = (comparison.old.pack, comparison.new.pack);
    compare_evals(old.evals(), new.evals(), changes);
    for (old, new) in comparison.prompts.pairs() {
        compare_evals(old.prompt.evals(), new.prompt.evals(), changes);
    }
    let named = |provider: Provider<'a>| Some((provider.name_key()?, *provider));
    let now = first(new.providers().filter_map(named));
    for (key, provider) in first(old.providers().filter_map(named)) {
        let key = comparison.renamed_providers.get(key).copied().unwrap_or(key);
        if let Some(now) = now.get(key) {
            report("provider", key, provider, *now, changes);
        }
    }
}

fn compare_evals<'a>(
    old: impl Iterator<Item = Eval<'a>>,
    new: impl Iterator<Item = Eval<'a>>,
    changes: &mut Changes<'a>,
) {
    let named = |eval: Eval<'a>| (eval.text("id").unwrap_or_default(), *eval);
    let now = first(new.map(named));
    for (id, eval) in first(old.map(named)) {
        if let Some(now) = now.get(id) {
            report("eval", id, eval, *now, changes);
        }
    }
}

/// Things by their name; of several with one name the first counts.
fn first<'a>(named: impl Iterator<Item = (&'a str, Node<'a>)>) -> BTreeMap<&'a str, Node<'a>> {
    let mut found = BTreeMap::new();
    for (name, node) in named {
        found.entry(name).or_insert(node);
    }
    found
}

fn report<'a>(kind: &str, name: &str, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    for field in ["description", "message"] {
        let speaks = field == "description" || kind == "eval";
        if speaks && old.text(field) != new.text(field) {
            let message = format!("the {field} of {kind} `{name}` changed");
            changes.report(&CHANGED, At::member(old, new, field), message);
        }
    }
}
