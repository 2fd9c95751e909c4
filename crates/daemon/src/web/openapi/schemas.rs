//! JSON Schemas of the answers, out of a short notation that people can proofread.

use serde_json::{Map, Value, json};

/// The shapes; the notation is explained at its top.
const SHAPES: &str = include_str!("schemas.txt");

/// Every schema, by name.
pub(super) fn all() -> Value {
    let mut schemas = Map::new();
    schemas.insert("Bump".to_owned(), words("none|patch|minor|major"));
    schemas.insert("Level".to_owned(), words("off|info|warn|error"));
    let lines = SHAPES.lines().filter(|line| !line.starts_with('#')).collect::<Vec<&str>>().join("\n");
    for block in lines.split("\n\n") {
        let mut lines = block.lines().filter(|line| !line.is_empty());
        if let Some(name) = lines.next() {
            schemas.insert(name.to_owned(), object(lines));
        }
    }
    schemas.into()
}

fn object<'l>(lines: impl Iterator<Item = &'l str>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, kind) in lines.filter_map(|line| line.trim().split_once(' ')) {
        let optional = name.strip_suffix('?');
        if optional.is_none() {
            required.push(name);
        }
        properties.insert(optional.unwrap_or(name).to_owned(), schema(kind));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn schema(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix('?') {
        return json!({"anyOf": [schema(kind), {"type": "null"}]});
    }
    let inside = |open, close| kind.strip_prefix(open).and_then(|kind| kind.strip_suffix(close));
    if let Some(items) = inside('[', ']') {
        return json!({"type": "array", "items": schema(items)});
    }
    if let Some(values) = inside('{', '}') {
        return json!({"type": "object", "additionalProperties": schema(values)});
    }
    match kind {
        "any" => json!({}),
        "string" | "integer" | "number" | "boolean" => json!({"type": kind}),
        "digest" => json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}),
        "time" => json!({"type": "string", "format": "date-time"}),
        kind if kind.contains('|') => words(kind),
        name => reference(name),
    }
}

fn words(words: &str) -> Value {
    json!({"type": "string", "enum": words.split('|').collect::<Vec<&str>>()})
}

/// A pointer to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Whether a path is answered without the body that it takes.
pub(super) fn may_be_missing(path: &str) -> bool {
    path.ends_with("/unyank") || path.ends_with("/undeprecate")
}

/// The body that a path takes.
pub(super) fn body_of(path: &str) -> Option<Value> {
    match path {
        "/v1/resolve" => Some(reference("References")),
        "/v1/hooks/{source}" => Some(json!({"description": "whatever the host sends; its bytes are signed"})),
        "/v1/packs/{id}/channels/{name}" => Some(reference("ChannelBody")),
        path if path.starts_with("/v1/packs/{id}/versions/") => Some(reference("Reason")),
        "/v1/check" => Some(json!({"type": "object", "description": "a PromptPack pack"})),
        _ => None,
    }
}
