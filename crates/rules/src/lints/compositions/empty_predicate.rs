//! Flags predicates that combine nothing.

use super::{called, compositions, predicates};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "empty-predicate",
    group: Group::Portability,
    level: Level::Warn,
    summary: "`all_of` or `any_of` without items",
    why: "The schema allows the empty list, PromptKit refuses it, and whether it holds differs between \
          runtimes.",
    fix: "List at least one predicate, or test something that always holds.",
    example: r#""predicate": { "all_of": [] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        for placed in steps.all() {
            for predicate in predicates(placed.step) {
                for field in ["all_of", "any_of"] {
                    let Some(list) = predicate.get(field).filter(|list| list.is_array() && list.is_empty())
                    else {
                        continue;
                    };
                    let step = called(placed.step);
                    findings
                        .report(list, format!("`{field}` in the predicate of step `{step}` has no items"))
                        .help("list at least one predicate; PromptKit refuses the empty list");
                }
            }
        }
    }
}
