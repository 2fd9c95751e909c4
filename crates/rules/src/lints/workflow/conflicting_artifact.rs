//! Flags artifacts that two states declare differently.

use std::collections::BTreeMap;

use super::graph::Graph;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "conflicting-artifact",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "two states declare one artifact with different types or modes",
    why: "The slot is shared: what one state writes, the other one reads as something else.",
    fix: "Declare the artifact alike, or give one of the two another name.",
    example: r#""plan": { "artifacts": { "log": { "type": "text/plain" } } }, "test": { "artifacts": { "log": { "type": "application/json" } } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    let mut first: BTreeMap<&str, (&str, Node<'_>)> = BTreeMap::new();
    for state in Graph::of(workflow).states() {
        for (name, artifact) in state.map("artifacts") {
            let (owner, known) = *first.entry(name).or_insert((state.name_key(), artifact));
            compare(name, artifact, owner, known, findings);
        }
    }
}

fn compare(name: &str, artifact: Node<'_>, owner: &str, known: Node<'_>, findings: &mut Findings<'_>) {
    if let (Some(here), Some(there)) = (artifact.text("type"), known.text("type"))
        && !here.eq_ignore_ascii_case(there)
    {
        let place = artifact.get("type").unwrap_or(artifact);
        findings
            .report(place, format!("the artifact `{name}` is `{here}` here and `{there}` in `{owner}`"))
            .help("declare it alike, or choose another name");
    }
    let mode = |artifact: Node<'_>| artifact.text("mode").unwrap_or("replace").to_owned();
    let (here, there) = (mode(artifact), mode(known));
    if here != there {
        let message = format!("the artifact `{name}` has the mode `{here}` here and `{there}` in `{owner}`");
        let draft = match artifact.get("mode") {
            Some(place) => findings.report(place, message),
            None => findings.report_key(artifact, message),
        };
        draft.help("declare it alike, or choose another name");
    }
}
