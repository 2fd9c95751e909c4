//! Flags what PromptKit refuses or drops.

use pack::Node;
use pack::model::{Eval, Prompt, Variable};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "promptkit-mismatch",
    group: Group::Portability,
    level: Level::Off,
    summary: "something that PromptKit refuses or drops",
    why: "PromptKit's built-in schema is older than the specification, and its SDK carries less of a pack than the schema accepts.",
    fix: "Leave the field out of packs that PromptKit runs, or give it the older form.",
    example: r#""requires": { "providers": ["main"] }"#,
    check: Check::Pack(check),
};

const TYPES: [&str; 5] = ["string", "number", "boolean", "object", "array"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    report_fields(*pack.pack, &["requires"], "refuses", findings);
    report_fields(*pack.pack, &["fragments"], "drops", findings);
    pack.pack.evals().for_each(|eval| check_eval(eval, findings));
    pack.pack.prompts().for_each(|prompt| check_prompt(prompt, findings));
    for state in pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states()) {
        if state.get("on_event").is_none() && state.flag("terminal") != Some(true) {
            let message =
                format!("PromptKit refuses state {}: it lacks `on_event`", quoted(state.name_key()));
            findings.report_key(*state, message).help("write `\"on_event\": {}`");
        }
    }
}

fn check_prompt(prompt: Prompt<'_>, findings: &mut Findings<'_>) {
    report_fields(*prompt, &["model_overrides"], "drops", findings);
    if let Some(media) = prompt.media() {
        report_fields(*media, &["document"], "drops", findings);
    }
    prompt.evals().for_each(|eval| check_eval(eval, findings));
    prompt.variables().for_each(|variable| check_variable(variable, findings));
    for validator in prompt.validators() {
        report_fields(*validator, &["message"], "refuses", findings);
        if validator.get("enabled").is_none() {
            let place = validator.get("type").unwrap_or(*validator);
            findings
                .report(place, "PromptKit refuses a validator without `enabled`")
                .help("write `\"enabled\": true`");
        }
    }
}

fn check_variable(variable: Variable<'_>, findings: &mut Findings<'_>) {
    report_fields(*variable, &["binding"], "refuses", findings);
    let Some(node) = variable.get("type") else { return };
    if let Some(name) = node.as_str().filter(|name| !TYPES.contains(name)) {
        findings.report(node, format!("PromptKit refuses the variable type {}", quoted(name)));
    }
}

fn check_eval(eval: Eval<'_>, findings: &mut Findings<'_>) {
    report_fields(*eval, &["threshold", "message", "when", "groups"], "refuses", findings);
}

fn report_fields(owner: Node<'_>, fields: &[&str], verb: &str, findings: &mut Findings<'_>) {
    for field in fields.iter().filter_map(|field| owner.get(field)) {
        findings.report_key(field, format!("PromptKit {verb} {}", quoted(field.key().unwrap_or_default())));
    }
}
