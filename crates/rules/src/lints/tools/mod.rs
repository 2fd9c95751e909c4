//! Tools and tool policy (catalogue 3.7).

use pack::Node;
use pack::model::{Prompt, Step};

use crate::lint::Lint;

mod blocked_tool;
mod conflicting_tool_choice;
mod invalid_parameter_schema;
mod missing_parameter_description;
mod reserved_name;
mod subschemas;
mod undeclared_blocked_tool;
mod undeclared_mcp_tool;
mod undeclared_parameter;
mod undeclared_tool;
mod unused_tool;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &undeclared_tool::LINT,
    &undeclared_mcp_tool::LINT,
    &unused_tool::LINT,
    &invalid_parameter_schema::LINT,
    &undeclared_parameter::LINT,
    &missing_parameter_description::LINT,
    &undeclared_blocked_tool::LINT,
    &blocked_tool::LINT,
    &conflicting_tool_choice::LINT,
    &reserved_name::LINT,
];

/// The tool whose call ends an agent step.
fn termination_tool(step: Step<'_>) -> Option<(&str, Node<'_>)> {
    let tool = step.get("termination")?.get("tool_called").filter(|_| step.kind() == Some("agent"))?;
    Some((tool.as_str()?, tool))
}

/// The tools that the policy of a prompt forbids.
fn blocked(prompt: Prompt<'_>) -> impl Iterator<Item = (&str, Node<'_>)> {
    prompt.get("tool_policy").into_iter().flat_map(|policy| policy.texts("blocklist"))
}
