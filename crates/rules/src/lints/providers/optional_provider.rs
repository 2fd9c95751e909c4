//! Flags names of providers that a host may leave out.

use std::collections::BTreeSet;

use super::references;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "optional-provider",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a prompt or step names a provider with `required: false`",
    why: "A host that binds no model to it cannot run the prompt, so the pack does not load there.",
    fix: "Require the provider, or do not name it.",
    example: r#""provider": "judge" … { "key": "judge", "role": "llm", "required": false }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let optional = pack.pack.providers().filter(|provider| provider.flag("required") == Some(false));
    let optional: BTreeSet<&str> = optional.filter_map(|provider| provider.name_key()).collect();
    for node in references(pack) {
        if let Some(name) = node.as_str().filter(|name| optional.contains(name)) {
            findings
                .report(node, format!("the provider `{name}` is optional, but this needs it"))
                .help("drop `required: false` there, or do not name it here");
        }
    }
}
