//! The table of routes is complete, and the OpenAPI document tells of all of it.
#![allow(clippy::disallowed_methods, reason = "one test reads the sources of this crate")]

use std::path::Path;

use axum::body::Body;
use axum::http::Request;
use serde_json::Value;

use super::support::World;
use crate::web::routes::{Method, ROUTES, Shape};

/// Routes are added in one place only: whoever adds one elsewhere passes the guard, the rights and the documents.
#[test]
fn no_route_is_added_past_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = vec![root];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if !text.contains("axum") {
            continue;
        }
        let builds = [".route(", ".route_service(", ".nest(", ".nest_service(", ".merge("];
        let found = builds.iter().map(|call| text.matches(call).count()).sum::<usize>();
        let expected =
            match path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below").to_string_lossy().as_ref() {
                "src/web/routes.rs" => 1,
                "src/web/tests/routes.rs" => builds.len(),
                _ => 0,
            };
        assert_eq!(found, expected, "{} builds routes", path.display());
    }
}

/// A path of the table with every name filled in.
pub fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{id}" if path.starts_with("/rules") || path.starts_with("/v1/rules") => "undeclared-variable",
        "{id}" => "greeter",
        "{version}" => "1.0.0",
        "{pair}" => "1.0.0...1.0.0",
        "{name}" if path.contains("/sources/") => "packs",
        "{name}" => "wave",
        "{*file}" if path.contains("/files/") => "schemas/input.txt",
        "{*file}" => "SKILL.md",
        "{hex}" => "HEX",
        "{ref}" => "greeter",
        "{slug}" => "not-found",
        part => part,
    });
    parts.collect::<Vec<&str>>().join("/")
}

#[test]
fn every_route_answers_what_the_table_says() {
    let mut pack = super::support::greeter("1.0.0");
    pack["skills"] = serde_json::json!(["skills/wave"]);
    let skill = "---\nname: wave\ndescription: Waves.\n---\nWave.\n";
    pack["compositions"] = super::support::composition("schemas/input.txt");
    let world = World::empty()
        .file("skills/wave/SKILL.md", skill)
        .file("schemas/input.txt", r#"{"type": "object"}"#)
        .publish(&pack);
    let hex = pack::Digest::of(skill.as_bytes()).hex();
    for route in ROUTES.iter().filter(|route| route.method == Method::Get) {
        let path = filled(route.path).replace("HEX", &hex);
        let reply = world.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let expected = match route.shape {
            Shape::Json(_) => "application/json",
            Shape::Bytes("application/octet-stream") => "text/plain",
            Shape::Bytes(media_type) | Shape::Text(media_type) => media_type,
            Shape::Page => "text/html",
        };
        assert!(
            reply.header("content-type").starts_with(expected),
            "{path}: {}",
            reply.header("content-type")
        );
        assert!(reply.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        let head = world.ask(Request::head(path.as_str()).body(Body::empty()).expect("a request"));
        assert_eq!(head.status, 200, "HEAD {path}");
    }
}

#[test]
fn every_route_that_names_a_pack_is_bound_to_it() {
    for route in ROUTES {
        let names_a_pack = route.path.contains("packs/{id}") || route.path.contains("{ref}");
        assert_eq!(route.pack_bound, names_a_pack, "{}", route.path);
    }
}

#[test]
fn the_openapi_document_tells_of_every_route() {
    let document = World::empty().get("/openapi.json").json();
    for route in ROUTES.iter().filter(|route| route.shape != Shape::Page) {
        let operation =
            &document["paths"][route.path.replace("{*", "{")][route.method.as_str().to_lowercase()];
        assert_eq!(operation["summary"], route.summary, "{}", route.path);
        for parameter in operation["parameters"].as_array().expect("parameters") {
            assert_ne!(parameter["description"], "", "{}: {parameter}", route.path);
        }
    }
    assert_references_exist(&document, &document);
}

fn assert_references_exist(value: &Value, document: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                assert!(document.pointer(&target[1..]).is_some(), "{target} is not there");
            }
            members.values().for_each(|member| assert_references_exist(member, document));
        }
        Value::Array(items) => items.iter().for_each(|item| assert_references_exist(item, document)),
        _ => {}
    }
}

/// What the API sends has the members that its schema asks for, and no others.
#[test]
fn answers_have_the_shape_of_their_schema() {
    let world = World::empty()
        .greeter("1.0.0")
        .publish(&super::support::breaking_greeter("1.1.0"))
        .problem(&super::support::a_problem(registry::ProblemCode::NotJson, "b.pack.json", "1:2: odd"), true);
    let document = world.get("/openapi.json").json();
    for route in ROUTES.iter().filter(|route| route.method == Method::Get) {
        let Shape::Json(name) = route.shape else { continue };
        let answer = world.get(&filled(route.path)).json();
        assert_shape(&answer, &document["components"]["schemas"][name], &document, route.path);
    }
    let check = world.post("/v1/check", super::support::greeter("2.0.0").to_string()).json();
    assert_shape(&check, &document["components"]["schemas"]["Check"], &document, "/v1/check");
    let report = world.get("/v1/packs/greeter/compare/1.0.0...1.1.0").json();
    assert_shape(&report, &document["components"]["schemas"]["Diff"], &document, "compare");
}

fn assert_shape(value: &Value, schema: &Value, document: &Value, place: &str) {
    if let Some(target) = schema["$ref"].as_str() {
        return assert_shape(value, document.pointer(&target[1..]).expect("a schema"), document, place);
    }
    if let Some(either) = schema["anyOf"].as_array() {
        if !value.is_null() {
            assert_shape(value, &either[0], document, place);
        }
        return;
    }
    match schema["type"].as_str() {
        Some("object") => {
            let members = value.as_object().unwrap_or_else(|| panic!("{place} is no object: {value}"));
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(members.contains_key(name.as_str().expect("a name")), "{place} has no {name}");
            }
            for (name, member) in members {
                let place = format!("{place}/{name}");
                match (schema["properties"].get(name), schema.get("additionalProperties")) {
                    (Some(schema), _) | (None, Some(schema)) => {
                        assert_shape(member, schema, document, &place)
                    }
                    (None, None) => panic!("{place} is in no schema"),
                }
            }
        }
        Some("array") => {
            let items = value.as_array().unwrap_or_else(|| panic!("{place} is no list: {value}"));
            items.iter().for_each(|item| assert_shape(item, &schema["items"], document, place));
        }
        Some("string") => assert!(value.is_string(), "{place}: {value}"),
        Some("integer") => assert!(value.is_u64(), "{place}: {value}"),
        Some("boolean") => assert!(value.is_boolean(), "{place}: {value}"),
        _ => {}
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value}");
    }
}
