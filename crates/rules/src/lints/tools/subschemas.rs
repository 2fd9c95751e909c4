//! The schemas inside the parameter schema of a tool, and what a local `$ref` leads to.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pack::{Node, Pointer};

/// Keywords that hold an object of schemas.
pub(super) const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Keywords that hold a list of schemas.
pub(super) const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords that hold one schema; `items` may hold a list, too.
const SINGLES: [&str; 12] = [
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Keywords whose schemas speak of the same value as the schema around them.
const IN_PLACE: [&str; 8] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// One schema inside another, or the outermost one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subschema<'a> {
    /// The schema.
    pub(super) node: Node<'a>,
    /// Whether it speaks of the same value as the schema around it.
    pub(super) in_place: bool,
}

/// Every schema at and below `root`, outer ones first.
pub(super) fn subschemas(root: Node<'_>) -> Vec<Subschema<'_>> {
    let mut found = vec![Subschema { node: root, in_place: false }];
    let mut next = 0;
    while next < found.len() {
        for (keyword, value) in found[next].node.members() {
            let in_place = IN_PLACE.contains(&keyword);
            let within = |node| Subschema { node, in_place };
            if MAPS.contains(&keyword) {
                found.extend(value.members().map(|(_, node)| within(node)));
            } else if LISTS.contains(&keyword) || keyword == "items" && value.is_array() {
                found.extend(value.items().map(within));
            } else if SINGLES.contains(&keyword) {
                found.push(within(value));
            }
        }
        next += 1;
    }
    found
}

/// What the local references of a parameter schema may lead to.
pub(super) struct Targets<'a> {
    root: Node<'a>,
    anchors: BTreeSet<&'a str>,
    /// A schema with an id of its own is where its references start; then none of them is judged.
    has_inner_ids: bool,
}

impl<'a> Targets<'a> {
    pub(super) fn of(root: Node<'a>, schemas: &[Subschema<'a>]) -> Self {
        let nodes = schemas.iter().map(|schema| schema.node);
        let id = |node: Node<'a>| node.text("$id").or_else(|| node.text("id"));
        let names = ["$anchor", "$dynamicAnchor"];
        let anchors =
            nodes.clone().flat_map(|node| names.into_iter().filter_map(move |name| node.text(name)));
        let old_anchors = nodes.clone().filter_map(id).filter_map(|id| id.strip_prefix('#'));
        Targets {
            root,
            anchors: anchors.chain(old_anchors).collect(),
            has_inner_ids: nodes.skip(1).filter_map(id).any(|id| !id.starts_with('#')),
        }
    }

    /// Whether the reference leads somewhere; one that leaves the schema is not judged.
    pub(super) fn resolves(&self, reference: &str) -> bool {
        let Some(fragment) = reference.strip_prefix('#').filter(|_| !self.has_inner_ids) else { return true };
        let fragment = percent_decoded(fragment);
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.contains(&*fragment);
        }
        let pointer = Pointer::parse(&fragment);
        let mut node = Some(self.root);
        for token in pointer.tokens() {
            node = node.and_then(|node| match token.parse() {
                Ok(position) if node.is_array() => node.children().nth(position),
                _ => node.get(&token),
            });
        }
        node.is_some()
    }
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}
