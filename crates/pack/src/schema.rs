//! JSON Schemas of every spec version, derived from one annotated schema, and what they say about a pack.
//!
//! `schema/promptpack.json` holds each fact of the format once, with the version in which it came. The schema of
//! one version is what is left when everything newer is taken away. Validation is the `jsonschema` crate's; this
//! module turns its errors into problems at the innermost value and chooses the branch of a union that the author
//! meant, so that nobody reads "matches no branch".

use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value};

use crate::json::Document;
use crate::pointer::Pointer;
use crate::spec::{SpecVersion, schema_url};

mod described;
mod problems;
mod shape;

#[cfg(test)]
mod tests;

use shape::Shapes;

pub use described::{Described, described};
pub use problems::{SchemaProblem, SchemaProblemKind};

static ANNOTATED: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../schema/promptpack.json")).expect("the annotated schema is JSON")
});

/// The schema of one version: as shapes for every pack, compiled for the `jsonschema` crate for those with mistakes.
struct Compiled {
    derived: Value,
    shapes: Shapes,
    validator: OnceLock<jsonschema::Validator>,
}

impl Compiled {
    fn new(version: SpecVersion) -> Compiled {
        let derived = derive(&ANNOTATED, version);
        let shapes = Shapes::new(&derived);
        Compiled { derived, shapes, validator: OnceLock::new() }
    }

    fn validator(&self) -> &jsonschema::Validator {
        let compile =
            || jsonschema::draft202012::new(&self.derived).expect("the derived schema is a valid schema");
        self.validator.get_or_init(compile)
    }
}

/// One slot per version of [`SpecVersion::ALL`]; a schema is compiled when a pack first needs it.
static COMPILED: [OnceLock<Compiled>; SpecVersion::ALL.len()] =
    [const { OnceLock::new() }; SpecVersion::ALL.len()];

fn compiled(version: SpecVersion) -> &'static Compiled {
    let slot = SpecVersion::ALL.iter().position(|known| *known >= version).unwrap_or(COMPILED.len() - 1);
    COMPILED[slot].get_or_init(|| Compiled::new(SpecVersion::ALL[slot]))
}

fn shapes(version: SpecVersion) -> &'static Shapes {
    &compiled(version).shapes
}

/// The JSON Schema (draft 2020-12) of one spec version, for other validators.
pub fn schema(version: SpecVersion) -> Value {
    let mut schema = derive(&ANNOTATED, version);
    strip_annotations(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.insert("$id".to_owned(), Value::from(schema_url(version)));
        root.remove("$comment");
    }
    schema
}

/// Everything that the schema of `version` refuses in the document, sorted by place.
pub fn check(document: &Document, version: SpecVersion) -> Vec<SchemaProblem> {
    let compiled = compiled(version);
    if compiled.shapes.accepts(document.root()) {
        return Vec::new();
    }
    let value = document.root().to_value();
    let mut problems = problems::Problems::new(document, version, &compiled.derived);
    for error in compiled.validator().iter_errors(&value) {
        problems.add(&error);
    }
    problems.finish()
}

/// The versions at which the annotated schema knows a property, for a key that one version lacks.
///
/// `object` is the pointer of the object schema inside the annotated schema.
fn since_of(object: &Pointer, key: &str) -> Option<SpecVersion> {
    let property = ANNOTATED.pointer(object.as_str())?.get("properties")?.get(key)?;
    property.get("x-since")?.as_str().and_then(plain_version)
}

/// A version of the annotations: always three parts, and 1.2 and 1.8 stand for themselves.
fn plain_version(text: &str) -> Option<SpecVersion> {
    match text {
        "1.2.0" => Some(SpecVersion::V1_2),
        "1.8.0" => Some(SpecVersion::V1_8),
        other => SpecVersion::parse(other),
    }
}

fn derive(schema: &Value, version: SpecVersion) -> Value {
    match schema {
        Value::Object(members) => Value::Object(derive_object(members, version)),
        Value::Array(items) => Value::Array(
            items.iter().filter(|item| exists(item, version)).map(|item| derive(item, version)).collect(),
        ),
        scalar => scalar.clone(),
    }
}

fn exists(schema: &Value, version: SpecVersion) -> bool {
    let since = schema.get("x-since").and_then(Value::as_str);
    since.is_none_or(|since| plain_version(since).is_some_and(|since| version >= since))
}

fn derive_object(members: &Map<String, Value>, version: SpecVersion) -> Map<String, Value> {
    let mut derived = Map::new();
    for (key, member) in members {
        let annotation = matches!(key.as_str(), "x-since" | "x-before" | "x-from");
        if !annotation && exists(member, version) {
            derived.insert(key.clone(), derive(member, version));
        }
    }
    for (keyword, applies) in [("x-before", false), ("x-from", true)] {
        let Some(Value::Object(overrides)) = members.get(keyword) else { continue };
        for (since, replaced) in overrides {
            let reached = plain_version(since).is_some_and(|since| version >= since);
            if reached == applies {
                replace(&mut derived, replaced, version);
            }
        }
    }
    derived
}

fn replace(derived: &mut Map<String, Value>, replaced: &Value, version: SpecVersion) {
    for (keyword, value) in replaced.as_object().into_iter().flatten() {
        match value {
            Value::Null => derived.remove(keyword),
            value => derived.insert(keyword.clone(), derive(value, version)),
        };
    }
}

fn strip_annotations(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|key, _| key != "x-union");
            members.values_mut().for_each(strip_annotations);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_annotations),
        _ => {}
    }
}
