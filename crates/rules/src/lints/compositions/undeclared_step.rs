//! Flags names of steps that a composition does not have.

use super::{all_references, called, compositions, steps::Steps};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-step",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a step id that the composition does not have",
    why: "The runtime cannot order the steps, or has no value for the reference, and refuses the composition.",
    fix: "Write the id of a step of the same composition; `input` names the composition's own input.",
    example: r#"{ "id": "reply", "kind": "prompt", "prompt_task": "reply", "depends_on": ["clasify"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for steps in compositions(pack) {
        if let Some(node) = steps.composition.get("output") {
            check_name(&steps, node, "`output`", &guesser, findings);
        }
        for placed in steps.all() {
            let step = placed.step;
            for (_, node) in step.texts("depends_on") {
                check_name(&steps, node, "`depends_on`", &guesser, findings);
            }
            for field in ["then", "else"].into_iter().filter(|_| step.kind() == Some("branch")) {
                if let Some(node) = step.get(field) {
                    check_name(&steps, node, &format!("`{field}`"), &guesser, findings);
                }
            }
        }
        check_references(&steps, &guesser, findings);
    }
}

fn check_name(steps: &Steps<'_>, node: Node<'_>, by: &str, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some(id) = node.as_str().filter(|id| steps.find(id).is_none()) else { return };
    findings
        .report(node, format!("{by} names step `{id}`, which the composition does not have"))
        .help("name a step of this composition, or add that step")
        .suggest(guesser.closest(id, steps.ids()));
}

fn check_references(steps: &Steps<'_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    for (placed, site, reference) in all_references(steps) {
        let Some(path) = &reference.path else { continue };
        if path.root == "input" || steps.find(path.root).is_some() {
            continue;
        }
        let (step, text, root) = (called(placed.step), reference.text, path.root);
        findings
            .report_part(
                site.node,
                reference.span,
                format!("step `{step}` reads `{text}`, but no step is called `{root}`"),
            )
            .help("start the reference with `input` or with the id of a step of this composition")
            .suggest(guesser.closest(root, steps.ids().chain(["input"])));
    }
}
