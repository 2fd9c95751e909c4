//! Flags bindings that the runtime should fill and that do not say from where.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::{listed, quoted};

pub(super) const LINT: Lint = Lint {
    id: "incomplete-binding",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a binding that fills a variable from nowhere",
    why: "With `auto_populate` callers stop sending the value, and without `kind` and `field` the runtime has nothing to read it from.",
    fix: "Name the source in `kind` and the field in `field`, or drop `auto_populate`.",
    example: r#""binding": { "kind": "session", "auto_populate": true }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let Some(binding) = variable.get("binding").filter(|_| variable.is_auto_populated()) else {
            continue;
        };
        let absent: Vec<&str> =
            ["kind", "field"].into_iter().filter(|key| binding.get(key).is_none()).collect();
        if !absent.is_empty() {
            let message = format!(
                "the binding of variable {} has `auto_populate` and lacks {}",
                quoted(variable.name()),
                listed(absent)
            );
            findings.report_key(binding, message).help("say where the runtime reads the value");
        }
    }
}
