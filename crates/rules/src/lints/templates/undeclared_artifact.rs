//! Flags artifacts that no state of the workflow declares.

use std::collections::BTreeSet;

use pack::SpecVersion;
use pack::similar::Guesser;

use super::artifact_names;
use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-artifact",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a template names an artifact that no state declares",
    why: "No state can ever fill the slot, so the placeholder stays in the prompt.",
    fix: "Declare the artifact under `artifacts` of the state that produces it, or correct the name.",
    example: r#""system_template": "Go on with {{artifacts.plan}}.""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.spec() < SpecVersion::V1_4 {
        return;
    }
    let declared: BTreeSet<&str> = artifact_names(pack);
    let guesser = Guesser::default();
    for place in pack.rendered() {
        let Some(name) = place.placeholder.artifact().filter(|name| !declared.contains(name)) else {
            continue;
        };
        let message = format!(
            "{} uses {}, and no state declares an artifact {}",
            place.holder(),
            place.shown(),
            quoted(name)
        );
        let near = guesser.closest(name, declared.iter().copied());
        let draft = findings.report_placeholder(place.node, place.placeholder, message);
        match (near, place.span_of(name)) {
            (Some(near), Some(span)) => {
                draft.suggest(Some(near)).suggested_fix(vec![Edit { span, replacement: near.to_owned() }]);
            }
            _ => {
                draft.help("declare it under `artifacts` of the state that produces it");
            }
        }
    }
}
