//! Flags constraints that the type of their variable never reads.

use super::constraints::keywords_of;
use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "ignored-constraint",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a constraint that the type of its variable never reads",
    why: "The author believes that values are checked, and no runtime checks them.",
    fix: "Use the constraint that the type reads, or correct the type.",
    example: r#"{ "name": "count", "type": "number", "required": true, "validation": { "min_length": 1 } }"#,
    check: Check::Pack(check),
};

/// Constraints that say the same of texts and of numbers.
const TWINS: [(&str, &str); 4] = [
    ("min_length", "minimum"),
    ("max_length", "maximum"),
    ("minimum", "min_length"),
    ("maximum", "max_length"),
];

const CONSTRAINTS: [&str; 5] = ["pattern", "min_length", "max_length", "minimum", "maximum"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let Some(type_name) = variable.type_name() else { continue };
        let (Some(read), Some(validation)) = (keywords_of(type_name), variable.get("validation")) else {
            continue;
        };
        for (key, constraint) in validation.members() {
            if !CONSTRAINTS.contains(&key) || read.contains(&key) {
                continue;
            }
            let draft = findings
                .report_key(constraint, format!("a variable of type `{type_name}` never reads `{key}`"));
            let twin = TWINS.iter().find(|(ignored, _)| *ignored == key).map(|(_, twin)| *twin);
            let twin = twin.filter(|twin| read.contains(twin) && validation.get(twin).is_none());
            draft.suggest(twin);
            if let (Some(twin), Some(span)) = (twin, constraint.key_span()) {
                draft.suggested_fix(vec![Edit { span, replacement: format!("\"{twin}\"") }]);
            }
        }
    }
}
