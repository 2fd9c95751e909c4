//! The pack that holds every field of the format, and a walk over it beside the schema that describes it.
//!
//! Older versions get the same pack without what came later.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::sync::LazyLock;

use pack::schema::{SchemaProblem, SchemaProblemKind as Kind};
use pack::{Document, SpecVersion};
use serde_json::{Value, json};

use crate::fixture::root;

/// The pack with every field of the newest version.
pub(crate) fn newest() -> Value {
    let text = fs::read(root().join("schema/everything.pack.json")).expect("a readable pack");
    serde_json::from_slice(&text).expect("the pack is JSON")
}

static PACKS: LazyLock<BTreeMap<SpecVersion, Value>> =
    LazyLock::new(|| SpecVersion::ALL.into_iter().map(|version| (version, reduced(version))).collect());

/// The pack with every field of one version, and nothing that came later.
pub(crate) fn everything(version: SpecVersion) -> Value {
    PACKS[&version].clone()
}

fn reduced(version: SpecVersion) -> Value {
    let mut value = newest();
    if version < SpecVersion::V1_8
        && let Some(steps) = value.pointer_mut("/compositions/visit/steps").and_then(Value::as_array_mut)
    {
        steps.retain(|step| step["kind"].as_str().is_some_and(|kind| !kind.contains('.')));
    }
    for problem in problems(&value, version) {
        assert_eq!(problem.kind, Kind::NewerField, "{version}: {problem:?}");
        remove(&mut value, problem.pointer.as_str());
    }
    value
}

/// What the schema of `version` refuses in a value.
pub(crate) fn problems(value: &Value, version: SpecVersion) -> Vec<SchemaProblem> {
    let document = Document::parse(value.to_string().as_bytes()).0.expect("a value is JSON");
    pack::schema::check(&document, version)
}

pub(crate) fn remove(value: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').expect("a place below the root");
    let parent = value.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    parent.remove(&key.replace("~1", "/").replace("~0", "~"));
}

/// The pack of `version` with `value` at `pointer`; without that member where the value is absent.
pub(crate) fn with(version: SpecVersion, pointer: &str, value: Option<Value>) -> Value {
    let mut pack = everything(version);
    let (parent, key) = pointer.rsplit_once('/').expect("a place below the root");
    match (pack.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent} in {version}")), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(key.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(key)),
        (Value::Array(items), Some(value)) => items[key.parse::<usize>().expect("a position")] = value,
        (other, _) => panic!("{parent} is {other}"),
    }
    pack
}

/// Kinds and places of problems.
pub(crate) fn said(problems: &[SchemaProblem]) -> Vec<(Kind, &str)> {
    problems.iter().map(|problem| (problem.kind, problem.pointer.as_str())).collect()
}

/// Expects that `value` at `pointer` is allowed.
pub(crate) fn valid(version: SpecVersion, pointer: &str, value: Value) {
    let pack = with(version, pointer, Some(value.clone()));
    assert_eq!(problems(&pack, version), [], "{version} {pointer}: {value}");
}

/// Expects one problem of that kind at `pointer` itself.
pub(crate) fn refused(version: SpecVersion, pointer: &str, value: Value, kind: Kind) {
    refused_at(version, pointer, value, kind, pointer);
}

/// Expects one problem of that kind at the place `at`.
pub(crate) fn refused_at(version: SpecVersion, pointer: &str, value: Value, kind: Kind, at: &str) {
    let pack = with(version, pointer, Some(value.clone()));
    assert_eq!(said(&problems(&pack, version)), [(kind, at)], "{version} {pointer}: {value}");
}

/// A value of the pack and one schema that describes it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) pointer: String,
    pub(crate) schema_at: String,
}

/// Walks a valid pack beside the schema of its version.
pub(crate) struct Walk<'a> {
    pub(crate) schema: &'a Value,
    pub(crate) places: Vec<Place>,
    covered: BTreeSet<String>,
    branches: HashMap<String, jsonschema::Validator>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(schema: &'a Value, value: &Value) -> Walk<'a> {
        let mut walk =
            Walk { schema, places: Vec::new(), covered: BTreeSet::new(), branches: HashMap::new() };
        walk.visit("", value, "");
        walk
    }

    pub(crate) fn at(&self, place: &Place) -> &'a Value {
        self.schema.pointer(&place.schema_at).expect("a visited schema")
    }

    fn visit(&mut self, at: &str, value: &Value, pointer: &str) {
        self.covered.insert(at.to_owned());
        let schema = self.schema.pointer(at).expect("a place of the schema");
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.visit(&reference[1..], value, pointer);
        }
        self.places.push(Place { pointer: pointer.to_owned(), schema_at: at.to_owned() });
        for index in 0..schema.get("oneOf").and_then(Value::as_array).map_or(0, Vec::len) {
            let branch = format!("{at}/oneOf/{index}");
            if self.fits(&branch, value) {
                self.visit(&branch, value, pointer);
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (key, member) in value.as_object().into_iter().flatten() {
            let inner = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            if properties.is_some_and(|properties| properties.contains_key(key)) {
                self.visit(&format!("{at}/properties/{key}"), member, &inner);
            } else if schema.get("additionalProperties").is_some_and(Value::is_object) {
                self.visit(&format!("{at}/additionalProperties"), member, &inner);
            }
        }
        if schema.get("items").is_some() {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                self.visit(&format!("{at}/items"), item, &format!("{pointer}/{index}"));
            }
        }
    }

    fn fits(&mut self, at: &str, value: &Value) -> bool {
        let schema = self.schema;
        let validator = self.branches.entry(at.to_owned()).or_insert_with(|| {
            let branch = json!({"$ref": format!("#{at}"), "$defs": schema["$defs"]});
            jsonschema::draft202012::new(&branch).expect("a branch is a schema")
        });
        validator.is_valid(value)
    }

    /// Properties and union branches of the schema that no value of the pack shows.
    pub(crate) fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        let mut open = vec![(String::new(), self.schema)];
        while let Some((at, schema)) = open.pop() {
            for keyword in ["properties", "$defs"] {
                for (key, inner) in schema.get(keyword).and_then(Value::as_object).into_iter().flatten() {
                    open.push((format!("{at}/{keyword}/{key}"), inner));
                }
            }
            for (index, inner) in
                schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().enumerate()
            {
                open.push((format!("{at}/oneOf/{index}"), inner));
            }
            for keyword in ["items", "additionalProperties"] {
                open.extend(schema.get(keyword).map(|inner| (format!("{at}/{keyword}"), inner)));
            }
            // What fits a narrow shape of a custom media block fits the generic one too, and is refused for it.
            let is_narrow_media = at.contains("/MediaConfig/additionalProperties/oneOf/");
            if !self.covered.contains(&at) && schema.is_object() && !is_narrow_media {
                missed.push(at);
            }
        }
        missed.sort();
        missed
    }
}
