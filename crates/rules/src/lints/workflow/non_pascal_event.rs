//! Flags event names that are not PascalCase.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "non-pascal-event",
    group: Group::Style,
    level: Level::Off,
    summary: "an event name is not PascalCase",
    why: "Event names are part of what callers write; one style keeps them predictable.",
    fix: "Write the name in PascalCase.",
    example: r#""on_event": { "step_done": "review" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        for (event, target) in state.map("on_event").filter(|(event, _)| !is_pascal(event)) {
            let draft = findings.report_key(target, format!("the event `{event}` is not PascalCase"));
            let better = in_pascal(event);
            if is_pascal(&better) {
                draft.help(format!("`{better}` is; callers that send the event change with it"));
            }
        }
    }
}

fn is_pascal(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric)
}

fn in_pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    words
        .flat_map(|word| {
            let mut rest = word.chars();
            rest.next().into_iter().flat_map(char::to_uppercase).chain(rest)
        })
        .collect()
}
