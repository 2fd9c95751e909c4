//! Flags metrics that two evals declare with different types.

use std::collections::{BTreeMap, BTreeSet};

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "conflicting-metric",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "two evals declare one metric with different types",
    why: "A metrics store refuses the second type, or mixes values that mean different things.",
    fix: "Give the metric one type, or the second one another name.",
    example: r#""metric": { "name": "tone", "type": "gauge" } … "metric": { "name": "tone", "type": "counter" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    // Per metric and type the ids of the evals that declare it so.
    let mut known: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for eval in evals(pack) {
        let Some(metric) = eval.get("metric") else { continue };
        let Some((name, place)) = metric.text("name").zip(metric.get("type")) else { continue };
        let (Some(kind), Some(id)) = (place.as_str(), eval.text("id")) else { continue };
        if !TYPES.contains(&kind) {
            continue;
        }
        let types = known.entry(name).or_default();
        // An eval of a prompt overrides the eval of the pack with its id.
        let others = types.iter().filter(|(other, _)| **other != kind);
        let conflict =
            others.filter_map(|(other, ids)| Some((*other, *ids.iter().find(|known| **known != id)?)));
        if let Some((other, owner)) = conflict.min() {
            findings
                .report(
                    place,
                    format!("the metric `{name}` is a {kind} here and a {other} in the eval `{owner}`"),
                )
                .help("give it one type, or choose another name");
        }
        types.entry(kind).or_default().insert(id);
    }
}

const TYPES: [&str; 4] = ["gauge", "counter", "histogram", "boolean"];
