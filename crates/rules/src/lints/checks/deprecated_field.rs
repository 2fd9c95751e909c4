//! Flags `fail_on_violation`, which has no effect any more.

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "deprecated-field",
    group: Group::Portability,
    level: Level::Warn,
    summary: "`fail_on_violation` has no effect since spec 1.7",
    why: "From 1.7 on every validator that is present and enabled enforces, so `false` no longer lets a response pass.",
    fix: "Remove the field; to observe without blocking, write an eval instead of a validator.",
    example: r#"{ "type": "banned_words", "params": { "words": ["cheap"] }, "fail_on_violation": false }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.spec() < SpecVersion::V1_7 {
        return;
    }
    for validator in pack.prompts().iter().flat_map(|prompt| prompt.prompt.validators()) {
        let Some(field) = validator.get("fail_on_violation") else { continue };
        let draft = if field.as_bool() == Some(false) {
            findings
                .report_key(
                    field,
                    "`fail_on_violation: false` no longer lets a response pass: this validator blocks it",
                )
                .help("to observe without blocking, write an eval; else remove the field")
        } else {
            findings
                .report_key(field, "`fail_on_violation` has no effect since spec 1.7")
                .help("remove it: a validator that is enabled enforces")
        };
        draft.suggested_fix(vec![Edit::removal(field)]);
    }
}
