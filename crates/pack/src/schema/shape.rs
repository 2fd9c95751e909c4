//! The derived schema of one version, compiled for walking over a document: references resolved, names sorted.
//!
//! It answers the two questions that every pack is asked: what the format says of a value, and whether a value is
//! beyond doubt. Most packs break nothing, and for them [`Shapes::accepts`] decides without a copy of the document.
//! It knows the keywords that the annotated schema uses; where it is not certain it says so, and the `jsonschema`
//! crate decides and explains.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::json::{JsonType, Node};

mod judge;

/// The shapes of one schema; the first is the root.
#[derive(Debug)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// Each pattern once, compiled when a string first meets it.
    patterns: Vec<(String, OnceLock<Option<Regex>>)>,
}

/// The place of a shape in its [`Shapes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id(u32);

/// What one schema object asks for.
#[derive(Debug, Default)]
pub(super) struct Shape {
    reference: Option<Id>,
    types: Option<Types>,
    constant: Option<Value>,
    enumeration: Option<Vec<Value>>,
    /// Position in [`Shapes::patterns`].
    pattern: Option<u32>,
    min_length: Option<usize>,
    max_length: Option<usize>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_items: usize,
    unique_items: bool,
    items: Option<Id>,
    min_properties: usize,
    /// Sorted by the length of their keys, then by key: most look-ups compare numbers only.
    properties: Vec<Property>,
    has_properties: bool,
    additional: Additional,
    required: Vec<String>,
    one_of: Vec<Id>,
    any_of: Vec<Id>,
    condition: Option<Condition>,
    /// The value of `kind` that this object is meant for.
    kind: Option<String>,
    /// Whether it uses a keyword that is not known here.
    is_partial: bool,
}

/// A member that a shape names.
#[derive(Debug)]
struct Property {
    key: String,
    id: Id,
}

/// The types that a shape allows; whole numbers are apart.
#[derive(Debug, Clone, Copy, Default)]
struct Types {
    listed: u8,
    integer: bool,
}

/// What a shape says of members that it does not name.
#[derive(Debug, Default, Clone, Copy)]
enum Additional {
    #[default]
    Open,
    Closed,
    Shaped(Id),
}

/// `if`, `then` and `else`.
#[derive(Debug)]
struct Condition {
    condition: Id,
    then: Option<Id>,
    otherwise: Option<Id>,
}

impl Types {
    fn bit(json_type: JsonType) -> u8 {
        1 << json_type as u8
    }

    fn add(&mut self, name: &str) -> bool {
        let json_type = match name {
            "integer" => {
                self.integer = true;
                return true;
            }
            "null" => JsonType::Null,
            "boolean" => JsonType::Boolean,
            "number" => JsonType::Number,
            "string" => JsonType::String,
            "array" => JsonType::Array,
            "object" => JsonType::Object,
            _ => return false,
        };
        self.listed |= Types::bit(json_type);
        true
    }
}

impl Shape {
    /// Whether whole numbers are asked for.
    pub(super) fn is_integer(&self) -> bool {
        self.types.is_some_and(|types| types.integer)
    }

    /// Whether it names members at all.
    pub(super) fn has_properties(&self) -> bool {
        self.has_properties
    }

    /// Whether other parties may add members.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.additional, Additional::Open)
    }

    /// The names of the members that it knows.
    pub(super) fn keys(&'static self) -> impl Iterator<Item = &'static str> + Clone {
        self.properties.iter().map(|property| property.key.as_str())
    }

    /// The members that must be there.
    pub(super) fn required(&'static self) -> impl Iterator<Item = &'static str> {
        self.required.iter().map(String::as_str)
    }

    /// The value of `kind` that it is meant for.
    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Whether it knows the member of that name.
    pub(super) fn has_property(&self, key: &str) -> bool {
        self.property(key).is_some()
    }

    fn property(&self, key: &str) -> Option<Id> {
        let order = |property: &Property| (property.key.len(), property.key.as_str()).cmp(&(key.len(), key));
        let at = self.properties.binary_search_by(order).ok()?;
        Some(self.properties[at].id)
    }
}

impl Shapes {
    /// Compiles a derived schema.
    pub(super) fn new(schema: &Value) -> Shapes {
        let mut compiler = Compiler {
            schema,
            shapes: Shapes { shapes: Vec::new(), patterns: Vec::new() },
            targets: Vec::new(),
        };
        compiler.shape(schema);
        compiler.shapes
    }

    /// How many shapes use keywords that are not known here.
    #[cfg(test)]
    pub(super) fn partial(&self) -> usize {
        self.shapes.iter().filter(|shape| shape.is_partial).count()
    }

    /// The shape of the whole document.
    pub(super) fn root(&self) -> &Shape {
        &self.shapes[0]
    }

    /// Follows a reference; no definition refers to itself directly.
    pub(super) fn target<'s>(&'s self, shape: &'s Shape) -> &'s Shape {
        let mut shape = shape;
        while let Some(target) = shape.reference {
            shape = self.at(target);
        }
        shape
    }

    /// The branches of a union.
    pub(super) fn branches<'s>(&'s self, shape: &'s Shape) -> impl Iterator<Item = &'s Shape> {
        shape.one_of.iter().map(|id| self.at(*id))
    }

    /// The shape of a member or item, as its parent describes it.
    pub(super) fn of_child<'s>(&'s self, shape: &'s Shape, child: Node<'_>) -> Option<&'s Shape> {
        let id = match child.key() {
            Some(key) => match (shape.property(key), shape.additional) {
                (Some(property), _) => property,
                (None, Additional::Shaped(id)) => id,
                (None, _) => return None,
            },
            None => shape.items?,
        };
        Some(self.at(id))
    }

    fn at(&self, id: Id) -> &Shape {
        &self.shapes[id.0 as usize]
    }
}

struct Compiler<'s> {
    schema: &'s Value,
    shapes: Shapes,
    /// References that were met, and the shapes that they mean.
    targets: Vec<(&'s str, Id)>,
}

impl<'s> Compiler<'s> {
    /// Adds the shape of a schema. `true` and `false` are shapes without and beyond any demand.
    fn shape(&mut self, schema: &'s Value) -> Id {
        let id = Id(self.shapes.shapes.len() as u32);
        self.shapes.shapes.push(Shape::default());
        let shape = match schema {
            Value::Object(members) => self.object(members),
            Value::Bool(true) => Shape::default(),
            _ => Shape { is_partial: true, ..Shape::default() },
        };
        self.shapes.shapes[id.0 as usize] = shape;
        id
    }

    fn object(&mut self, members: &'s Map<String, Value>) -> Shape {
        let mut shape = Shape::default();
        for (keyword, value) in members {
            let known = self.text_keyword(&mut shape, keyword, value)
                || self.number_keyword(&mut shape, keyword, value)
                || self.structure_keyword(&mut shape, keyword, value);
            shape.is_partial |= !known;
        }
        if let Some(condition) = members.get("if") {
            let mut branch = |keyword| members.get(keyword).map(|schema| self.shape(schema));
            let (then, otherwise) = (branch("then"), branch("else"));
            shape.condition = Some(Condition { condition: self.shape(condition), then, otherwise });
        }
        shape
    }

    /// Keywords about any value and about strings; whether it was one of them and could be read.
    fn text_keyword(&mut self, shape: &mut Shape, keyword: &str, value: &'s Value) -> bool {
        match (keyword, value) {
            ("$schema" | "$id" | "$comment" | "$defs" | "title" | "description" | "default", _) => true,
            ("examples" | "x-union" | "if" | "then" | "else", _) => true,
            ("type", Value::String(name)) => shape.types.get_or_insert_default().add(name),
            ("type", Value::Array(names)) => {
                let types = shape.types.get_or_insert_default();
                names.iter().all(|name| name.as_str().is_some_and(|name| types.add(name)))
            }
            ("const", value) => {
                shape.constant = Some(value.clone());
                true
            }
            ("enum", Value::Array(values)) => {
                shape.enumeration = Some(values.clone());
                true
            }
            ("pattern", Value::String(pattern)) => {
                shape.pattern = Some(self.pattern(pattern));
                true
            }
            _ => false,
        }
    }

    fn number_keyword(&mut self, shape: &mut Shape, keyword: &str, value: &Value) -> bool {
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        match (keyword, count) {
            ("minimum", _) => shape.minimum = value.as_f64(),
            ("maximum", _) => shape.maximum = value.as_f64(),
            ("minLength", Some(count)) => shape.min_length = Some(count),
            ("maxLength", Some(count)) => shape.max_length = Some(count),
            ("minItems", Some(count)) => shape.min_items = count,
            ("minProperties", Some(count)) => shape.min_properties = count,
            ("uniqueItems", _) => shape.unique_items = value == &Value::Bool(true),
            _ => return false,
        }
        true
    }

    fn structure_keyword(&mut self, shape: &mut Shape, keyword: &str, value: &'s Value) -> bool {
        match (keyword, value) {
            ("$ref", Value::String(reference)) => match self.target(reference) {
                Some(id) => shape.reference = Some(id),
                None => return false,
            },
            ("items", schema) => shape.items = Some(self.shape(schema)),
            ("properties", Value::Object(properties)) => {
                shape.has_properties = true;
                shape.kind = kind(properties);
                for (key, schema) in properties {
                    let id = self.shape(schema);
                    shape.properties.push(Property { key: key.clone(), id });
                }
                shape.properties.sort_by(|a, b| (a.key.len(), &a.key).cmp(&(b.key.len(), &b.key)));
            }
            ("additionalProperties", Value::Bool(false)) => shape.additional = Additional::Closed,
            ("additionalProperties", Value::Bool(true)) => shape.additional = Additional::Open,
            ("additionalProperties", schema) => shape.additional = Additional::Shaped(self.shape(schema)),
            ("required", Value::Array(names)) => {
                shape.required = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            }
            ("oneOf", Value::Array(branches)) => {
                shape.one_of = branches.iter().map(|branch| self.shape(branch)).collect();
            }
            ("anyOf", Value::Array(branches)) => {
                shape.any_of = branches.iter().map(|branch| self.shape(branch)).collect();
            }
            _ => return false,
        }
        true
    }

    /// The shape that a reference means; recursive definitions find the one that is being made.
    fn target(&mut self, reference: &'s str) -> Option<Id> {
        if let Some((_, id)) = self.targets.iter().find(|(known, _)| *known == reference) {
            return Some(*id);
        }
        let schema = self.schema.pointer(reference.strip_prefix('#')?)?;
        let id = Id(self.shapes.shapes.len() as u32);
        self.targets.push((reference, id));
        self.shape(schema);
        Some(id)
    }

    fn pattern(&mut self, pattern: &str) -> u32 {
        let patterns = &mut self.shapes.patterns;
        let known = patterns.iter().position(|(text, _)| text == pattern);
        known.unwrap_or_else(|| {
            patterns.push((pattern.to_owned(), OnceLock::new()));
            patterns.len() - 1
        }) as u32
    }
}

fn kind(properties: &Map<String, Value>) -> Option<String> {
    Some(properties.get("kind")?.get("const")?.as_str()?.to_owned())
}
