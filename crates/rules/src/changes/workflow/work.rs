//! What a state runs: its prompt or composition, and the skills that are at hand there.

use std::collections::BTreeSet;

use pack::model::State;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::compositions::{self, Switch};
use crate::changes::report::{At, Changes};
use crate::changes::side::{PromptSide, Side};
use crate::changes::value::written;
use crate::changes::witness::{Focus, Named};

pub(super) const PROMPT_CHANGED: ChangeRule = ChangeRule {
    id: "state-prompt-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "a state runs another prompt",
    why: "Users meet other words and tools in this state. Where the new prompt needs a variable that the old one did not, a caller that fills the old one is refused, and the change is major.",
    fix: "Edit the prompt instead of replacing it, or give the new prompt no variable that callers do not send yet.",
    mirror: Mirror::Itself,
};

pub(super) const COMPOSITION_CHANGED: ChangeRule = ChangeRule {
    id: "state-composition-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a state runs another composition",
    why: "Callers hand the state an input and read its output; unless both compositions declare the same schemas, nothing says that the old input is still accepted.",
    fix: "Declare the same `input_schema` and `output_schema`, which makes the change minor, or change the composition that the state names.",
    mirror: Mirror::Itself,
};

pub(super) const SKILLS_CHANGED: ChangeRule = ChangeRule {
    id: "state-skills-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "other skills are at hand in a state",
    why: "The model reads other instructions in this state, so it may act otherwise.",
    fix: "Run the evals of the state's prompt, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// States what the state runs now.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    old: State<'a>,
    new: State<'a>,
    changes: &mut Changes<'a>,
) {
    compare_prompt(comparison, old, new, changes);
    compare_composition(comparison, old, new, changes);
    // One path can be spelled in several ways.
    let path = |state: State<'a>| pack::tree::join("", state.text("skills")?);
    let is_same = path(old).is_some_and(|known| path(new) == Some(known));
    if !is_same && written(old.get("skills")) != written(new.get("skills")) {
        let shown = |state: State<'a>| match state.text("skills") {
            Some(text) => format!("`{text}`"),
            None => "all".to_owned(),
        };
        let message =
            format!("the skills of state `{}` are {} instead of {}", new.name_key(), shown(new), shown(old));
        changes.report(&SKILLS_CHANGED, At::member(*old, *new, "skills"), message);
    }
}

fn compare_prompt<'a>(
    comparison: &Comparison<'a>,
    old: State<'a>,
    new: State<'a>,
    changes: &mut Changes<'a>,
) {
    let (Some(before), Some(after)) = (old.text("prompt_task"), new.text("prompt_task")) else {
        // Without a prompt the state runs a composition, which its orchestration says.
        if old.orchestration() == new.orchestration()
            && written(old.get("prompt_task")) != written(new.get("prompt_task"))
        {
            let message = format!("state `{}` names a prompt on one side only", new.name_key());
            changes.report(&PROMPT_CHANGED, At::member(*old, *new, "prompt_task"), message);
        }
        return;
    };
    if comparison.renamed_prompts.get(before).copied().unwrap_or(before) == after {
        return;
    }
    let message = format!("state `{}` runs prompt `{after}` instead of `{before}`", new.name_key());
    let more = match (comparison.old.prompt(before), comparison.new.prompt(after)) {
        (Some(old), Some(new)) => &needs(new) - &needs(old),
        _ => BTreeSet::new(),
    };
    let draft = changes.report(&PROMPT_CHANGED, At::member(*old, *new, "prompt_task"), message);
    if comparison.loses(Named::Prompt, before, after) {
        draft.leads_nowhere(after);
    }
    if !more.is_empty() {
        let names = crate::wording::listed(more);
        draft.message.push_str(&format!(", which also needs {names}"));
        draft.bumps(Bumps::table("MMM")).class(Class::Contract).focus(Focus::Switch(before, after));
    }
}

/// Names of the variables without which a call fails.
fn needs<'a>(prompt: &PromptSide<'a>) -> BTreeSet<&'a str> {
    let needed = prompt.variables.iter().filter(|variable| variable.is_needed());
    needed.map(|variable| variable.name()).collect()
}

fn compare_composition<'a>(
    comparison: &Comparison<'a>,
    old: State<'a>,
    new: State<'a>,
    changes: &mut Changes<'a>,
) {
    let (before, after) = (old.text("composition"), new.text("composition"));
    let followed = before.map(|name| comparison.renamed_compositions.get(name).copied().unwrap_or(name));
    if followed == after || old.orchestration() != new.orchestration() {
        return;
    }
    let message = format!(
        "state `{}` runs composition `{}` instead of `{}`",
        new.name_key(),
        after.unwrap_or_default(),
        before.unwrap_or_default()
    );
    let found = |side: &Side<'a>, name: Option<&str>| side.composition(name?);
    let both = found(comparison.old, before).zip(found(comparison.new, after));
    let switch = both.map(|pair| compositions::switch(comparison, new.name_key(), pair));
    let draft = changes.report(&COMPOSITION_CHANGED, At::member(*old, *new, "composition"), message);
    match switch {
        Some(Switch::Same) => draft.bumps(Bumps::table("pmm")),
        Some(Switch::Breaks(witness)) => draft.witness(witness),
        Some(Switch::Differs) => draft.possible("no-witness"),
        None => draft,
    };
}
