//! Flags required variables that have a default.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "required-default",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a required variable with a default",
    why: "Runtimes differ on whether the default rescues a call without the value: PromptKit's SDK uses it, its bare renderer does not, and the specification forbids the combination in words.",
    fix: "Drop the default when callers must send the value; set `required` to false when the default may serve.",
    example: r#"{ "name": "company", "type": "string", "required": true, "default": "Acme" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        if let (true, Some(default)) = (variable.is_required(), variable.default_value()) {
            let message = format!("variable {} is required and has a default", quoted(variable.name()));
            findings.report_key(default, message).help("set `required` to false, or drop the default");
        }
    }
}
