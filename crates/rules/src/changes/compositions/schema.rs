//! The JSON Schemas that compositions name, read from the tree of each side and compared as sets of values.

use pack::Digest;
use pack::json::{Document, Node};
use pack::tree::{folder, join};
use serde_json::{Value, json};

use super::bundle::bundled;
use crate::changes::side::Side;
use crate::subset::{Budget, Inclusion, Names, Verdict, value_of};

/// What a reference to a schema leads to on one side.
pub(super) enum Schema<'a> {
    /// Nothing is referred to.
    Absent,
    /// The reference, and the schema in the tree.
    Read(Node<'a>, Value),
    /// The reference, which leads to nothing that can be read as a schema, and the digest of what stands there instead.
    Unreadable(Node<'a>, Option<Digest>),
}

/// Which way values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Callers send them: less that is allowed breaks.
    In,
    /// Callers receive them: more that is allowed breaks.
    Out,
}

/// How two schemas relate.
#[derive(Debug, PartialEq)]
pub(super) enum Relation {
    /// Nothing to say: no schema on either side, or both allow the same.
    Equal,
    /// Only NEW has a schema; whether it allows any object.
    Added(Inclusion),
    /// Only OLD has a schema; whether it allows any object.
    Removed(Inclusion),
    /// More is allowed than before: where it is known, that value.
    Widened(Option<Value>),
    /// Less is allowed than before: where it is known, a value that no longer is.
    Narrowed(Option<Value>),
    /// Unreadable on both sides under one reference, and nothing else stands there.
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
        match read(side, text) {
            Ok(value) => Schema::Read(node, value),
            Err(found) => Schema::Unreadable(node, found),
        }
    }

    /// The text that refers to it.
    pub(super) fn node(&self) -> Option<Node<'a>> {
        match self {
            Schema::Absent => None,
            Schema::Read(node, _) | Schema::Unreadable(node, _) => Some(*node),
        }
    }

    /// The schema itself, where it can be read.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Schema::Read(_, value) => Some(value),
            _ => None,
        }
    }

    /// How `new` relates to this schema. Where each allows something that the other refuses, the break is said.
    pub(super) fn relation(&self, new: &Schema<'_>, flow: Flow, budget: &Budget) -> Relation {
        match (self, new) {
            (Schema::Absent, Schema::Absent) => Relation::Equal,
            (Schema::Absent, Schema::Read(_, schema)) => Relation::Added(allows_all(schema, budget)),
            (Schema::Read(_, schema), Schema::Absent) => Relation::Removed(allows_all(schema, budget)),
            (Schema::Read(_, old), Schema::Read(_, new)) => match flow {
                Flow::In => inflow(old, new, budget),
                Flow::Out => outflow(old, new, budget),
            },
            (Schema::Unreadable(old, was), Schema::Unreadable(new, is))
                if old.as_str() == new.as_str() && was == is =>
            {
                Relation::Unread
            }
            _ => Relation::Unresolved("unreadable"),
        }
    }
}

impl Relation {
    /// A value that was fine for whoever sends or receives it and no longer is, where one is known.
    pub(super) fn broken(self, flow: Flow) -> Option<Value> {
        match (self, flow) {
            (Relation::Narrowed(value), Flow::In) | (Relation::Widened(value), Flow::Out) => value,
            (Relation::Added(Inclusion::Fails(value)), Flow::In)
            | (Relation::Removed(Inclusion::Fails(value)), Flow::Out) => Some(value),
            _ => None,
        }
    }
}

fn allows_all(schema: &Value, budget: &Budget) -> Inclusion {
    budget.includes(&json!({ "type": "object" }), schema, Names::Any)
}

fn inflow(old: &Value, new: &Value, budget: &Budget) -> Relation {
    let comparison = budget.compare(Some(old), Some(new));
    match comparison.verdict {
        Verdict::Equal => Relation::Equal,
        Verdict::Widened => Relation::Widened(None),
        // A name is gone and values are new: all that was sent is still taken.
        Verdict::Changed if budget.includes(old, new, Names::Declared) == Inclusion::Holds => {
            Relation::Widened(None)
        }
        Verdict::Narrowed | Verdict::Changed => Relation::Narrowed(comparison.witness),
        Verdict::Undecidable(reason) => Relation::Unresolved(reason.as_str()),
    }
}

fn outflow(old: &Value, new: &Value, budget: &Budget) -> Relation {
    match budget.includes(new, old, Names::Declared) {
        Inclusion::Fails(value) => return Relation::Widened(Some(value)),
        Inclusion::Vast => return Relation::Widened(None),
        Inclusion::Undecided(reason) => return Relation::Unresolved(reason.as_str()),
        Inclusion::Holds => {}
    }
    match budget.compare(Some(old), Some(new)).verdict {
        Verdict::Equal => Relation::Equal,
        // Only a name is gone: no value is new, but what the old schema spoke of is not promised any more.
        Verdict::Narrowed if budget.includes(old, new, Names::Declared) == Inclusion::Holds => {
            Relation::Widened(None)
        }
        _ => Relation::Narrowed(None),
    }
}

/// The schema that a reference leads to; else the digest of what stands there.
fn read(side: &Side<'_>, reference: &str) -> Result<Value, Option<Digest>> {
    let (path, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let tree = side.tree.ok_or(None)?;
    let ways = [join(folder(side.path), path), join("", path)];
    let mut found = ways.iter().flatten().filter_map(|way| Some((way, tree.read(way).ok()?)));
    let (way, bytes) = found.next().ok_or(None)?;
    let root = Document::parse(&bytes).0.map(|document| value_of(document.root()));
    let schema = root.filter(|root| root.pointer(pointer).is_some());
    let bundled = schema.and_then(|root| bundled(tree, way, root, pointer));
    bundled.ok_or_else(|| Some(Digest::of(&bytes)))
}
