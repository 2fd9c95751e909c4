//! Flags controls that rest on a governance field which is not stated.

use super::{Effective, controls};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::closest;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-governance-field",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a control names a governance field that is unknown or not stated",
    why: "The obligation counts as controlled, but the statement it rests on is missing.",
    fix: "State the field, or name the one that is meant.",
    example: r#""controls": [{ "field": "autonomy_levl" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for effective in Effective::all(pack) {
        for node in controls(effective.own).filter_map(|control| control.get("field")) {
            let Some(field) = node.as_str() else { continue };
            if !FIELDS.contains(&field) {
                findings
                    .report(node, format!("governance has no field `{field}`"))
                    .help("name a governance field, such as `autonomy_level`")
                    .suggest_for(node, closest(field, FIELDS));
            } else if effective.get(field).is_none() {
                findings
                    .report(
                        node,
                        format!("the control rests on `{field}`, which the governance does not state"),
                    )
                    .help(format!("state `{field}`"));
            }
        }
    }
}

const FIELDS: [&str; 15] = [
    "vocabularies",
    "intended_purpose",
    "foreseeable_misuse",
    "autonomy_level",
    "accountable_owner",
    "operator_role",
    "risk_classification",
    "intended_deployment_contexts",
    "capabilities",
    "approved_environments",
    "requires_ai_disclosure",
    "independent_of",
    "obligations",
    "reviews",
    "extensions",
];
