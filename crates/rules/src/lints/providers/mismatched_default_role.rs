//! Flags a default provider that is no language model.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "mismatched-default-role",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "the provider `default` has another role than `llm`",
    why: "That key is reserved for the model that answers prompts; a runtime binds one there whatever the role says.",
    fix: "Give the provider another key, or the role `llm`.",
    example: r#"{ "key": "default", "role": "embedding" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for provider in pack.pack.providers().filter(|provider| provider.text("key") == Some("default")) {
        let Some(place) = provider.get("role") else { continue };
        if let Some(role) = place.as_str().filter(|role| *role != "llm") {
            findings
                .report(place, format!("the provider `default` has the role `{role}`"))
                .help("`default` is the model that answers prompts: choose another key, or the role `llm`");
        }
    }
}
