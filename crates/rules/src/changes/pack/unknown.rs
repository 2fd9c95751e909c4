//! Keys that no version of the format gives a meaning.

use std::collections::BTreeMap;
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

/// All schemas that may speak of one value, references and branches followed.
type Schemas = Vec<&'static Value>;

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
    let root = flat([&*SCHEMA]);
    record(old, new, &root, changes);
    let states = children(&children(&children(&root, "workflow"), "states"), "");
    for (old, new) in &comparison.states.renamed {
        record(**old, **new, &states, changes);
    }
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
fn visit<'a>(old: Node<'a>, new: Node<'a>, schemas: &Schemas, changes: &mut Changes<'a>) {
    if old.is_array() && new.is_array() {
        let schemas = items(schemas);
        for (old, new) in paired_items(old, new) {
            visit(old, new, &schemas, changes);
        }
    } else if old.is_object() && new.is_object() {
        record(old, new, schemas, changes);
    }
}

fn record<'a>(old: Node<'a>, new: Node<'a>, schemas: &Schemas, changes: &mut Changes<'a>) {
    // A map has keys of its own, free content has no keys that anybody knows.
    let is_record = schemas.iter().any(|schema| schema.get("properties").is_some());
    let kept = old.members().filter(|(key, node)| old.get(key) == Some(*node));
    let added = new.members().filter(|(key, node)| old.get(key).is_none() && new.get(key) == Some(*node));
    for (key, _) in kept.chain(added) {
        let (old, new) = (old.get(key), new.get(key));
        // Most of two versions is the same text, and what is the same needs no look at the schema.
        if old.map(Node::source) == new.map(Node::source) {
            continue;
        }
        let schemas = children(schemas, key);
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
    COMPARED_ELSEWHERE.contains(&key)
        || match key {
            "prompts" | "tools" => matches!(node.pointer().as_str(), "/prompts" | "/tools"),
            "parameters" => node.pointer().as_str().starts_with("/tools/"),
            _ => false,
        }
}

/// The schemas of one member.
fn children(schemas: &Schemas, key: &str) -> Schemas {
    let declared = |schema: &'static Value| {
        let own = schema.get("properties").and_then(|properties| properties.get(key));
        own.or_else(|| schema.get("additionalProperties").filter(|schema| schema.is_object()))
    };
    flat(schemas.iter().filter_map(|schema| declared(schema)))
}

/// The schemas of the items of a list.
fn items(schemas: &Schemas) -> Schemas {
    flat(schemas.iter().filter_map(|schema| schema.get("items")))
}

/// Follows references and branches, so that every schema that may speak is in the list.
fn flat(schemas: impl IntoIterator<Item = &'static Value>) -> Schemas {
    let mut found: Schemas = Vec::new();
    let mut open: Schemas = schemas.into_iter().collect();
    while let Some(schema) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
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
