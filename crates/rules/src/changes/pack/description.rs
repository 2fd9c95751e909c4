//! Descriptions of things that no other rule speaks of.

use std::collections::BTreeMap;

use pack::json::Node;
use pack::model::{Eval, Pack};

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
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

/// Described things by their kind and their name among their kind.
type Described<'a> = BTreeMap<(&'static str, String), Node<'a>>;

/// States that the description of a part that both versions have moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let news = described(comparison.new.pack);
    for ((kind, name), old) in described(comparison.old.pack) {
        if let Some(new) = news.get(&(kind, name.clone())) {
            report(kind, &name, old, *new, changes);
        }
    }
}

fn report<'a>(kind: &str, name: &str, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    for field in ["description", "message"] {
        let speaks = field == "description" || kind == "eval";
        if speaks && old.text(field) != new.text(field) {
            let name = name.rsplit('/').next().unwrap_or(name);
            changes.report(
                &CHANGED,
                At::member(old, new, field),
                format!("the {field} of {kind} `{name}` changed"),
            );
        }
    }
}

fn described(pack: Pack<'_>) -> Described<'_> {
    let mut found = Described::new();
    let mut add = |kind, name: String, node| {
        found.entry((kind, name)).or_insert(node);
    };
    for state in
        pack.workflow().into_iter().flat_map(|workflow| workflow.states()).filter(|s| is_effective(**s))
    {
        add("state", state.name_key().to_owned(), *state);
        for (name, artifact) in state.map("artifacts") {
            add("artifact", format!("{}/{name}", state.name_key()), artifact);
        }
    }
    for composition in pack.compositions().filter(|composition| is_effective(**composition)) {
        let name = composition.key().unwrap_or_default();
        add("composition", name.to_owned(), *composition);
        for step in composition.all_steps() {
            add("step", format!("{name}/{}", step.id().unwrap_or_default()), *step);
        }
    }
    let eval = |scope: &str, eval: Eval<'_>| format!("{scope}/{}", eval.text("id").unwrap_or_default());
    for own in pack.evals() {
        add("eval", eval("", own), *own);
    }
    for prompt in pack.prompts() {
        prompt.evals().for_each(|own| add("eval", eval(prompt.name_key(), own), *own));
    }
    for provider in pack.providers() {
        add("provider", provider.name_key().unwrap_or_default().to_owned(), *provider);
    }
    found
}
