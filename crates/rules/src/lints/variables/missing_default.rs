//! Flags optional variables that a template uses and that have no default.

use super::optional_and_used;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "missing-default",
    group: Group::Portability,
    level: Level::Warn,
    summary: "an optional variable without default that a template uses",
    why: "When a caller omits the value, PromptKit cannot render and sends the raw template, the JS client throws, and the Python client inserts nothing.",
    fix: "Give it a default, or make it required.",
    example: r#""system_template": "Answer in {{language}}", "variables": [{ "name": "language", "type": "string", "required": false }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in optional_and_used(pack) {
        if variable.default_value().is_some() || variable.is_auto_populated() {
            continue;
        }
        let name = quoted(variable.name());
        let message = format!("variable {name} is optional and used, and has no default");
        let place = variable.get("default").or(variable.get("name")).unwrap_or(*variable);
        findings.report(place, message).help("give it a default, or make it required");
    }
}
