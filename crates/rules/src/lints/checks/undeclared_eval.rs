//! Flags names of evals that the pack does not have.

use std::collections::BTreeSet;

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-eval",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a step, control or review names an eval that the pack does not have",
    why: "The check that readers count on never runs.",
    fix: "Declare the eval, or correct its id.",
    example: r#""modifiers": { "eval": ["tone-chek"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    if pack.pack.get("evals").is_some_and(|evals| !evals.is_array()) {
        return;
    }
    let ids: BTreeSet<&str> = evals(pack).filter_map(|eval| eval.text("id")).collect();
    let steps = pack.pack.all_steps().filter_map(|step| step.get("modifiers"));
    let of_steps = steps.flat_map(|modifiers| modifiers.list("eval"));
    let of_governance = pack.pack.governances().flat_map(|governance| {
        let controls = governance.list("obligations").flat_map(|obligation| obligation.list("controls"));
        controls.chain(governance.list("reviews")).filter_map(|owner| owner.get("eval"))
    });
    for node in of_steps.chain(of_governance) {
        if let Some(id) = node.as_str().filter(|id| !ids.contains(id)) {
            findings
                .report(node, format!("neither the pack nor a prompt has the eval `{id}`"))
                .help("name the `id` of an eval")
                .suggest_for(node, guesser.closest(id, ids.iter().copied()));
        }
    }
}
