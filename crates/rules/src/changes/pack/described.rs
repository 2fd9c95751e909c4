//! What the schema of the newest version of the format says of a place in a pack.

use std::sync::LazyLock;

use pack::SpecVersion;
use pack::json::Node;
use serde_json::Value;

use crate::place::NAMING_KEYS;

pub(super) static SCHEMA: LazyLock<Value> = LazyLock::new(|| pack::schema::schema(SpecVersion::NEWEST));

/// All schemas that may speak of one value, references and branches followed.
pub(super) type Schemas = Vec<&'static Value>;

/// Whether the value has a type that one of the schemas names; where none names any, all do.
pub(super) fn fits(node: Node<'_>, schemas: &Schemas) -> bool {
    let mut named = schemas.iter().flat_map(|schema| types(schema)).peekable();
    named.peek().is_none() || named.any(|name| is_of(node, name))
}

fn types(schema: &'static Value) -> Vec<&'static str> {
    let of_values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ => of_values.chain(schema.get("const")).map(type_of).collect(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of(node: Node<'_>, name: &str) -> bool {
    match name {
        "integer" => node.as_exact().is_some_and(|exact| exact.is_integer()),
        _ => node.json_type().name() == name,
    }
}

/// Whether it is a list whose items have no members of their own.
pub(super) fn is_list_of_values(schemas: &Schemas) -> bool {
    let is_list = schemas.iter().flat_map(|schema| types(schema)).any(|name| name == "array");
    is_list && items(schemas).iter().flat_map(|schema| types(schema)).all(|name| name != "object")
}

/// Whether each item of a list must have a name.
pub(super) fn are_named(items: &Schemas) -> bool {
    let mut records = items.iter().filter(|schema| schema.get("properties").is_some()).peekable();
    let is_name = |key: &Value| key.as_str().is_some_and(|key| NAMING_KEYS.contains(&key));
    let requires_name = |schema: &&&Value| {
        schema.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(is_name))
    };
    records.peek().is_some() && records.all(|schema| requires_name(&schema))
}

/// The schemas of one member.
pub(super) fn children(schemas: &Schemas, key: &str) -> Schemas {
    let declared = |schema: &'static Value| {
        let own = schema.get("properties").and_then(|properties| properties.get(key));
        own.or_else(|| schema.get("additionalProperties").filter(|schema| schema.is_object()))
    };
    flat(schemas.iter().filter_map(|schema| declared(schema)))
}

/// The schemas of the items of a list.
pub(super) fn items(schemas: &Schemas) -> Schemas {
    flat(schemas.iter().filter_map(|schema| schema.get("items")))
}

/// Follows references and branches, so that every schema that may speak is in the list.
pub(super) fn flat(schemas: impl IntoIterator<Item = &'static Value>) -> Schemas {
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
