//! Flags an entry agent that is a prompt but no member.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-entry-agent",
    group: Group::Portability,
    level: Level::Warn,
    summary: "the entry agent is a prompt but no member",
    why: "The guide asks only for a prompt, but PromptKit looks the entry up among the members and refuses the pack.",
    fix: "Add the entry to `agents.members`.",
    example: r#""agents": { "entry": "triage", "members": { "billing": {} } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(agents) = pack.pack.agents() else { return };
    let Some(entry) = agents.get("entry") else { return };
    let Some(members) = agents.get("members").filter(|members| members.is_object()) else { return };
    let is_prompt = |name: &str| pack.pack.prompt(name).is_some();
    let Some(name) = entry.as_str().filter(|name| is_prompt(name)) else { return };
    // A member that names no prompt has a finding of its own; it may be the entry, misspelled.
    let all_known = members.members().all(|(key, _)| is_prompt(key));
    if members.get(name).is_none() && all_known && !members.is_empty() {
        findings
            .report(entry, format!("the entry agent `{name}` is no member of `agents`"))
            .help("add it to `agents.members`: PromptKit refuses an entry that is not there");
    }
}
