//! Flags tool parameters that are no JSON Schema.

use std::collections::BTreeSet;

use super::subschemas::{LISTS, MAPS, Targets, subschemas};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::closest;

pub(super) const LINT: Lint = Lint {
    id: "invalid-parameter-schema",
    group: Group::Correctness,
    level: Level::Error,
    summary: "the parameters of a tool are no valid JSON Schema",
    why: "Model providers refuse a request that carries such a schema, so every call of the prompt fails.",
    fix: "Repair the keyword that the message names.",
    example: r#""properties": { "city": { "type": "str", "required": true } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for parameters in pack.pack.tools().filter_map(|tool| tool.parameters()) {
        let schemas = subschemas(parameters);
        let targets = Targets::of(parameters, &schemas);
        for schema in schemas.iter().map(|schema| schema.node) {
            if !schema.is_object() && schema.as_bool().is_none() {
                findings.report(schema, "a JSON Schema is an object or a boolean");
            }
            check_type(schema, findings);
            check_required(schema, findings);
            check_shapes(schema, findings);
            check_reference(schema, &targets, findings);
        }
    }
}

fn check_type(schema: Node<'_>, findings: &mut Findings<'_>) {
    let Some(types) = schema.get("type") else { return };
    if types.is_array() && types.is_empty() {
        findings.report(types, "`type` names no type");
    }
    if !types.is_array() && types.as_str().is_none() {
        findings.report(types, "`type` must be the name of a type, or a list of names");
    }
    let mut seen = BTreeSet::new();
    for one in types.items().chain([types].into_iter().filter(|one| !one.is_array())) {
        let Some(name) = one.as_str() else {
            if types.is_array() {
                findings.report(one, "`type` must list names of types");
            }
            continue;
        };
        if !TYPES.contains(&name) {
            let near = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
            let near = near.map(|(_, meant)| *meant).or_else(|| closest(name, TYPES));
            findings
                .report(one, format!("JSON Schema has no type `{name}`"))
                .help(format!("the types are `{}`", TYPES.join("`, `")))
                .suggest_for(one, near);
        } else if !seen.insert(name) {
            findings.report(one, format!("`type` lists `{name}` twice"));
        }
    }
}

fn check_required(schema: Node<'_>, findings: &mut Findings<'_>) {
    let Some(required) = schema.get("required") else { return };
    if !required.is_array() {
        findings
            .report(required, "`required` must be a list of parameter names")
            .help("list the required parameters in the schema of the object that holds them");
    }
    let mut seen = BTreeSet::new();
    for item in required.items() {
        match item.as_str() {
            None => {
                findings.report(item, "`required` must list parameter names");
            }
            Some(name) if !seen.insert(name) => {
                findings
                    .report(item, format!("`required` lists `{name}` twice"))
                    .help("remove one of the two");
            }
            Some(_) => {}
        }
    }
}

/// Keywords that hold schemas, or the values of an enumeration, in the container they need.
fn check_shapes(schema: Node<'_>, findings: &mut Findings<'_>) {
    for (keyword, value) in schema.members() {
        if MAPS.contains(&keyword) && !value.is_object() {
            findings.report(value, format!("`{keyword}` must be an object of schemas"));
        } else if LISTS.contains(&keyword) && (!value.is_array() || value.is_empty()) {
            findings.report(value, format!("`{keyword}` must be a list with at least one schema"));
        } else if keyword == "enum" && !value.is_array() {
            findings.report(value, "`enum` must be a list of values");
        }
    }
}

fn check_reference(schema: Node<'_>, targets: &Targets<'_>, findings: &mut Findings<'_>) {
    let Some(node) = schema.get("$ref") else { return };
    match node.as_str() {
        None => {
            findings.report(node, "`$ref` must be a text");
        }
        Some(reference) if !targets.resolves(reference) => {
            findings
                .report(node, format!("`{reference}` names nothing in the parameters"))
                .help("a local `$ref` starts at `parameters`, such as `#/$defs/address`");
        }
        Some(_) => {}
    }
}

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

/// What other languages call the types.
const ALIASES: [(&str, &str); 11] = [
    ("str", "string"),
    ("text", "string"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("bool", "boolean"),
    ("dict", "object"),
    ("map", "object"),
    ("list", "array"),
    ("nil", "null"),
];
