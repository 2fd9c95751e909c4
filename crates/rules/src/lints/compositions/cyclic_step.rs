//! Flags steps that wait for each other.

use std::collections::BTreeSet;

use super::compositions;
use super::steps::{Steps, Wait, end, start};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "cyclic-step",
    group: Group::Correctness,
    level: Level::Error,
    summary: "steps that wait for each other",
    why: "The graph of a composition must be acyclic: none of these steps could ever start, and runtimes \
          refuse it.",
    fix: "Remove one of the dependencies. A loop belongs into the workflow, or into an agent step.",
    example: r#"{ "id": "draft", "kind": "prompt", "prompt_task": "draft", "depends_on": ["draft"] }"#,
    check: Check::Pack(check),
};

/// How many steps of a cycle a message names.
const SHOWN: usize = 6;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        let order = steps.order(true);
        if !order.is_cyclic() {
            continue;
        }
        let groups = order.groups();
        let mut reported = BTreeSet::new();
        for wait in steps.waits() {
            let (first, then) = (end(wait.first), start(wait.then));
            let (Some(node), true) = (wait.node, groups[first] == groups[then]) else { continue };
            if reported.insert(groups[first]) {
                let way = order.way(then, first, &groups);
                findings
                    .report(node, message(&steps, &wait, &way))
                    .help("remove one of these dependencies: each step starts after the one before it");
            }
        }
    }
}

fn message(steps: &Steps<'_>, wait: &Wait<'_>, way: &[usize]) -> String {
    let mut cycle: Vec<usize> = way.iter().map(|node| node / 2).collect();
    cycle.dedup();
    if cycle.len() == 1 {
        return format!("step `{}` waits for itself", steps.id(wait.then));
    }
    cycle.push(cycle[0]);
    let names: Vec<String> = cycle.iter().map(|&step| format!("`{}`", steps.id(step))).collect();
    if names.len() <= SHOWN {
        return format!("steps wait for each other: {}", names.join(" → "));
    }
    format!("{} steps wait for each other: {} → …", names.len() - 1, names[..SHOWN].join(" → "))
}
