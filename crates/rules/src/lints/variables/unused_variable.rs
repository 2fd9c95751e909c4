//! Flags declared variables that nothing uses.

use std::collections::BTreeSet;

use pack::similar::Guesser;

use super::uses::{CheckUses, meant_variables};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::lints::templates::other_styles::OtherStyles;
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unused-variable",
    group: Group::Style,
    level: Level::Warn,
    summary: "a declared variable that nothing uses",
    why: "Callers collect and send a value that changes nothing, or the placeholder that should carry it is misspelled.",
    fix: "Remove the variable, or use it in the template. One that stays for callers who still send it is accepted with an `[[allow]]` entry.",
    example: r#""system_template": "Hello", "variables": [{ "name": "tone", "type": "string", "required": true }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let checks = CheckUses::of(pack);
    let styles = OtherStyles::of(pack);
    let guesser = Guesser::default();
    for prompt in pack.prompts() {
        let mut used = checks.used_variables(pack, prompt);
        let unused: BTreeSet<&str> = prompt.names.variables.difference(&used).copied().collect();
        if unused.is_empty() {
            continue;
        }
        used.extend(styles.in_prompt(prompt, &unused).keys());
        used.extend(meant_variables(&guesser, pack, prompt));
        for variable in prompt.prompt.variables() {
            if used.insert(variable.name()) {
                let name = quoted(variable.name());
                let message =
                    format!("no text of prompt {} uses variable {name}", quoted(prompt.prompt.name_key()));
                let place = variable.get("name").unwrap_or(*variable);
                findings.report(place, message).help("remove it, or use it in the template; accept it with `[[allow]]` where callers still send it");
            }
        }
    }
}
