//! The template engine: its version, its delimiters, its features.

use std::collections::BTreeSet;

use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::Side;
use crate::changes::witness::Focus;

pub(super) const VERSION_CHANGED: ChangeRule = ChangeRule {
    id: "template-engine-version-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "the template engine has another version",
    why: "Another engine may render the same text differently, or refuse the pack; which differences there are is not visible in the pack.",
    fix: "Keep the engine version, or render every prompt with both engines before you publish.",
    mirror: Mirror::Itself,
};

pub(super) const SYNTAX_CHANGED: ChangeRule = ChangeRule {
    id: "template-syntax-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "the delimiters changed and texts did not follow",
    why: "Placeholders of the old spelling become plain text under the new delimiters: values are no longer filled in, and the model reads raw braces.",
    fix: "Respell every placeholder in the same change, or keep the delimiters.",
    mirror: Mirror::Itself,
};

pub(super) const SYNTAX_RESPELLED: ChangeRule = ChangeRule {
    id: "template-syntax-respelled",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the delimiters changed and every text followed",
    why: "Every text keeps its placeholders; only clients that ignore the declared syntax notice.",
    fix: "Prefer `{{variable}}`, which every client knows.",
    mirror: Mirror::Itself,
};

pub(super) const FEATURE_ADDED: ChangeRule = ChangeRule {
    id: "template-feature-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the templates need another engine feature",
    why: "An engine without the feature renders the text wrongly or refuses it; which engines have it is not visible in the pack.",
    fix: "Tell consumers which engine they need, or write the text without the feature.",
    mirror: Mirror::Rule("template-feature-removed"),
};

pub(super) const FEATURE_REMOVED: ChangeRule = ChangeRule {
    id: "template-feature-removed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the templates need one engine feature less",
    why: "More engines can render the pack; none loses anything.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("template-feature-added"),
};

/// States how the template engine moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = match (engine(comparison.old), engine(comparison.new)) {
        (Some(old), Some(new)) => (old, new),
        (None, None) => return,
        (old, new) => return compare_whole(comparison, old, new, changes),
    };
    if old.text("version") != new.text("version") {
        let version = |engine: Node<'a>| engine.text("version").unwrap_or_default();
        let message = format!("the template engine is `{}` instead of `{}`", version(new), version(old));
        changes.report(&VERSION_CHANGED, At::member(old, new, "version"), message);
    }
    compare_syntax(comparison, old, new, changes);
    compare_features(comparison, old, new, changes);
}

/// The whole block came or went. What it says of the syntax counts where texts follow it.
fn compare_whole<'a>(
    comparison: &Comparison<'a>,
    old: Option<Node<'a>>,
    new: Option<Node<'a>>,
    changes: &mut Changes<'a>,
) {
    let what = if new.is_some() { "is described from now on" } else { "is no longer described" };
    changes.report(&VERSION_CHANGED, At::either(old, new), format!("the template engine {what}"));
    let spelling = format!("the placeholders start with `{}` from now on", comparison.new.syntax.open());
    let member = |engine: Option<Node<'a>>| engine.and_then(|engine| engine.get("syntax"));
    compare_prompts(comparison, At::either(member(old), member(new)), &spelling, false, changes);
}

fn engine<'a>(side: &Side<'a>) -> Option<Node<'a>> {
    side.pack.get("template_engine").filter(|engine| engine.is_object())
}

fn compare_syntax<'a>(comparison: &Comparison<'a>, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    if old.text("syntax") == new.text("syntax") {
        return;
    }
    // What is no text is a value that the format does not know.
    let is_odd = |engine: Node<'a>| engine.get("syntax").is_some_and(|syntax| syntax.as_str().is_none());
    let respelled = !is_odd(old) && !is_odd(new);
    let syntax = |engine: Node<'a>| engine.text("syntax").unwrap_or_default();
    let spelling = format!("the template syntax is `{}` instead of `{}`", syntax(new), syntax(old));
    compare_prompts(comparison, At::member(old, new, "syntax"), &spelling, respelled, changes);
}

/// States what other delimiters do to the texts; where they do nothing, only if `respelled` asks for it.
fn compare_prompts<'a>(
    comparison: &Comparison<'a>,
    at: At<'a>,
    spelling: &str,
    respelled: bool,
    changes: &mut Changes<'a>,
) {
    let broken: Vec<&str> =
        comparison.prompt_pairs.iter().filter(|pair| pair.broken_by_syntax).map(|pair| pair.key()).collect();
    if broken.is_empty() && !respelled {
        return;
    }
    if broken.is_empty() {
        changes.report(&SYNTAX_RESPELLED, at, format!("{spelling}, and the texts follow"));
    } else {
        let names: Vec<String> = broken.iter().map(|key| format!("`{key}`")).collect();
        let message = format!("{spelling}: the placeholders of {} change their meaning", names.join(", "));
        let focus = Focus::AnyOf(broken.clone());
        changes.report(&SYNTAX_CHANGED, at, message).counts_for(broken).focus(focus);
    }
}

fn compare_features<'a>(
    comparison: &Comparison<'a>,
    old: Node<'a>,
    new: Node<'a>,
    changes: &mut Changes<'a>,
) {
    // Where neither side lists features, the texts speak for themselves.
    if old.get("features").is_none() && new.get("features").is_none() {
        return;
    }
    let (before, after) = (features(comparison.old, old), features(comparison.new, new));
    let spot = |engine: Node<'a>, feature: &str| Spot::member(engine, "features", "").value(feature);
    for feature in after.difference(&before) {
        let message = format!("the templates need the feature `{feature}`");
        changes.report(&FEATURE_ADDED, At::spots(None, spot(new, feature)), message);
    }
    for feature in before.difference(&after) {
        let message = format!("the templates no longer need the feature `{feature}`");
        changes.report(&FEATURE_REMOVED, At::spots(spot(old, feature), None), message);
    }
}

/// The features that are listed; where none are, those that the texts use. Substitution is always there.
fn features(side: &Side<'_>, engine: Node<'_>) -> BTreeSet<String> {
    let mut features = BTreeSet::from(["basic_substitution".to_owned()]);
    // A list in which nothing is a name says as little as none.
    let is_list = |list: &Node<'_>| {
        list.is_array() && (list.items().next().is_none() || list.items().any(|item| item.as_str().is_some()))
    };
    match engine.get("features").filter(is_list) {
        Some(listed) => features.extend(listed.items().filter_map(Node::as_str).map(str::to_owned)),
        None => {
            for prompt in &side.prompts {
                features.extend(prompt.usage.features.iter().map(|feature| (*feature).to_owned()));
                features.extend((!prompt.fragments.is_empty()).then(|| "fragments".to_owned()));
            }
        }
    }
    features
}
