//! Flags required parameters that have no schema.

use std::collections::BTreeSet;

use super::subschemas::{Subschema, subschemas};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::Guesser;
use regex::RegexSet;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-parameter",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`required` names a parameter that `properties` lacks",
    why: "The model is asked for an argument that nothing describes, so it guesses, or its calls are refused.",
    fix: "Declare the parameter under `properties`, or correct the name.",
    example: r#""properties": { "city": { "type": "string" } }, "required": ["town"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for parameters in pack.pack.tools().filter_map(|tool| tool.parameters()) {
        for schema in subschemas(parameters).into_iter().filter(is_whole) {
            check_object(schema.node, &guesser, findings);
        }
    }
}

/// Whether the schema alone says which properties its object has: no other schema adds to it.
fn is_whole(schema: &Subschema<'_>) -> bool {
    const ADDING: [&str; 9] =
        ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];
    !schema.in_place && ADDING.iter().all(|keyword| schema.node.get(keyword).is_none())
}

fn check_object(schema: Node<'_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some(properties) = schema.get("properties").filter(|node| node.is_object()) else { return };
    let mut missing = schema.texts("required").filter(|(name, _)| properties.get(name).is_none()).peekable();
    if missing.peek().is_none() {
        return;
    }
    // A pattern that does not compile may mean anything.
    let patterns = schema.map("patternProperties").map(|(pattern, _)| pattern);
    let Ok(patterns) = RegexSet::new(patterns) else { return };
    let required: BTreeSet<&str> = schema.texts("required").map(|(name, _)| name).collect();
    let optional = || properties.members().map(|(key, _)| key).filter(|key| !required.contains(key));
    for (name, node) in missing.filter(|(name, _)| !patterns.is_match(name)) {
        findings
            .report(node, format!("`required` names `{name}`, which `properties` lacks"))
            .help("declare it under `properties`")
            .suggest_for(node, guesser.closest(name, optional()));
    }
}
