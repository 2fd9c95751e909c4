//! Flags patterns that no runtime can compile.

use super::patterns::patterns;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::pattern;

pub(super) const LINT: Lint = Lint {
    id: "invalid-pattern",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a pattern that no regular expression dialect compiles",
    why: "A runtime that meets such a pattern refuses the pack, or drops the check without a word.",
    fix: "Repair the pattern at the place shown.",
    example: r#""validation": { "pattern": "^[a-z+$" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for node in patterns(pack) {
        let text = node.as_str().unwrap_or_default();
        if let Some(refusal) = pattern::judge(text).refused_by_all() {
            let message = format!("the pattern has {}: no dialect compiles it", refusal.what);
            findings.report_part(node, refusal.span, message);
        }
    }
}
