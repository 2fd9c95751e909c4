//! Flags variable types outside the five that every runtime knows.

use pack::similar::closest;

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unknown-variable-type",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a variable type outside the five basic ones",
    why: "The schema allows any word since 1.1, but PromptKit refuses to load a pack with any other type.",
    fix: "Use `string`, `number`, `boolean`, `object` or `array`.",
    example: r#"{ "name": "count", "type": "integer", "required": true }"#,
    check: Check::Pack(check),
};

const TYPES: [&str; 5] = ["string", "number", "boolean", "object", "array"];

/// What the words of other languages are called here.
const FOREIGN: [(&str, &str); 14] = [
    ("integer", "number"),
    ("int", "number"),
    ("float", "number"),
    ("double", "number"),
    ("str", "string"),
    ("text", "string"),
    ("bool", "boolean"),
    ("dict", "object"),
    ("map", "object"),
    ("struct", "object"),
    ("json", "object"),
    ("list", "array"),
    ("tuple", "array"),
    ("sequence", "array"),
];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let Some(node) = variable.get("type") else { continue };
        let Some(name) = node.as_str().filter(|name| !TYPES.contains(name)) else { continue };
        let message = format!(
            "type {} of variable {} is none that PromptKit loads",
            quoted(name),
            quoted(variable.name())
        );
        let lower = name.to_lowercase();
        let foreign = FOREIGN.iter().find(|(foreign, _)| *foreign == lower).map(|(_, known)| *known);
        let draft = findings.report(node, message);
        match foreign.or_else(|| closest(name, TYPES)) {
            Some(known) => {
                let edit = Edit { span: node.span(), replacement: format!("\"{known}\"") };
                draft.suggest(Some(known)).suggested_fix(vec![edit]);
            }
            None => {
                draft.help("the types are `string`, `number`, `boolean`, `object` and `array`");
            }
        }
    }
}
