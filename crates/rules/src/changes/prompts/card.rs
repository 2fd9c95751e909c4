//! What people and agent cards read of a prompt: its name and description.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes};
use crate::changes::side::PromptSide;
use pack::model::Pack;

pub(super) const NAME_CHANGED: ChangeRule = ChangeRule {
    id: "prompt-name-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prompt's display name changed",
    why: "People read the name; programs go by the key. Where the prompt is an agent, other agents read it on the card.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "prompt-description-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prompt's description changed",
    why: "People read the description. Where the prompt is an agent without a description of its own, routers read it on the card and may choose differently.",
    fix: "Nothing has to be done beyond a patch version; an agent member's own description keeps the card stable.",
    mirror: Mirror::Itself,
};

/// States that name or description moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*pair.old.prompt, *pair.new.prompt);
    let key = pair.key();
    for (rule, field) in [(&NAME_CHANGED, "name"), (&DESCRIPTION_CHANGED, "description")] {
        if old.text(field) == new.text(field) {
            continue;
        }
        let card = feeds_card(comparison.old.pack, pair.old, field)
            || feeds_card(comparison.new.pack, pair.new, field);
        let shown = if card { ", which its agent card shows" } else { "" };
        let message = format!("the {field} of prompt `{key}` changed{shown}");
        let draft = changes.report(rule, At::member(old, new, field), message);
        if card {
            draft.bumps(Bumps::table("pmm"));
        }
    }
}

/// Whether an agent card shows the field: the prompt is an agent, and the agent does not say it itself.
fn feeds_card(pack: Pack<'_>, prompt: &PromptSide<'_>, field: &str) -> bool {
    let member = pack.agents().and_then(|agents| agents.get("members")?.get(prompt.key()));
    member.is_some_and(|agent| agent.text(field).is_none())
}
