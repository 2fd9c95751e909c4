//! Flags prompts that use placeholders and declare no variables at all.

use std::collections::BTreeSet;

use pack::template::Class;

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::{listed, quoted};

pub(super) const LINT: Lint = Lint {
    id: "missing-variables",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a prompt uses placeholders and declares no variables",
    why: "Nobody who calls the prompt can see what it needs, and no runtime can check a call before it sends it.",
    fix: "Declare each name under `variables` with its type and whether it is required.",
    example: r#""hello": { "system_template": "Hello {{name}}" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for prompt in pack.prompts() {
        let variables = prompt.prompt.get("variables");
        if variables.is_some_and(|list| !list.is_array() || !list.is_empty()) {
            continue;
        }
        let names = undeclared_names(pack, prompt);
        if names.is_empty() {
            continue;
        }
        let key = quoted(prompt.prompt.name_key());
        let placeholders: Vec<String> = names.iter().map(|name| format!("{{{{{name}}}}}")).collect();
        let used = listed(placeholders.iter().map(String::as_str));
        let message = format!("prompt {key} uses {used} and declares no variables");
        let place = variables.unwrap_or(*prompt.prompt);
        findings.report_key(place, message).help("declare them under `variables`");
    }
}

fn undeclared_names<'a>(pack: &Facts<'a>, prompt: &PromptFacts<'a>) -> BTreeSet<&'a str> {
    let undeclared = |class| match class {
        Class::Undeclared(name) => Some(name),
        _ => None,
    };
    prompt.all_uses(pack).filter_map(|place| undeclared(place.class)).collect()
}
