//! The OpenAPI document, out of the table of routes.

use serde_json::{Map, Value, json};

use super::routes::{Method, ROUTES, Route, Shape};

mod schemas;

/// The document.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES.iter().filter(|route| route.shape != Shape::Page) {
        let path = paths.entry(route.path.replace("{*", "{")).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "packhouse",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A registry of PromptPack packs. Errors are problem documents (RFC 9457).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": schemas::all(), "responses": {"Problem": problem()}},
    })
}

fn problem() -> Value {
    let schema = json!({"schema": schemas::reference("Problem")});
    json!({"description": "what went wrong", "content": {"application/problem+json": schema}})
}

fn operation(route: &Route) -> Value {
    let names = names_in(route.path).map(|name| {
        json!({"name": name, "in": "path", "required": true, "description": about_parameter(name), "schema": {"type": "string"}})
    });
    let query = route.query.iter().map(|name| {
        json!({"name": name, "in": "query", "description": about_parameter(name), "schema": schema_of(name)})
    });
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "x-scope": route.scope_name(),
        "x-pack-bound": route.pack_bound,
        "parameters": names.chain(query).collect::<Vec<Value>>(),
        "responses": responses(route),
    });
    if !matches!(route.method, Method::Get | Method::Delete)
        && let Some(schema) = schemas::body_of(route.path)
    {
        let content = json!({"application/json": {"schema": schema}});
        operation["requestBody"] =
            json!({"required": !schemas::may_be_missing(route.path), "content": content});
    }
    operation
}

fn responses(route: &Route) -> Value {
    let (media_type, schema) = match route.shape {
        Shape::Json(name) => ("application/json", schemas::reference(name)),
        Shape::Bytes(media_type) => (media_type, json!({})),
        Shape::Text(media_type) => (media_type, json!({})),
        Shape::Page => ("text/html", json!({})),
    };
    let is_hint = route.path.ends_with("/sync") || route.path.starts_with("/v1/hooks/");
    let status = if is_hint { "202" } else { "200" };
    let mut content = json!({media_type: {"schema": schema}});
    if route.path == "/v1/events" {
        content["text/event-stream"] = json!({"schema": {"type": "string"}});
    }
    json!({
        status: {"description": route.summary, "content": content},
        "default": {"$ref": "#/components/responses/Problem"},
    })
}

/// The names in braces, without the star of one that takes the rest of the path.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    parts.map(|name| name.trim_start_matches('*'))
}

/// The path as one word: `get-packs-id-versions-version`.
fn operation_id(route: &Route) -> String {
    let path = route.path.trim_start_matches("/v1");
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let method = route.method.as_str().to_lowercase();
    std::iter::once(method.as_str()).chain(words).collect::<Vec<&str>>().join("-")
}

/// What a parameter means, wherever it stands.
pub(crate) fn about_parameter(name: &str) -> &'static str {
    match name {
        "id" => "the id of a pack or rule",
        "version" => "an exact version",
        "pair" => "two versions with three dots between them: `1.0.0...1.1.0`",
        "hex" => "the 64 hexadecimal digits of a SHA-256 digest",
        "ref" => "a reference: `id@VERSION`, `id@RANGE`, `id@CHANNEL`, `id@sha256:HEX`, or `id`",
        "name" => "the name of a source, channel or skill; the second skill of one name is `name~2`",
        "file" => "the path of a file below the skill's folder",
        "limit" => "how many entries at most",
        "cursor" => "where to go on: `next_cursor` of the page before",
        "form" => "`resolved` (default), `source`, `portable`, `bundle` or `manifest`; a bundle is a tar.gz",
        "q" => "words, and filters such as `tag:x tool:y id:z prompt:p`",
        "tag" => "a tag that must be there; may stand several times",
        "tool" => "a tool that must be there; may stand several times",
        "domain" => "the domain",
        "language" => "the language",
        "source" => "the name of the source",
        "against" => "`latest`, a version or `none`; without it the release that the pack would be judged by",
        "all" => "`true` shows problems that are over too",
        "rejudge" => "`true` judges again what was refused",
        "after" => "the number of the last event that is known",
        _ => "",
    }
}

fn schema_of(name: &str) -> Value {
    match name {
        "limit" => json!({"type": "integer", "minimum": 1}),
        "after" => json!({"type": "integer", "minimum": 0}),
        "all" | "rejudge" => json!({"type": "boolean"}),
        "tag" | "tool" => json!({"type": "array", "items": {"type": "string"}}),
        "form" => json!({"type": "string", "enum": ["resolved", "source", "portable", "bundle", "manifest"]}),
        _ => json!({"type": "string"}),
    }
}
