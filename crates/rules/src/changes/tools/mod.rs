//! Tools, what prompts offer of them, and the policies on their use (catalogue 3.4).

use super::comparison::Comparison;
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod membership;
mod offer;
mod parameters;
mod policy;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: [&[&ChangeRule]; 3] = [
    &[
        &membership::ADDED,
        &membership::REMOVED,
        &membership::RENAMED,
        &membership::NAME_CHANGED,
        &membership::DESCRIPTION_CHANGED,
        &offer::ADDED,
        &offer::REMOVED,
    ],
    parameters::CHANGES,
    &[
        &policy::CHOICE_CHANGED,
        &policy::TOOLS_DISABLED,
        &policy::TOOLS_ENABLED,
        &policy::MAX_ROUNDS_DECREASED,
        &policy::MAX_CALLS_DECREASED,
        &policy::MAX_ROUNDS_INCREASED,
        &policy::MAX_CALLS_INCREASED,
        &policy::BLOCKLIST_CHANGED,
    ],
];

/// Compares the tools, and what each prompt says of them.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    membership::compare(comparison, changes);
    for (old, new) in comparison.tools.pairs() {
        changes.scope(tool_scope(comparison, old.name_key(), new.name_key()));
        membership::compare_pair(old, new, changes);
        parameters::compare((old, new), &comparison.budget, changes);
    }
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        offer::compare(comparison, pair, changes);
        policy::compare(pair, changes);
    }
}

/// What a change of a tool counts for: the prompts that offer it; nothing where neither side uses it.
pub(super) fn tool_scope<'a>(comparison: &Comparison<'a>, old: &str, new: &str) -> Scope<'a> {
    let mut prompts = comparison.new.prompts_offering(new);
    prompts.extend(comparison.old.prompts_offering(old));
    let unreachable = !comparison.old.uses_tool(old) && !comparison.new.uses_tool(new);
    Scope { prompt: None, prompts, unreachable }
}
