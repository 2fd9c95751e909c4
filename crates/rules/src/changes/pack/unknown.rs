//! Keys that no version of the format gives a meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pack::SpecVersion;
use pack::json::Node;
use serde_json::Value;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::written;
use crate::place::own_name;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "unknown-field-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a field that the format does not know changed",
    why: "The format gives the field no meaning, but some runtime may: whether it does is not visible in the pack.",
    fix: "Move vendor data into `extensions`, which is meant for it, or remove the field.",
    mirror: Mirror::Itself,
};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| pack::schema::schema(SpecVersion::NEWEST));

/// Parts that other rules compare as a whole, and content that is nobody's field.
const COMPARED_ELSEWHERE: [&str; 12] = [
    "capabilities",
    "compilation",
    "cost_estimate",
    "engine",
    "examples",
    "extensions",
    "middleware",
    "obligations",
    "predicate",
    "retry",
    "reviews",
    "tested_models",
];

/// States that an unknown key came, went or changed inside things that both versions have.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*comparison.old.pack, *comparison.new.pack);
    let root = [&*SCHEMA];
    record(old, new, &root, changes);
    for (key, pairs) in [("prompts", prompts(comparison)), ("tools", tools(comparison))] {
        let schemas = children(&children(&root, key), "");
        for (old, new) in pairs {
            record(old, new, &schemas, changes);
        }
    }
}

fn prompts<'a>(comparison: &Comparison<'a>) -> Vec<(Node<'a>, Node<'a>)> {
    comparison.prompts.pairs().map(|(old, new)| (*old.prompt, *new.prompt)).collect()
}

fn tools<'a>(comparison: &Comparison<'a>) -> Vec<(Node<'a>, Node<'a>)> {
    comparison.tools.pairs().map(|(old, new)| (*old, *new)).collect()
}

/// Compares two values that the schemas describe.
fn visit<'a>(old: Node<'a>, new: Node<'a>, schemas: &[&'static Value], changes: &mut Changes<'a>) {
    if old.is_array() && new.is_array() {
        let schemas = items(schemas);
        for (old, new) in paired_items(old, new) {
            visit(old, new, &schemas, changes);
        }
    } else if old.is_object() && new.is_object() {
        record(old, new, schemas, changes);
    }
}

fn record<'a>(old: Node<'a>, new: Node<'a>, schemas: &[&'static Value], changes: &mut Changes<'a>) {
    let objects = flat(schemas);
    let is_record = objects.iter().any(|schema| schema.get("properties").is_some());
    let keys: BTreeSet<&str> = old.members().chain(new.members()).map(|(key, _)| key).collect();
    for key in keys {
        let schemas = children(&objects, key);
        let (old, new) = (old.get(key), new.get(key));
        if schemas.is_empty() && is_record && written(old) != written(new) {
            let message = format!("field `{key}`, which the format does not know, changed");
            changes.report(&CHANGED, At::either(old, new), message);
        }
        if let (Some(old), Some(new), false) = (old, new, schemas.is_empty())
            && !is_compared_elsewhere(old, key)
        {
            visit(old, new, &schemas, changes);
        }
    }
}

fn is_compared_elsewhere(node: Node<'_>, key: &str) -> bool {
    let pointer = node.pointer();
    let is_collection = matches!(pointer.as_str(), "/prompts" | "/tools");
    let is_json_schema = key == "parameters" && pointer.as_str().starts_with("/tools/");
    is_collection || is_json_schema || COMPARED_ELSEWHERE.contains(&key)
}

/// The schemas of one member.
fn children(schemas: &[&'static Value], key: &str) -> Vec<&'static Value> {
    let mut found = Vec::new();
    for schema in flat(schemas) {
        let declared = schema.get("properties").and_then(|properties| properties.get(key));
        let other = schema.get("additionalProperties").filter(|schema| schema.is_object());
        found.extend(declared.or(other));
    }
    found
}

fn items(schemas: &[&'static Value]) -> Vec<&'static Value> {
    flat(schemas).into_iter().filter_map(|schema| schema.get("items")).collect()
}

/// Follows references and branches.
fn flat(schemas: &[&'static Value]) -> Vec<&'static Value> {
    let mut found = Vec::new();
    let mut open: Vec<&'static Value> = schemas.to_vec();
    while let Some(schema) = open.pop() {
        let reference =
            schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        open.extend(reference.and_then(|pointer| SCHEMA.pointer(pointer)));
        for keyword in ["oneOf", "anyOf", "allOf"] {
            open.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        found.push(schema);
    }
    found
}

/// Items of one name, and items without names at one position.
fn paired_items<'a>(old: Node<'a>, new: Node<'a>) -> Vec<(Node<'a>, Node<'a>)> {
    let name = |item: Node<'a>| {
        own_name(item).map_or_else(|| item.position().to_string(), |name| format!("{{{name}}}"))
    };
    let news: BTreeMap<String, Node<'a>> = new.items().rev().map(|item| (name(item), item)).collect();
    old.items().filter_map(|item| Some((item, *news.get(&name(item))?))).collect()
}
