//! What single models are told instead, and which parameters they get.

use std::collections::BTreeMap;

use pack::digest::canonical_node;
use pack::json::Node;

use super::cause::Causes;
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::pairing::Pairing;
use crate::changes::report::{At, Changes};
use crate::changes::side::{PromptSide, Side};
use crate::changes::text::{OverrideText, normal};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "model-override-added",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "one model gets other instructions or parameters",
    why: "Runs on that model behave differently from now on; other models do not notice.",
    fix: "Run the evals on that model; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Rule("model-override-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "model-override-removed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "one model no longer gets instructions or parameters of its own",
    why: "Runs on that model fall back to what all models get.",
    fix: "Run the evals on that model; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Rule("model-override-added"),
};

pub(super) const TEMPLATE_CHANGED: ChangeRule = ChangeRule {
    id: "model-override-template-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the text for one model changed",
    why: "Runs on that model are told something else; other models do not notice.",
    fix: "Run the evals on that model; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

pub(super) const PARAMETERS_CHANGED: ChangeRule = ChangeRule {
    id: "model-override-parameters-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the parameters for one model changed",
    why: "Runs on that model sample differently or stop elsewhere; other models do not notice.",
    fix: "Run the evals on that model; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

/// One override of one side, in normal form.
struct Effect {
    /// The pieces of the text and the base, in the order in which they are read.
    text: Vec<String>,
    /// What is left of the text where it equals the base.
    base: Vec<String>,
    /// Parameters that the model gets.
    parameters: BTreeMap<String, String>,
    /// Parameters that all models get.
    base_parameters: BTreeMap<String, String>,
}

impl Effect {
    fn of(
        side: &Side<'_>,
        prompt: &PromptSide<'_>,
        model: &OverrideText<'_>,
        renamed: &BTreeMap<&str, &str>,
    ) -> Self {
        let form = |text: &crate::changes::text::Text<'_>| {
            normal(text.expanded.as_deref().unwrap_or_default(), side.syntax, renamed)
        };
        let base: Vec<String> = prompt.texts.base.iter().map(form).collect();
        let body = model.replacement.iter().map(form).collect::<Vec<_>>();
        let body = if body.is_empty() { base.clone() } else { body };
        let pieces = model.prefix.iter().map(form).chain(body).chain(model.suffix.iter().map(form));
        let text = pieces.filter(|piece| !piece.is_empty()).collect();
        let base_parameters = parameters(*prompt.prompt);
        let mut all = base_parameters.clone();
        all.extend(parameters(model.node));
        Effect { text, base, parameters: all, base_parameters }
    }

    fn changes_text(&self) -> bool {
        self.text.concat() != self.base.concat()
    }

    fn changes_parameters(&self) -> bool {
        self.parameters != self.base_parameters
    }
}

fn parameters(holder: Node<'_>) -> BTreeMap<String, String> {
    let given = holder.map("parameters").filter(|(_, value)| !value.is_null());
    given.map(|(key, value)| (key.to_owned(), canonical_node(value))).collect()
}

/// States how the overrides of a prompt moved.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    causes: &Causes<'_>,
    changes: &mut Changes<'a>,
) {
    let effect = |model: &OverrideText<'a>, is_new: bool| match is_new {
        true => Effect::of(comparison.new, pair.new, model, &BTreeMap::new()),
        false => Effect::of(comparison.old, pair.old, model, &pair.renamed_variables),
    };
    let (old, new) = (&pair.old.texts.overrides, &pair.new.texts.overrides);
    let models = Pairing::by_name(old.keys().copied(), new.keys().copied(), |model| model);
    let has_effect = |effect: &Effect| effect.changes_text() || effect.changes_parameters();
    for model in models.added.into_iter().filter(|model| has_effect(&effect(&new[model], true))) {
        let message =
            format!("model `{model}` gets instructions or parameters of its own in prompt `{}`", pair.key());
        changes.report(&ADDED, At::added(new[model].node), message);
    }
    for model in models.removed.into_iter().filter(|model| has_effect(&effect(&old[model], false))) {
        let message = format!("model `{model}` gets what all models get in prompt `{}`", pair.key());
        changes.report(&REMOVED, At::removed(old[model].node), message);
    }
    for (model, _) in models.both {
        let at = (&old[model], &new[model]);
        let effects = (effect(at.0, false), effect(at.1, true));
        compare_texts(pair, model, at, &effects, causes, changes);
        compare_parameters(pair, model, at, &effects, changes);
    }
}

fn compare_texts<'a>(
    pair: &PromptPair<'a>,
    model: &str,
    (old, new): (&OverrideText<'a>, &OverrideText<'a>),
    (before, after): &(Effect, Effect),
    causes: &Causes<'_>,
    changes: &mut Changes<'a>,
) {
    let fields = |text: &OverrideText<'_>| -> Vec<String> {
        text.pieces().map(|piece| piece.node.key().unwrap_or_default().to_owned()).collect()
    };
    let own = |field: &String| causes.own.contains(&format!("{model}/{field}"));
    let reworded = fields(old) != fields(new) || fields(new).iter().any(own);
    let follows_base = !before.changes_text() && !after.changes_text();
    if pair.broken_by_syntax || !reworded || follows_base || before.text.concat() == after.text.concat() {
        return;
    }
    let message = format!("the text for model `{model}` changed in prompt `{}`", pair.key());
    let text = |model: &OverrideText<'a>| match model.pieces().next() {
        Some(piece) => piece.node.parent().unwrap_or(piece.node),
        None => model.node,
    };
    changes.report(&TEMPLATE_CHANGED, At::both(text(old), text(new)), message);
}

fn compare_parameters<'a>(
    pair: &PromptPair<'a>,
    model: &str,
    (old, new): (&OverrideText<'a>, &OverrideText<'a>),
    (before, after): &(Effect, Effect),
    changes: &mut Changes<'a>,
) {
    let follows_base = !before.changes_parameters() && !after.changes_parameters();
    // What only follows the base is the finding of the base.
    let own = |effect: &Effect| -> BTreeMap<String, String> {
        let differs = |(key, value): &(&String, &String)| effect.base_parameters.get(*key) != Some(*value);
        effect.parameters.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    if follows_base || before.parameters == after.parameters || own(before) == own(after) {
        return;
    }
    let message = format!("the parameters for model `{model}` changed in prompt `{}`", pair.key());
    changes.report(&PARAMETERS_CHANGED, At::member(old.node, new.node, "parameters"), message);
}
