//! Flags constraints that exclude every value.

use pack::Node;

use super::constraints::{keywords_of, reversed};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unsatisfiable-constraint",
    group: Group::Correctness,
    level: Level::Error,
    summary: "constraints that no value satisfies",
    why: "A caller or a model cannot send any value that passes, so every call fails.",
    fix: "Swap the bounds, or list the allowed values.",
    example: r#""validation": { "min_length": 20, "max_length": 10 }"#,
    check: Check::Pack(check),
};

/// Bounds of tool parameters with the JSON type that reads them.
const PARAMETER_BOUNDS: [(&str, &[(&str, &str)]); 4] = [
    ("string", &[("minLength", "maxLength")]),
    (
        "number",
        &[
            ("minimum", "maximum"),
            ("exclusiveMinimum", "maximum"),
            ("minimum", "exclusiveMaximum"),
            ("exclusiveMinimum", "exclusiveMaximum"),
        ],
    ),
    ("array", &[("minItems", "maxItems")]),
    ("object", &[("minProperties", "maxProperties")]),
];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let Some(validation) = variable.get("validation") else { continue };
        let read = variable.type_name().and_then(keywords_of);
        for bounds in [("min_length", "max_length"), ("minimum", "maximum")] {
            if read.is_none_or(|read| read.contains(&bounds.0)) {
                report_reversed(validation, &[bounds], findings);
            }
        }
        report_empty_enum(validation, findings);
    }
    for schema in pack.pack.tools().flat_map(|tool| tool.schemas()) {
        for (type_name, bounds) in PARAMETER_BOUNDS {
            if may_be(schema, type_name) {
                report_reversed(schema, bounds, findings);
            }
        }
        report_empty_enum(schema, findings);
    }
}

/// Whether a schema accepts values of that JSON type.
fn may_be(schema: Node<'_>, type_name: &str) -> bool {
    let is_named = |name: &str| name == type_name || (name == "integer" && type_name == "number");
    match schema.get("type") {
        Some(types) if types.is_array() => types.items().filter_map(Node::as_str).any(is_named),
        Some(one) => one.as_str().is_none_or(is_named),
        None => true,
    }
}

fn report_reversed(schema: Node<'_>, pairs: &[(&str, &str)], findings: &mut Findings<'_>) {
    for bounds in reversed(schema, pairs) {
        let shown = |bound: Node<'_>| format!("`{}` {}", bound.key().unwrap_or_default(), bound.source());
        let message = format!("{} is over {}: no value fits", shown(bounds.lower), shown(bounds.upper));
        findings.report(bounds.lower, message).help("swap the two, or drop one");
    }
}

fn report_empty_enum(schema: Node<'_>, findings: &mut Findings<'_>) {
    if let Some(list) = schema.get("enum").filter(|list| list.is_array() && list.is_empty()) {
        findings.report(list, "an empty `enum` allows no value").help("list the values, or drop the `enum`");
    }
}
