//! Flags placeholders inside the values that variables fall back to.

use pack::Node;
use pack::template::placeholders;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "nested-placeholder",
    group: Group::Security,
    level: Level::Warn,
    summary: "a default or listed value that holds a placeholder",
    why: "PromptKit expands values again, other clients do not: the prompts differ, and a value can pull in text that its author never sees.",
    fix: "Write the value out, or compose the text in the template.",
    example: r#"{ "name": "greeting", "type": "string", "required": false, "default": "Hello {{name}}" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let members = variable.get("validation").and_then(|validation| validation.get("enum"));
        let values = variable.default_value().into_iter().chain(members).flat_map(Node::descendants);
        for value in values {
            let Some(text) = value.as_str() else { continue };
            let Some(placeholder) = placeholders(text, &pack.syntax).into_iter().next() else { continue };
            let shown = quoted(&text[placeholder.span.range()]);
            let message = format!(
                "a value of variable {} holds {shown}, which PromptKit expands",
                quoted(variable.name())
            );
            findings.report_placeholder(value, &placeholder, message);
        }
    }
}
