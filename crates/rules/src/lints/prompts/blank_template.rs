//! Flags system templates that hold nothing but whitespace.

use pack::template::expand;

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "blank-template",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a system template of nothing but whitespace",
    why: "The model gets no instructions, and some providers refuse a call with a blank system prompt.",
    fix: "Write the template, or the text of the fragments that it consists of.",
    example: r#""system_template": "\n""#,
    check: Check::Pack(check),
};

/// A longer expansion is not blank: fragments that hold so much whitespace are none that people write.
const MAX_EXPANDED: usize = 1 << 16;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for prompt in pack.prompts() {
        let Some(node) = prompt.prompt.get("system_template") else { continue };
        let Some(text) = node.as_str().filter(|text| !text.is_empty()) else { continue };
        let key = quoted(prompt.prompt.name_key());
        if text.trim().is_empty() {
            findings.report(node, format!("the template of prompt {key} holds no text"));
        } else if text.trim_start().starts_with(pack.syntax.open()) && expands_to_nothing(pack, prompt, text)
        {
            findings.report(node, format!("the fragments of prompt {key} hold no text"));
        }
    }
}

fn expands_to_nothing(pack: &Facts<'_>, prompt: &PromptFacts<'_>, text: &str) -> bool {
    let fragment = |key: &str| pack.pack.fragment(key);
    let expansion = expand(text, &pack.syntax, &prompt.names, &fragment, MAX_EXPANDED);
    expansion.is_ok_and(|expansion| !expansion.unresolved && expansion.text.trim().is_empty())
}
