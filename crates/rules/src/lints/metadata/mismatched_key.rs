//! Flags prompts and tools whose key differs from the name inside.

use std::collections::BTreeMap;

use pack::Node;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-key",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a prompt or tool whose key differs from the name inside",
    why: "Everything in a pack refers to the key, while models and logs show the name inside: people look for the wrong one.",
    fix: "Give both the same spelling; the key is the identity.",
    example: r#""prompts": { "support": { "id": "help" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    check_section(pack.pack.map("prompts"), "prompt", "id", findings);
    check_section(pack.pack.map("tools"), "tool", "name", findings);
}

fn check_section<'a>(
    members: impl Iterator<Item = (&'a str, Node<'a>)> + Clone,
    what: &str,
    field: &str,
    findings: &mut Findings<'_>,
) {
    // Names that several share are a defect of another kind.
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, member) in members.clone() {
        member.text(field).into_iter().for_each(|name| *times.entry(name).or_default() += 1);
    }
    for (key, member) in members {
        let Some(node) = member.get(field) else { continue };
        let Some(name) = node.as_str().filter(|name| *name != key && times.get(name) == Some(&1)) else {
            continue;
        };
        let message = format!("the {what} at key {} calls itself {}", quoted(key), quoted(name));
        findings.report(node, message).help(format!("write {} in both places", quoted(key)));
    }
}
