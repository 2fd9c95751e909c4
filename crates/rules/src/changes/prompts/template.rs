//! The wording of a prompt, fragments written out.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::cause::{BASE, Causes};
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::{PromptSide, Side};
use crate::changes::text::{MAX_TEXT, Text, normal};
use crate::facts::reached;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "prompt-template-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the wording of a prompt changed",
    why: "No declared promise is broken, but the model is told something else and will answer differently.",
    fix: "Run the evals against the new wording; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

pub(super) const WHITESPACE_CHANGED: ChangeRule = ChangeRule {
    id: "prompt-template-whitespace-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "only blanks and line breaks of a prompt changed",
    why: "The words are the same; models rarely notice, but cached prefixes and recorded prompts differ.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States that the base text of the prompt reads differently, for another reason than a shared fragment.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    causes: &Causes<'_>,
    changes: &mut Changes<'a>,
) {
    let (Some(old), Some(new)) = (&pair.old.texts.base, &pair.new.texts.base) else {
        return compare_presence(pair, changes);
    };
    let (Some(old_text), Some(new_text)) = (&old.expanded, &new.expanded) else { return };
    if pair.broken_by_syntax || !causes.own.contains(BASE) {
        return;
    }
    let old_normal = normal(old_text, comparison.old.syntax, &pair.renamed_variables);
    let new_normal = normal(new_text, comparison.new.syntax, &BTreeMap::new());
    let key = pair.key();
    let at = At::spots(spot(old, old_text), spot(new, new_text));
    if pair.old.usage == pair.new.usage && words(&old_normal).eq(words(&new_normal)) {
        let message = format!("only blanks of the text of prompt `{key}` changed");
        changes.report(&WHITESPACE_CHANGED, at, message);
        return;
    }
    let message = format!("the text of prompt `{key}` changed: {}", delta(&old_normal, &new_normal));
    changes.report(&CHANGED, at, message);
}

/// States that a prompt has a base text from now on, or no longer.
fn compare_presence<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let member = |side: &PromptSide<'a>| side.prompt.get("system_template");
    let what = match (member(pair.old), member(pair.new)) {
        (Some(old), None) if old.as_str().is_some() => "has no text of its own any more",
        (None, Some(new)) if new.as_str().is_some() => "has a text of its own from now on",
        _ => return,
    };
    let at = At::member(*pair.old.prompt, *pair.new.prompt, "system_template");
    changes.report(&CHANGED, at, format!("prompt `{}` {what}", pair.key()));
}

/// States that a text beyond the budget may have changed: what it breaks cannot be said.
pub(super) fn compare_unread<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    changes: &mut Changes<'a>,
) {
    let raw = |side: &Side<'a>, prompt: &PromptSide<'a>| -> Vec<String> {
        let own = prompt.texts.all().map(|text| text.node.as_str().unwrap_or_default().to_owned());
        let shared =
            prompt.fragments.iter().map(|key| side.pack.fragment(key).unwrap_or_default().to_owned());
        own.chain(shared).collect()
    };
    if raw(comparison.old, pair.old) == raw(comparison.new, pair.new) {
        return;
    }
    let at = At::member(*pair.old.prompt, *pair.new.prompt, "system_template");
    let message = format!(
        "the text of prompt `{}` is beyond {MAX_TEXT} bytes once its fragments are written out, and it changed",
        pair.key()
    );
    changes.report(&CHANGED, at, message).bumps(Bumps::table("MMM")).possible("budget");
}

/// States that fragments which lie deeper than clients look may have changed: what is shown of them is not known.
/// Says whether it did.
pub(super) fn compare_too_deep<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    changes: &mut Changes<'a>,
) -> bool {
    let (old, new) = (too_deep(comparison.old, pair.old), too_deep(comparison.new, pair.new));
    // Where only one side has a chain that deep, its placeholder stands in the text that is compared.
    if old.is_empty() || new.is_empty() || old == new {
        return false;
    }
    let at = At::member(*pair.old.prompt, *pair.new.prompt, "system_template");
    let message = format!(
        "the text of prompt `{}` includes fragments deeper than clients look, and they changed",
        pair.key()
    );
    changes.report(&CHANGED, at, message).bumps(Bumps::table("MMM")).possible("budget");
    true
}

/// The fragments that are left out of the texts of a prompt because they lie too deep, with those below them.
fn too_deep<'a>(side: &Side<'a>, prompt: &PromptSide<'a>) -> BTreeMap<&'a str, &'a str> {
    let first = prompt.texts.all().flat_map(|text| text.too_deep.iter().map(String::as_str)).collect();
    let keys = reached(prompt.names, side.fragments, first);
    keys.into_iter().map(|key| (key, side.pack.fragment(key).unwrap_or_default())).collect()
}

fn spot<'a>(text: &Text<'a>, expanded: &str) -> Spot<'a> {
    Spot::of(text.node).value(expanded)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// How the length moved, in tokens of about four characters.
fn delta(old: &str, new: &str) -> String {
    let tokens = |text: &str| text.chars().count().div_ceil(4);
    let (old, new) = (tokens(old), tokens(new));
    let difference = old.abs_diff(new);
    let unit = if difference == 1 { "token" } else { "tokens" };
    match new.cmp(&old) {
        Ordering::Less => format!("about {difference} {unit} shorter"),
        Ordering::Equal => "about as long as before".to_owned(),
        Ordering::Greater => format!("about {difference} {unit} longer"),
    }
}
