//! Flags ids that stand twice in one scope.

use std::collections::BTreeMap;

use pack::Node;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "duplicate-id",
    group: Group::Correctness,
    level: Level::Error,
    summary: "an id that stands twice in one scope",
    why: "A reference to the id reaches one of the two, and runtimes differ on which.",
    fix: "Rename one of them.",
    example: r#""variables": [{ "name": "city", … }, { "name": "city", … }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let root = pack.pack;
    let prompts = root.prompts();
    unique("prompt id", prompts.clone().filter_map(|prompt| prompt.get("id")), findings);
    unique("tool name", root.tools().filter_map(|tool| tool.get("name")), findings);
    unique("eval id", root.evals().filter_map(|eval| eval.get("id")), findings);
    for prompt in prompts.clone() {
        unique("variable name", prompt.variables().filter_map(|variable| variable.get("name")), findings);
        unique("eval id", prompt.evals().filter_map(|eval| eval.get("id")), findings);
    }
    let validators = prompts.flat_map(|prompt| prompt.validators());
    unique("validator id", validators.filter_map(|validator| validator.get("id")), findings);
    for composition in root.compositions() {
        let mut ids: Vec<Node<'_>> =
            composition.all_steps().into_iter().filter_map(|step| step.get("id")).collect();
        ids.sort_by_key(|id| id.span());
        unique("step id", ids, findings);
    }
    let keys = root
        .providers()
        .filter_map(|provider| if provider.is_object() { provider.get("key") } else { Some(*provider) });
    unique("provider key", keys, findings);
    for governance in root.governances() {
        for (what, list) in [("obligation id", "obligations"), ("review id", "reviews")] {
            unique(what, governance.list(list).filter_map(|entry| entry.get("id")), findings);
        }
    }
}

/// Reports every name after the first of its spelling.
fn unique<'a>(what: &str, names: impl IntoIterator<Item = Node<'a>>, findings: &mut Findings<'_>) {
    let mut first: BTreeMap<&str, Node<'a>> = BTreeMap::new();
    for node in names {
        let Some(name) = node.as_str() else { continue };
        if let Some(known) = first.get(name) {
            let message = format!("the {what} {} stands twice, at `{}` first", quoted(name), known.pointer());
            findings.report(node, message).help("rename one of them");
        } else {
            first.insert(name, node);
        }
    }
}
