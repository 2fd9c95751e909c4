//! Flags model overrides that replace the template and add to it.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "conflicting-override",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a model override that replaces the template and adds to it",
    why: "The Python client drops prefix and suffix beside a replacement, PromptKit still adds the suffix: two clients, two prompts.",
    fix: "Write prefix and suffix into the replacing template.",
    example: r#""model_overrides": { "gpt-4o": { "system_template": "…", "system_template_suffix": "…" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for model in pack.pack.prompts().flat_map(|prompt| prompt.model_overrides()) {
        let added =
            ["system_template_prefix", "system_template_suffix"].into_iter().find_map(|key| model.get(key));
        let (Some(added), true) = (added, model.get("system_template").is_some()) else { continue };
        let key = added.key().unwrap_or_default();
        let message = format!(
            "the override for {} has `system_template` and {}, which clients combine differently",
            quoted(model.key().unwrap_or_default()),
            quoted(key)
        );
        findings.report_key(added, message).help("write it into the `system_template` of the override");
    }
}
