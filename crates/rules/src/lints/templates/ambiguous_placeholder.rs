//! Flags placeholders whose name is both a variable and a fragment.

use pack::template::Class;

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "ambiguous-placeholder",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a placeholder that names both a variable and a fragment",
    why: "Most clients insert the variable, the JS client the fragment: one pack gives two prompts.",
    fix: "Rename the variable or the fragment; write `{{fragments.x}}` where the fragment is meant.",
    example: r#""system_template": "{{greeting}}", "variables": [{ "name": "greeting", "type": "string", "required": true }] … "fragments": { "greeting": "Hello!" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let is_variable = |_: &PromptFacts<'_>, class: Class<'_>| matches!(class, Class::Variable(_));
    for place in pack.rendered() {
        let Some(name) = place.placeholder.name().filter(|name| pack.fragments().contains_key(name)) else {
            continue;
        };
        let Some(place) = place.only(is_variable) else { continue };
        let message =
            format!("{} names a variable of {} and a fragment of the pack", place.shown(), place.users());
        let help = format!("rename one of them, or write `{{{{fragments.{name}}}}}` for the fragment");
        findings.report_placeholder(place.node, place.placeholder, message).help(help);
    }
}
