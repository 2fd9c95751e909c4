//! Flags a sampling rate on evals that do not sample.

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "ignored-sample",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`sample_percentage` on a trigger that does not sample",
    why: "The eval runs every time, however small the percentage: costs are not what readers expect.",
    fix: "Use `sample_turns` or `sample_sessions`, or remove the percentage; `--fix` removes it.",
    example: r#"{ "trigger": "every_turn", "sample_percentage": 10 }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for eval in evals(pack) {
        let Some((trigger, sample)) = eval.text("trigger").zip(eval.get("sample_percentage")) else {
            continue;
        };
        if NEVER_SAMPLED.contains(&trigger) {
            findings
                .report_key(sample, format!("`sample_percentage` has no effect with the trigger `{trigger}`"))
                .help("use `sample_turns` or `sample_sessions`, or remove the percentage")
                .safe_fix(vec![Edit::removal(sample)]);
        }
    }
}

const NEVER_SAMPLED: [&str; 4] =
    ["every_turn", "on_session_complete", "on_conversation_complete", "on_workflow_step"];
