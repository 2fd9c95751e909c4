//! Flags variables that stand in the template in another style.

use std::collections::BTreeSet;

use super::other_styles::OtherStyles;
use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::lints::variables::uses::CheckUses;
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-placeholder",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a declared variable in the style of another template language",
    why: "The value never reaches the prompt: the model reads the placeholder itself.",
    fix: "Write the variable in the syntax that the pack declares.",
    example: r#""system_template": "Hello {name}", "variables": [{ "name": "name", "type": "string", "required": true }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let checks = CheckUses::of(pack);
    let styles = OtherStyles::of(pack);
    for prompt in pack.prompts() {
        let used = checks.used_variables(pack, prompt);
        let unused: BTreeSet<&str> = prompt.names.variables.difference(&used).copied().collect();
        if unused.is_empty() {
            continue;
        }
        for (name, place) in styles.in_prompt(prompt, &unused) {
            let right = pack.syntax.write(name);
            let message = format!(
                "{} is no placeholder of this pack, and prompt {} declares variable {}",
                quoted(place.written),
                quoted(prompt.prompt.name_key()),
                quoted(name)
            );
            let edit = Edit { span: place.node.span_within(place.span), replacement: in_string(&right) };
            let draft = findings.report_part(place.node, place.span, message);
            draft.help(format!("write `{right}`")).suggested_fix(vec![edit]);
        }
    }
}

/// `text` as it stands inside a JSON string.
fn in_string(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
