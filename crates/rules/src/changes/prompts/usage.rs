//! What the texts of a prompt refer to: variables, paths into them, artifacts, and what nothing fills.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::template::{Form, Syntax};

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::{PromptSide, VariableSide};
use crate::changes::text::met;
use crate::changes::witness::Focus;

pub(super) const PATH_ADDED: ChangeRule = ChangeRule {
    id: "template-path-added",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the text reads another part of a variable",
    why: "Callers send the object or list they always sent; where it lacks the new part, the placeholder stays in the rendered text.",
    fix: "Add a variable of its own for the part, optional and with a default.",
    mirror: Mirror::Rule("template-path-removed"),
};

pub(super) const PATH_REMOVED: ChangeRule = ChangeRule {
    id: "template-path-removed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the text no longer reads a part of a variable",
    why: "Callers may still send the part; nothing shows it any more.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("template-path-added"),
};

pub(super) const PLACEHOLDER_ADDED: ChangeRule = ChangeRule {
    id: "template-placeholder-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the text uses a variable that it did not use before",
    why: "Values that had no effect now reach the model.",
    fix: "Run the evals with real values of the variable.",
    mirror: Mirror::Rule("variable-effect-removed"),
};

pub(super) const EFFECT_REMOVED: ChangeRule = ChangeRule {
    id: "variable-effect-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a variable is still declared, but no text uses it",
    why: "Callers still send the value and believe that it does something; whether other code reads it is not visible in the pack.",
    fix: "Deprecate the variable in its description, and remove it in the next major version.",
    mirror: Mirror::Rule("template-placeholder-added"),
};

pub(super) const USE_WITHOUT_DEFAULT: ChangeRule = ChangeRule {
    id: "variable-use-added-without-default",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the text newly uses an optional variable that no default fills",
    why: "Callers that left the variable out, as they may, leave its placeholder in the rendered text now.",
    fix: "Give the variable a default that is valid, not null and not empty.",
    mirror: Mirror::Waived("swapped it is `variable-effect-removed`"),
};

pub(super) const UNRESOLVABLE_ADDED: ChangeRule = ChangeRule {
    id: "template-placeholder-unresolvable-added",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the text holds a placeholder that nothing fills",
    why: "Whatever the caller sends, the raw placeholder stays: strict clients refuse to render, others send it to the model.",
    fix: "Declare the name as a variable, add the missing fragment, or write the placeholder without blanks.",
    mirror: Mirror::Waived(
        "swapped, an edit of the text or a new declaration repairs it: `template-placeholder-added` at most",
    ),
};

pub(super) const ARTIFACT_ADDED: ChangeRule = ChangeRule {
    id: "template-artifact-ref-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the text shows another artifact of the workflow",
    why: "Whether the artifact is filled when the prompt runs depends on the path through the workflow.",
    fix: "Make sure that a state before this prompt writes the artifact.",
    mirror: Mirror::Rule("template-artifact-ref-removed"),
};

pub(super) const ARTIFACT_REMOVED: ChangeRule = ChangeRule {
    id: "template-artifact-ref-removed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the text no longer shows an artifact of the workflow",
    why: "The model no longer sees what earlier states wrote.",
    fix: "Run the evals of the workflow.",
    mirror: Mirror::Rule("template-artifact-ref-added"),
};

/// States how the references of the texts moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let syntax = comparison.new.syntax;
    if pair.old.usage == pair.new.usage {
        return;
    }
    let sides = (Index::new(pair.old), Index::new(pair.new));
    for variables in pair.variables.pairs() {
        compare_use(pair, variables, &sides, changes);
        compare_paths(pair, variables, &sides, changes);
    }
    compare_unresolvable(pair, syntax, &sides.1, changes);
    compare_artifacts(pair, &sides, changes);
}

fn compare_use<'a>(
    pair: &PromptPair<'a>,
    (old, new): (&VariableSide<'a>, &VariableSide<'a>),
    (before, after): &(Index<'a>, Index<'a>),
    changes: &mut Changes<'a>,
) {
    let (key, name) = (pair.key(), new.name());
    if !old.used && new.used {
        let at = At::spots(None, after.spot(name));
        let could_be_left_out = !old.is_must() && !old.is_auto();
        if could_be_left_out && new.is_needed() && !new.is_must() {
            let message = format!(
                "the text of `{key}` now uses `{name}`, which callers may leave out and no default fills"
            );
            changes.report(&USE_WITHOUT_DEFAULT, at, message).focus(Focus::Without(name));
        } else {
            changes.report(&PLACEHOLDER_ADDED, at, format!("the text of `{key}` now uses `{name}`"));
        }
    } else if old.used && !new.used && !pair.new.usage.unresolvable.contains(&format!(" {name} ")) {
        let at = At::spots(before.spot(old.name()), None);
        let message = format!("no text of `{key}` uses `{name}` any more: values of callers have no effect");
        changes.report(&EFFECT_REMOVED, at, message);
    }
}

fn compare_paths<'a>(
    pair: &PromptPair<'a>,
    (old, new): (&VariableSide<'a>, &VariableSide<'a>),
    (before, after): &(Index<'a>, Index<'a>),
    changes: &mut Changes<'a>,
) {
    let paths = |prompt: &PromptSide<'a>, name: &str| -> BTreeSet<String> {
        let paths = prompt.usage.paths.get(name).into_iter().flatten();
        paths.filter_map(|path| Some(path.split_once('.')?.1.to_owned())).collect()
    };
    let (old_paths, new_paths) = (paths(pair.old, old.name()), paths(pair.new, new.name()));
    for path in new_paths.difference(&old_paths) {
        let path = format!("{}.{path}", new.name());
        let message = format!("the text of `{}` now reads `{path}`, which values may lack", pair.key());
        changes.report(&PATH_ADDED, At::spots(None, after.spot(&path)), message).focus(Focus::Left(path));
    }
    for path in old_paths.difference(&new_paths) {
        let path = format!("{}.{path}", old.name());
        let message = format!("the text of `{}` no longer reads `{path}`", pair.key());
        changes.report(&PATH_REMOVED, At::spots(before.spot(&path), None), message);
    }
}

fn compare_unresolvable<'a>(
    pair: &PromptPair<'a>,
    syntax: &Syntax,
    after: &Index<'a>,
    changes: &mut Changes<'a>,
) {
    let removed: BTreeSet<&str> = pair.variables.removed.iter().map(|variable| variable.name()).collect();
    let read_before: BTreeSet<&String> = pair.old.usage.paths.values().flatten().collect();
    for body in pair.new.usage.unresolvable.difference(&pair.old.usage.unresolvable) {
        let root = body.split('.').next().unwrap_or_default();
        // A removed declaration and a changed type are findings of the variable.
        if removed.contains(root) || read_before.contains(body) {
            continue;
        }
        let message = format!(
            "the text of `{}` holds the placeholder `{}{body}{}`, which nothing fills",
            pair.key(),
            syntax.open(),
            syntax.close()
        );
        changes
            .report(&UNRESOLVABLE_ADDED, At::spots(None, after.spot(body)), message)
            .focus(Focus::Left(body.clone()));
    }
}

fn compare_artifacts<'a>(
    pair: &PromptPair<'a>,
    (before, after): &(Index<'a>, Index<'a>),
    changes: &mut Changes<'a>,
) {
    let (old, new) = (&pair.old.usage.artifacts, &pair.new.usage.artifacts);
    for name in new.difference(old) {
        let at = At::spots(None, after.spot(&format!("artifacts.{name}")));
        changes.report(
            &ARTIFACT_ADDED,
            at,
            format!("the text of `{}` now shows artifact `{name}`", pair.key()),
        );
    }
    for name in old.difference(new) {
        let at = At::spots(before.spot(&format!("artifacts.{name}")), None);
        let message = format!("the text of `{}` no longer shows artifact `{name}`", pair.key());
        changes.report(&ARTIFACT_REMOVED, at, message);
    }
}

/// Where the templates of a prompt refer to something first.
struct Index<'a> {
    found: BTreeMap<String, Spot<'a>>,
    /// The base template stands in for what only fragments refer to.
    base: Option<Node<'a>>,
}

impl<'a> Index<'a> {
    fn new(prompt: &PromptSide<'a>) -> Index<'a> {
        let mut found = BTreeMap::new();
        for place in prompt.uses {
            let text = place.node.as_str().unwrap_or_default();
            let placeholder = met(place.placeholder.clone(), text, Some(prompt.names));
            let spot = Spot::of(place.node).span(place.node.span_within(placeholder.span));
            let mut add = |body: String| {
                found.entry(body).or_insert_with(|| spot.clone());
            };
            add(placeholder.body.to_owned());
            if let Form::Path(path) = &placeholder.form {
                let mut body = path.first.to_owned();
                add(body.clone());
                for key in &path.rest {
                    body = format!("{body}.{key}");
                    add(body.clone());
                }
            }
        }
        Index { found, base: prompt.texts.base.as_ref().map(|text| text.node) }
    }

    /// The template that refers to `body`, pointing at the placeholder where the template itself holds it.
    fn spot(&self, body: &str) -> Option<Spot<'a>> {
        let spot = self.found.get(body.trim()).cloned().or_else(|| self.base.map(Spot::of));
        spot.map(|spot| spot.value(body))
    }
}
