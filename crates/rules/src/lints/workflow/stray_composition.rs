//! Flags `composition` on a state that does not run one.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "stray-composition",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a state names a composition but is orchestrated otherwise",
    why: "The composition never runs: only a state whose orchestration is `composition` has one.",
    fix: "Set `orchestration` to `composition`, or remove the field.",
    example: r#"{ "prompt_task": "triage", "composition": "intake" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        let Some(composition) = state.get("composition") else { continue };
        let message = match (state.get("orchestration"), state.orchestration()) {
            (None, _) => "`composition` is set, but the state has no `orchestration`".to_owned(),
            (_, other @ ("internal" | "external" | "hybrid")) => {
                format!("`composition` is set, but the orchestration is `{other}`")
            }
            _ => continue,
        };
        findings
            .report_key(composition, message)
            .help("set `orchestration` to `composition`, or remove the field");
    }
}
