//! Flags optional variables whose default is the empty text.

use super::optional_and_used;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "empty-default",
    group: Group::Portability,
    level: Level::Info,
    summary: "an optional variable whose default is the empty text",
    why: "PromptKit takes an empty default for none: the placeholder stays and the raw template is sent. Other clients insert nothing.",
    fix: "Choose a default with some text, or make the variable required.",
    example: r#"{ "name": "tone", "type": "string", "required": false, "default": "" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in optional_and_used(pack) {
        let Some(default) = variable.default_value().filter(|default| default.as_str() == Some("")) else {
            continue;
        };
        let message = format!(
            "the default of variable {} is empty, which PromptKit takes for none",
            quoted(variable.name())
        );
        findings.report(default, message);
    }
}
