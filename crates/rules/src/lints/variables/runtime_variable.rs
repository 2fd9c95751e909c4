//! Flags names that only the reference runtime fills in.

use pack::template::{Class, RUNTIME_NAMES};

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "runtime-variable",
    group: Group::Portability,
    level: Level::Info,
    summary: "a date or time that only PromptKit fills in",
    why: "Other clients have no such value: the Python client inserts nothing and the JS client throws.",
    fix: "Declare the variable and let callers send it, or list it under `host-variables` when every host supplies it.",
    example: r#""system_template": "Today is {{current_date}}.""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let only_promptkit = |prompt: &PromptFacts<'_>, class: Class<'_>| {
        let Class::Runtime(name) = class else { return false };
        let is_clock = name.starts_with("current_") && RUNTIME_NAMES.contains(&name);
        is_clock && !prompt.names.any_host_name && !prompt.names.host.contains(name)
    };
    for place in pack.rendered() {
        let Some(place) = place.only(only_promptkit) else { continue };
        let message = format!("{} uses {}, which only PromptKit fills in", place.holder(), place.shown());
        let draft = findings.report_placeholder(place.node, place.placeholder, message);
        draft.help(format!("declare it in {} and let callers send it", place.users()));
    }
}
