//! Which provider a prompt or a step asks for, and whether the host has it.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Pack, Provider, Step};

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::compositions;
use crate::changes::report::{At, Changes, Draft, Scope, Spot};
use crate::changes::witness::{Focus, Named};
use crate::wording::listed;

pub(super) const PROMPT_CHANGED: ChangeRule = ChangeRule {
    id: "prompt-provider-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prompt asks for another provider",
    why: "Another model answers, so cost and behaviour move wherever the prompt runs; which model the host resolves is not visible in the pack.",
    fix: "Run the evals of the prompt against the new provider, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const STEP_CHANGED: ChangeRule = ChangeRule {
    id: "step-provider-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a step asks for another provider",
    why: "Another model does the work of the step, so cost and behaviour move; which model the host resolves is not visible in the pack.",
    fix: "Run the evals of the composition against the new provider, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const OPTIONAL_REFERENCED: ChangeRule = ChangeRule {
    id: "provider-optional-referenced",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a prompt or step names a provider that hosts need not have",
    why: "A host that left the optional provider out can no longer run what names it; whether it did is not visible in the pack.",
    fix: "Declare the provider as required, which says what is needed, or ask for `default`.",
    mirror: Mirror::Waived("alone: the swapped pair only stops to name the provider"),
};

pub(super) const REMOVED_BUT_USED: ChangeRule = ChangeRule {
    id: "provider-removed-but-used",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a provider that is still named is no longer declared",
    why: "Operators wire up what `requires` lists: nothing answers to the key, and the prompt or step that names it fails.",
    fix: "Keep the requirement, or let what names the provider ask for another one first.",
    mirror: Mirror::Waived("alone: the swapped pair declares a provider that is named already"),
};

/// The primary model, which needs no declaration.
const DEFAULT: &str = "default";

/// Whether the pack names a provider that it declares as optional.
pub(crate) fn looks_up_optional(pack: Pack<'_>, key: &str) -> bool {
    let declared = pack.providers().find(|provider| provider.name_key() == Some(key));
    declared.is_some_and(is_optional) && call_sites(pack).contains_key(key)
}

/// The keys that prompts and steps ask for.
pub(crate) fn provider_keys(pack: Pack<'_>) -> BTreeSet<&str> {
    call_sites(pack).into_keys().collect()
}

fn is_optional(provider: Provider<'_>) -> bool {
    provider.flag("required") == Some(false)
}

/// The keys that prompts and steps name, each with the first place that does.
fn call_sites(pack: Pack<'_>) -> BTreeMap<&str, Node<'_>> {
    let prompts = pack.prompts().filter_map(|prompt| prompt.get("provider"));
    let steps = pack.all_steps().filter(|step| runs_a_model(*step)).filter_map(|step| step.get("provider"));
    let mut sites = BTreeMap::new();
    for node in prompts.chain(steps) {
        if let Some(key) = node.as_str() {
            sites.entry(key).or_insert(node);
        }
    }
    sites
}

fn runs_a_model(step: Step<'_>) -> bool {
    matches!(step.kind(), Some("prompt" | "agent"))
}

/// States where another provider is asked for, and where a host may not have it.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let inheriting = inheriting(comparison.new.pack);
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        compare_prompt(comparison, pair, &inheriting, changes);
    }
    changes.scope(Scope::default());
    compare_steps(comparison, changes);
    compare_requirements(comparison, changes);
}

/// The key in effect where nothing nearer names one, as NEW calls it.
fn followed<'a>(comparison: &Comparison<'a>, key: Option<&'a str>) -> &'a str {
    let key = key.unwrap_or(DEFAULT);
    comparison.renamed_providers.get(key).copied().unwrap_or(key)
}

/// States, agents and steps that ask for what their prompt asks for, by the key of the prompt.
fn inheriting(pack: Pack<'_>) -> BTreeMap<&str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for state in pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        if let Some(prompt) = state.text("prompt_task") {
            found.entry(prompt).or_default().push(format!("state `{}`", state.name_key()));
        }
    }
    for key in pack.agents().into_iter().flat_map(|agents| agents.members()).filter_map(|member| member.key())
    {
        found.entry(key).or_default().push(format!("agent `{key}`"));
    }
    for step in pack.all_steps().filter(|step| step.get("provider").is_none()) {
        if let Some(prompt) = step.prompt_task() {
            found.entry(prompt).or_default().push(format!("step `{}`", step.id().unwrap_or_default()));
        }
    }
    found
}

fn compare_prompt<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    inheriting: &BTreeMap<&str, Vec<String>>,
    changes: &mut Changes<'a>,
) {
    const SHOWN: usize = 6;
    let (old, new) = (*pair.old.prompt, *pair.new.prompt);
    let before = followed(comparison, old.text("provider"));
    let after = new.text("provider").unwrap_or(DEFAULT);
    if before == after {
        return;
    }
    let users = inheriting.get(pair.key()).map(Vec::as_slice).unwrap_or_default();
    let mut message = format!("prompt `{}` asks for provider `{after}` instead of `{before}`", pair.key());
    if !users.is_empty() {
        let shown: Vec<&str> = users.iter().take(SHOWN).map(String::as_str).collect();
        message.push_str(&format!(", and with it {}", shown.join(", ")));
        if users.len() > SHOWN {
            message.push_str(&format!(" and {} more", users.len() - SHOWN));
        }
    }
    let spot = |prompt: Node<'a>| Spot::member(prompt, "provider", DEFAULT);
    let draft = changes.report(&PROMPT_CHANGED, At::spots(spot(old), spot(new)), message);
    mark_undeclared(comparison, before, after, draft);
}

fn compare_steps<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let effective = |pack: Pack<'a>, step: Step<'a>| {
        step.text("provider").or_else(|| pack.prompt(step.prompt_task()?)?.text("provider"))
    };
    for (old, new) in compositions::steps(comparison) {
        // Where both inherit, their prompt says it; where the kind changes, that is said.
        let is_inherited = old.get("provider").is_none() && new.get("provider").is_none();
        if is_inherited || !runs_a_model(old) || !runs_a_model(new) {
            continue;
        }
        let before = followed(comparison, effective(comparison.old.pack, old));
        let after = effective(comparison.new.pack, new).unwrap_or(DEFAULT);
        if before != after {
            let id = new.id().unwrap_or_default();
            let message = format!("step `{id}` asks for provider `{after}` instead of `{before}`");
            let spot = |step: Step<'a>, key: &str| Spot::member(*step, "provider", key);
            let at = At::spots(spot(old, before), spot(new, after));
            mark_undeclared(comparison, before, after, changes.report(&STEP_CHANGED, at, message));
        }
    }
}

/// Both keys as NEW calls them: what OLD declared under another name is declared.
fn mark_undeclared<'a>(comparison: &Comparison<'a>, before: &str, after: &str, draft: &mut Draft<'a>) {
    let declares = |pack: Pack<'a>, key: &str| key == DEFAULT || Named::Provider.is_in(pack, key);
    let was_declared = declares(comparison.old.pack, before)
        || comparison.renamed_providers.values().any(|key| *key == before);
    if was_declared && !declares(comparison.new.pack, after) {
        draft.leads_nowhere(after);
    }
}

fn compare_requirements<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (call_sites(comparison.old.pack), call_sites(comparison.new.pack));
    let named_before: BTreeSet<&str> = old.keys().map(|key| followed(comparison, Some(key))).collect();
    for provider in comparison.new.pack.providers().filter(|provider| is_optional(*provider)) {
        let Some(key) = provider.name_key().filter(|key| *key != DEFAULT && !named_before.contains(key))
        else {
            continue;
        };
        if let Some(site) = new.get(key) {
            let message = format!("{} is named now, and a host need not have it", listed([key]));
            let held = Focus::Reference(Named::OptionalProvider, key.to_owned());
            changes.report(&OPTIONAL_REFERENCED, At::added(*site), message).focus(held);
        }
    }
    let declared: BTreeSet<&str> = comparison.new.pack.providers().filter_map(Provider::name_key).collect();
    for provider in comparison.old.pack.providers() {
        let is_gone = |key: &str| {
            !declared.contains(key) && !comparison.renamed_providers.contains_key(key) && key != DEFAULT
        };
        let Some(key) = provider.name_key().filter(|key| is_gone(key)) else { continue };
        if let Some(site) = new.get(key) {
            let message = format!("provider `{key}` is no longer declared, and still named");
            let held = Focus::Reference(Named::Provider, key.to_owned());
            changes.report(&REMOVED_BUT_USED, At::both(*provider, *site), message).focus(held);
        }
    }
}
