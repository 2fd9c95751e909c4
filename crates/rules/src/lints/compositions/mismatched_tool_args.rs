//! Flags arguments that the schema of the tool refuses.

use std::collections::BTreeMap;

use super::references::references;
use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use pack::Node;
use pack::model::Step;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-tool-args",
    group: Group::Correctness,
    level: Level::Error,
    summary: "arguments of a tool step that the tool's parameters refuse",
    why: "The runtime calls the tool itself, without a model that could correct the call: it fails every time.",
    fix: "Pass the arguments that the tool declares, with values that its schema takes.",
    example: r#"{ "id": "find", "kind": "tool", "tool": "find_order", "args": { "numbr": "17" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let mut validators: BTreeMap<&str, Option<Validator>> = BTreeMap::new();
    for steps in compositions(pack) {
        for step in steps.all().iter().map(|placed| placed.step).filter(|step| step.kind() == Some("tool")) {
            let Some(key) = step.text("tool") else { continue };
            let Some(parameters) = pack.pack.tool(key).and_then(|tool| tool.parameters()) else { continue };
            let validator = validators.entry(key).or_insert_with(|| compile(parameters));
            if let Some(validator) = validator {
                check_args(key, step, parameters, validator, &guesser, findings);
            }
        }
    }
}

/// Compiles the tool's schema; none where it is none, or where it refers to something elsewhere.
fn compile(parameters: Node<'_>) -> Option<Validator> {
    // The linear engine: patterns come from the pack.
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(&parameters.to_value()).ok()
}

fn check_args(
    key: &str,
    step: Step<'_>,
    parameters: Node<'_>,
    validator: &Validator,
    guesser: &Guesser,
    findings: &mut Findings<'_>,
) {
    let place = step.get("args");
    let args = place.map_or_else(|| serde_json::json!({}), Node::to_value);
    for error in validator.iter_errors(&args) {
        let node = place.and_then(|place| below(place, error.instance_path().as_str()));
        match node {
            Some(node) => report(key, step, parameters, node, &error, guesser, findings),
            None => {
                let name = step.get("id").unwrap_or(step.0);
                findings
                    .report(
                        step.0,
                        format!("step `{}` calls `{key}` without {}", called(step), missing(&error)),
                    )
                    .at(name.span())
                    .help("pass it under `args`");
            }
        }
    }
}

fn report(
    key: &str,
    step: Step<'_>,
    parameters: Node<'_>,
    node: Node<'_>,
    error: &ValidationError<'_>,
    guesser: &Guesser,
    findings: &mut Findings<'_>,
) {
    let id = called(step);
    let conditional = ["/then/", "/else/"].iter().any(|part| error.schema_path().as_str().contains(part));
    match error.kind() {
        // What a reference gives is known only when the step runs.
        _ if conditional && holds_reference(node) => {}
        ValidationErrorKind::Required { .. } => {
            findings
                .report(node, format!("step `{id}` calls `{key}` without {}", missing(error)))
                .help("pass it, or take it out of the tool's `required`");
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                let declared = parameters.map("properties").map(|(name, _)| name);
                findings
                    .report_key(
                        node.get(name).unwrap_or(node),
                        format!("step `{id}` passes `{name}`, which `{key}` does not take"),
                    )
                    .help("remove it, or declare it in the tool's `parameters`")
                    .suggest(guesser.closest(name, declared));
            }
        }
        _ if holds_reference(node) => {}
        _ => {
            let reason = error.masked_with("the value");
            findings
                .report(
                    node,
                    format!("step `{id}` calls `{key}` with a value that its parameters refuse: {reason}"),
                )
                .help("pass a value that the tool's schema takes");
        }
    }
}

/// The argument that an error says is missing.
fn missing(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("`{}`", property.as_str().unwrap_or_default())
        }
        _ => "arguments that it needs".to_owned(),
    }
}

fn below<'a>(args: Node<'a>, path: &str) -> Option<Node<'a>> {
    let mut pointer = args.pointer();
    for token in pack::Pointer::parse(path).tokens() {
        pointer.push(&token);
    }
    args.document().at(&pointer)
}

fn holds_reference(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.as_str().is_some_and(|text| !references(text).is_empty()) {
            return true;
        }
        open.extend(node.children());
    }
    false
}
