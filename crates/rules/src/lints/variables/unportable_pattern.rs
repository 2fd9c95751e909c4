//! Flags patterns that only some runtimes can compile.

use super::patterns::patterns;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::pattern;

pub(super) const LINT: Lint = Lint {
    id: "unportable-pattern",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a pattern that only some regular expression dialects compile",
    why: "PromptKit compiles patterns as RE2, the Python client with `re`, the JS client with `RegExp`: what one lacks is refused or means something else there.",
    fix: "Write the pattern with what all three have: classes, groups, `(?:…)`, anchors, plain quantifiers.",
    example: r#""validation": { "pattern": "^(?!admin)[a-z]+$" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for node in patterns(pack) {
        let verdict = pattern::judge(node.as_str().unwrap_or_default());
        let (None, Some(refusal)) = (verdict.refused_by_all(), verdict.first_refusal()) else { continue };
        let (compiling, others) = (verdict.names(true).join(" and "), verdict.names(false).join(" or "));
        let message = if compiling.is_empty() {
            format!("the pattern has {}: no two dialects read the pattern alike", refusal.what)
        } else {
            format!("the pattern has {}: it works in {compiling}, not in {others}", refusal.what)
        };
        findings.report_part(node, refusal.span, message).help("write it with what all dialects have");
    }
}
