//! The JSON Schemas that compositions name, read from the tree of each side and compared as sets of values.

use pack::digest::canonical;
use pack::json::Node;
use pack::tree::{folder, join};
use serde_json::{Map, Value};

use crate::changes::side::Side;

/// What a reference to a schema leads to on one side.
pub(super) enum Schema<'a> {
    /// Nothing is referred to.
    Absent,
    /// The reference, and the schema in the tree.
    Read(Node<'a>, Value),
    /// The reference, which leads to nothing that can be read.
    Unreadable(Node<'a>),
}

/// How two schemas relate.
#[derive(Debug, PartialEq)]
pub(super) enum Relation {
    /// Nothing to say: no schema on either side, or equal sets of values.
    Equal,
    /// Only NEW has a schema.
    Added,
    /// Only OLD has a schema.
    Removed,
    /// NEW allows everything that OLD allows, and more: where it is known, that value.
    Widened(Option<Value>),
    /// NEW no longer allows some values of OLD: where it is known, that value.
    Narrowed(Option<Value>),
    /// Some values are allowed from now on, others no longer.
    Changed {
        /// A value that only NEW allows.
        added: Option<Value>,
        /// A value that only OLD allows.
        removed: Option<Value>,
    },
    /// Unreadable on both sides under one reference.
    Unread,
    /// It cannot be said, for the reason with that code.
    Unresolved(&'static str),
}

impl<'a> Schema<'a> {
    /// Reads what `node` refers to: a path from the folder of the pack file or from the root, and a pointer in it.
    pub(super) fn of(side: &Side<'_>, node: Option<Node<'a>>) -> Schema<'a> {
        let Some((node, text)) = node.and_then(|node| Some((node, node.as_str()?))) else {
            return Schema::Absent;
        };
        read(side, text).map_or(Schema::Unreadable(node), |value| Schema::Read(node, value))
    }

    /// The text that refers to it.
    pub(super) fn node(&self) -> Option<Node<'a>> {
        match self {
            Schema::Absent => None,
            Schema::Read(node, _) | Schema::Unreadable(node) => Some(*node),
        }
    }

    /// The schema itself, where it can be read.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Schema::Read(_, value) => Some(value),
            _ => None,
        }
    }

    /// How `new` relates to this schema.
    pub(super) fn relation(&self, new: &Schema<'_>) -> Relation {
        match (self, new) {
            (Schema::Absent, Schema::Absent) => Relation::Equal,
            (Schema::Absent, _) => Relation::Added,
            (_, Schema::Absent) => Relation::Removed,
            (Schema::Read(_, old), Schema::Read(_, new)) => compared(old, new),
            (Schema::Unreadable(old), Schema::Unreadable(new)) if old.as_str() == new.as_str() => {
                Relation::Unread
            }
            _ => Relation::Unresolved("unreadable"),
        }
    }
}

fn read(side: &Side<'_>, reference: &str) -> Option<Value> {
    let (path, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let tree = side.tree?;
    let ways = [join(folder(side.path), path), join("", path)];
    let bytes = ways.iter().flatten().find_map(|way| tree.read(way).ok())?;
    let root: Value = serde_json::from_slice(&bytes).ok()?;
    root.pointer(pointer).cloned()
}

/// Keywords that say nothing about which values are allowed.
const ANNOTATIONS: [&str; 10] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

fn compared(old: &Value, new: &Value) -> Relation {
    let (old, new) = (asserting(old), asserting(new));
    match () {
        () if canonical(&old) == canonical(&new) => Relation::Equal,
        () if new == Value::Bool(true) => Relation::Widened(None),
        () if old == Value::Bool(true) => Relation::Narrowed(None),
        () => Relation::Unresolved("undecided"),
    }
}

/// The schema without its outermost annotations; one that says nothing else allows everything.
fn asserting(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let members: Map<String, Value> = members
        .iter()
        .filter(|(key, _)| !ANNOTATIONS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if members.is_empty() { Value::Bool(true) } else { Value::Object(members) }
}
