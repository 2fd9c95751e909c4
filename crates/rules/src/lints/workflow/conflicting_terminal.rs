//! Flags terminal states that go on.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "conflicting-terminal",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a terminal state has transitions, or hands control to the agent",
    why: "The workflow completes there, so what should come next never happens.",
    fix: "Remove `terminal`, or what follows it.",
    example: r#"{ "terminal": true, "on_event": { "Reopened": "triage" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        let Some(terminal) = state.get("terminal").filter(|node| node.as_bool() == Some(true)) else {
            continue;
        };
        let has_events = state.get("on_event").is_some_and(|events| !events.is_empty());
        let of_agent = state.text("control") == Some("agent");
        let conflict = match (has_events, of_agent) {
            (true, true) => "has transitions and `control: agent`",
            (true, false) => "has transitions",
            (false, true) => "has `control: agent`",
            (false, false) => continue,
        };
        findings
            .report(terminal, format!("`{}` is terminal but {conflict}", state.name_key()))
            .help("remove `terminal`, or what should come after it");
    }
}
