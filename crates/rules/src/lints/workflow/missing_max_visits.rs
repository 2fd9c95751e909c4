//! Flags `on_max_visits` without the limit that triggers it.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-max-visits",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`on_max_visits` without `max_visits`",
    why: "The limit is never reached, so the transition never happens.",
    fix: "Add `max_visits`, or remove `on_max_visits`.",
    example: r#"{ "prompt_task": "implement", "on_max_visits": "review" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        let Some(overflow) = state.get("on_max_visits") else { continue };
        if state.get("max_visits").is_none() {
            findings
                .report_key(overflow, format!("`{}` has `on_max_visits` but no limit", state.name_key()))
                .help("add `max_visits`");
        }
    }
}
