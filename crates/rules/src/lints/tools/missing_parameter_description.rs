//! Flags tool parameters without description.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-parameter-description",
    group: Group::Style,
    level: Level::Off,
    summary: "a parameter of a tool has no description",
    why: "The model fills the argument by its name alone.",
    fix: "Say in a sentence what the argument is and in which form it is expected.",
    example: r#""properties": { "city": { "type": "string" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for tool in pack.pack.tools() {
        let properties = tool.parameters().into_iter().flat_map(|parameters| parameters.map("properties"));
        for (name, schema) in properties {
            // What a reference leads to may hold the description.
            if schema.is_object() && schema.get("description").is_none() && schema.get("$ref").is_none() {
                let message = format!("the parameter `{name}` of `{}` has no description", tool.name_key());
                findings.report_key(schema, message).help("add a `description`: the model reads it");
            }
        }
    }
}
