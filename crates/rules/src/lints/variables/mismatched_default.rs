//! Flags defaults that their own variable refuses.

use super::constraints::Constraints;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-default",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a default that its own variable refuses",
    why: "Every call that relies on the default fails the check that the variable itself declares.",
    fix: "Choose a default that fits, or correct the type or the constraint.",
    example: r#"{ "name": "count", "type": "number", "required": false, "default": "three" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let Some(default) = variable.default_value() else { continue };
        if let Some(reason) = Constraints::of(variable).refuse(default) {
            let message = format!("the default of variable {} {reason}", quoted(variable.name()));
            findings.report(default, message);
        }
    }
}
