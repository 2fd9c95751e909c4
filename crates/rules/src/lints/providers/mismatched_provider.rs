//! Flags providers that cannot serve the call that they are chosen for.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::{Prompt, Provider, Step};
use pack::{Node, SpecVersion};

pub(super) const LINT: Lint = Lint {
    id: "mismatched-provider",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "the provider of a prompt or step cannot serve the call",
    why: "Its own requirement says that the model is of another kind, calls no tools, or returns no structured output.",
    fix: "Choose another provider, or correct its requirement.",
    example: r#""provider": "embeddings" … { "key": "embeddings", "role": "embedding" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let providers = Providers::of(pack);
    check_prompts(pack, &providers, findings);
    for step in pack.pack.all_steps().filter(|step| matches!(step.kind(), Some("prompt" | "agent"))) {
        check_step(pack, step, &providers, findings);
    }
}

fn check_prompts(pack: &Facts<'_>, providers: &Providers<'_>, findings: &mut Findings<'_>) {
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    let states = states.filter(|state| state.orchestration() != "composition");
    let of_states: BTreeSet<&str> = states.filter_map(|state| state.text("prompt_task")).collect();
    let of_steps: BTreeSet<&str> =
        pack.pack.all_steps().filter_map(|step| step.text("prompt_task")).collect();
    for prompt in pack.prompts().iter().map(|prompt| prompt.prompt) {
        let key = prompt.name_key();
        let Some(chosen) = providers.chosen(None, Some(prompt)) else { continue };
        if let Some(place) = chosen.named.filter(|_| of_states.contains(key) && !chosen.is_llm()) {
            report_role(place, &chosen, findings);
            continue;
        }
        // A prompt that only steps run meets its tools there.
        let alone = of_states.contains(key) || !of_steps.contains(key);
        if let Some(tools) = prompt.get("tools").filter(|tools| alone && !tools.is_empty())
            && chosen.lacks("tool_use")
        {
            report_lack(
                chosen.named.unwrap_or(tools),
                &chosen,
                "tool_use",
                "there are tools to call",
                findings,
            );
        }
    }
}

fn check_step(pack: &Facts<'_>, step: Step<'_>, providers: &Providers<'_>, findings: &mut Findings<'_>) {
    let prompt = step.text("prompt_task").and_then(|key| pack.pack.prompt(key));
    let Some(chosen) = providers.chosen(Some(step), prompt) else { return };
    let schema = step.get("output_schema");
    if let Some(place) = chosen.named
        && step.kind() == Some("prompt")
        && schema.is_none()
        && !chosen.is_llm()
    {
        return report_role(place, &chosen, findings);
    }
    let tools = step.get("tools").or_else(|| prompt?.get("tools")).filter(|tools| !tools.is_empty());
    if let Some(tools) = tools.filter(|_| step.kind() == Some("agent") && chosen.lacks("tool_use")) {
        return report_lack(
            chosen.named.unwrap_or(tools),
            &chosen,
            "tool_use",
            "there are tools to call",
            findings,
        );
    }
    if let Some(schema) = schema.filter(|_| chosen.lacks("structured_output")) {
        let place = step.get("provider").filter(|_| chosen.named.is_some()).unwrap_or(schema);
        report_lack(place, &chosen, "structured_output", "the step has an `output_schema`", findings);
    }
}

fn report_role(place: Node<'_>, chosen: &Chosen<'_>, findings: &mut Findings<'_>) {
    let role = chosen.requirement.text("role").unwrap_or_default();
    findings
        .report(
            place,
            format!("the provider `{}` has the role `{role}`, but a prompt needs an `llm`", chosen.key),
        )
        .help("name another provider");
}

fn report_lack(place: Node<'_>, chosen: &Chosen<'_>, lacks: &str, need: &str, findings: &mut Findings<'_>) {
    findings
        .report(place, format!("{need}, but the provider `{}` says `{lacks}: false`", chosen.key))
        .help("choose another provider, or correct its `capabilities`");
}

/// The provider that serves a call.
struct Chosen<'a> {
    key: &'a str,
    requirement: Provider<'a>,
    /// Where it is named; nowhere when it is the default one.
    named: Option<Node<'a>>,
}

impl Chosen<'_> {
    fn is_llm(&self) -> bool {
        self.requirement.text("role").is_none_or(|role| role == "llm")
    }

    fn lacks(&self, capability: &str) -> bool {
        let capabilities = self.requirement.get("capabilities");
        capabilities.and_then(|capabilities| capabilities.flag(capability)) == Some(false)
    }
}

struct Providers<'a> {
    by_key: BTreeMap<&'a str, Provider<'a>>,
    can_be_named: bool,
}

impl<'a> Providers<'a> {
    fn of(pack: &Facts<'a>) -> Self {
        let keyed = pack.pack.providers().filter_map(|provider| Some((provider.name_key()?, provider)));
        Providers { by_key: keyed.collect(), can_be_named: pack.spec() >= SpecVersion::V1_9 }
    }

    /// The step's provider, else the prompt's, else the default one.
    fn chosen(&self, step: Option<Step<'a>>, prompt: Option<Prompt<'a>>) -> Option<Chosen<'a>> {
        let owners = step.map(|step| step.0).into_iter().chain(prompt.map(|prompt| prompt.0));
        let named = owners.filter_map(|owner| owner.get("provider")).find(|_| self.can_be_named);
        let key = named.map_or(Some("default"), Node::as_str)?;
        Some(Chosen { key, requirement: *self.by_key.get(key)?, named })
    }
}
