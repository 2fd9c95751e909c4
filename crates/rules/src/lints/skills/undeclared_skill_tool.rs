//! Flags tools that a skill may use and the pack does not declare.

use super::front_matters;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::listed;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-skill-tool",
    group: Group::Correctness,
    level: Level::Info,
    summary: "a skill may use a tool that the pack does not declare",
    why: "`allowed-tools` widens what the agent may call; a name that nothing declares does nothing.",
    fix: "Declare the tool in the pack, or correct the name in the skill.",
    example: "allowed-tools:\n  - lookup_oder",
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for (found, front_matter) in front_matters(pack) {
        let tools = front_matter.allowed_tools();
        let unknown: Vec<&str> =
            tools.iter().map(String::as_str).filter(|tool| !is_known(pack, tool)).collect();
        let Some(first) = unknown.first() else { continue };
        let verb = if unknown.len() == 1 { "is no tool" } else { "are no tools" };
        let message = format!(
            "skill `{}` allows {}, which {verb} of the pack",
            found.path,
            listed(unknown.iter().copied())
        );
        findings
            .report(found.node, message)
            .help("declare the tool, or correct the name under `allowed-tools`")
            .suggest(guesser.closest(first, pack.keys("tools")).filter(|_| unknown.len() == 1));
    }
}

/// Whether the pack or a runtime has such a tool: hosts write their own with a capital, a pattern or a namespace.
fn is_known(pack: &Facts<'_>, tool: &str) -> bool {
    pack.declares("tools", tool)
        || pack.may_supply_tool(tool)
        || tool.contains(['(', ')', ':', '*'])
        || tool.starts_with(|c: char| c.is_uppercase())
}
