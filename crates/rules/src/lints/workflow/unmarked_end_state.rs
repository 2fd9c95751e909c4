//! Flags states that end the workflow without saying so.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "unmarked-end-state",
    group: Group::Style,
    level: Level::Info,
    summary: "a state has no way out and is not marked as an end",
    why: "Nobody can tell an end from a forgotten transition, and runtimes differ on whether the workflow is complete there.",
    fix: "Set `terminal` to true, or add the transitions.",
    example: r#""closing": { "prompt_task": "closing" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.spec() < SpecVersion::V1_4 {
        return;
    }
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        const WAYS_OUT: [&str; 3] = ["on_event", "max_visits", "on_max_visits"];
        let goes_on = WAYS_OUT.iter().any(|key| state.get(key).is_some());
        let others_decide = matches!(state.orchestration(), "external" | "composition");
        if !goes_on && !others_decide && state.flag("terminal") != Some(true) {
            findings
                .report_key(
                    state.0,
                    format!("`{}` has no transition and is not `terminal`", state.name_key()),
                )
                .help("add `\"terminal\": true`, or the transitions");
        }
    }
}
