//! Fragments: text that prompts share.

use std::collections::BTreeMap;

use pack::json::Node;

use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Scope};
use crate::changes::side::Side;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "fragment-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the text of a fragment changed",
    why: "Every prompt that uses the fragment tells the model something else, so its answers may differ.",
    fix: "Run the evals of all prompts that use the fragment; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "fragment-added",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a new fragment that no template uses yet",
    why: "Nothing renders the fragment; it only waits for templates.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("fragment-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "fragment-removed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a fragment that no template used is gone",
    why: "Nothing rendered the fragment, so no text changes.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("fragment-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "fragment-renamed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a fragment has another key",
    why: "Only templates name fragments; where a template does not follow, its placeholder is reported on its own.",
    fix: "Let every template follow.",
    mirror: Mirror::Itself,
};

/// States which fragments came, went, changed their key or their text.
///
/// `prompts` gives the prompts whose rendered text a changed fragment moved, by its new key.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    prompts: &BTreeMap<&'a str, Vec<&'a str>>,
    changes: &mut Changes<'a>,
) {
    changes.scope(Scope::default());
    let fragments = &comparison.fragments;
    for fragment in fragments.added.iter().filter(|fragment| !is_used(comparison.new, **fragment)) {
        changes.report(
            &ADDED,
            At::added(*fragment),
            format!("new fragment `{}`, unused so far", key(*fragment)),
        );
    }
    for fragment in fragments.removed.iter().filter(|fragment| !is_used(comparison.old, **fragment)) {
        let message = format!("fragment `{}` is gone; no template used it", key(*fragment));
        changes.report(&REMOVED, At::removed(*fragment), message);
    }
    for (old, new) in &fragments.renamed {
        let message = format!("fragment `{}` is now called `{}`", key(*old), key(*new));
        changes.report(&RENAMED, At::both(*old, *new), message);
    }
    for (old, new) in fragments.pairs().filter(|(old, new)| old.as_str() != new.as_str()) {
        compare_text(comparison, old, new, prompts, changes);
    }
}

fn compare_text<'a>(
    comparison: &Comparison<'a>,
    old: Node<'a>,
    new: Node<'a>,
    prompts: &BTreeMap<&'a str, Vec<&'a str>>,
    changes: &mut Changes<'a>,
) {
    let unreachable = !is_used(comparison.old, old) && !is_used(comparison.new, new);
    let users = prompts.get(key(new)).cloned().unwrap_or_default();
    if users.is_empty() && !unreachable {
        return;
    }
    let names: Vec<String> = users.iter().map(|user| format!("`{user}`")).collect();
    let effect =
        if unreachable { "no template uses it".to_owned() } else { format!("it is in {}", names.join(", ")) };
    changes.scope(Scope { prompt: None, prompts: users, unreachable });
    changes.report(
        &CHANGED,
        At::both(old, new),
        format!("the text of fragment `{}` changed; {effect}", key(new)),
    );
}

fn key(fragment: Node<'_>) -> &str {
    fragment.key().unwrap_or_default()
}

fn is_used(side: &Side<'_>, fragment: Node<'_>) -> bool {
    side.fragments.get(key(fragment)).is_some_and(|facts| !facts.users.is_empty())
}
