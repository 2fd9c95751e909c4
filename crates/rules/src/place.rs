//! Places: JSON Pointers with names instead of array positions.
//!
//! `/prompts/support/variables/2` becomes `/prompts/support/variables/{company}`: a place survives reordering. A
//! string in an array stands for itself; an object for its `id`, `name`, `key` or `path`.

use std::cell::RefCell;
use std::collections::HashMap;

use pack::json::{Document, Node};
use pack::{Pointer, Span};

/// The keys that name an object inside an array, the first one present counts.
pub(crate) const NAMING_KEYS: [&str; 4] = ["id", "name", "key", "path"];

/// The place of what `pointer` names in `document`.
///
/// Items without a name of their own, and the second of two with one name, keep their position.
pub fn place(document: &Document, pointer: &Pointer) -> String {
    let mut place = Pointer::root();
    let mut node = Some(document.root());
    for token in pointer.tokens() {
        let parent = node;
        node = parent.and_then(|parent| child(parent, &token));
        match (parent, node) {
            (Some(parent), Some(item)) if parent.is_array() => place.push(&item_name(parent, item)),
            _ => place.push(&token),
        }
    }
    place.to_string()
}

/// Whether `document` has that place.
pub fn has_place(document: &Document, place: &str) -> bool {
    let find = |parent: Node<'_>, token: &str| -> Option<usize> {
        let name = token.strip_prefix('{').and_then(|token| token.strip_suffix('}'))?;
        parent.items().position(|item| own_name(item) == Some(name))
    };
    let mut here = document.root();
    for token in Pointer::parse(place).tokens() {
        let found = match find(here, &token).filter(|_| here.is_array()) {
            Some(position) => here.child(position),
            None => child(here, &token),
        };
        let Some(found) = found else { return false };
        here = found;
    }
    true
}

/// The places of many values of one document: what is learned of an array is kept, so that each costs the same.
#[derive(Default)]
pub(crate) struct Places<'a> {
    arrays: RefCell<HashMap<Span, HashMap<&'a str, Node<'a>>>>,
}

impl<'a> Places<'a> {
    /// The place of `node`, as [`place`] gives it.
    pub(crate) fn of(&self, node: Node<'a>) -> Pointer {
        let mut place = Pointer::root();
        for node in lineage(node) {
            let Some(parent) = node.parent() else { continue };
            match (node.key(), own_name(node)) {
                (Some(key), _) => place.push(key),
                (None, Some(name)) if self.find(parent, name) == Some(node) => {
                    place.push(&format!("{{{name}}}"))
                }
                _ => place.push(&node.position().to_string()),
            }
        }
        place
    }

    /// The first item of `array` with that name.
    pub(crate) fn find(&self, array: Node<'a>, name: &str) -> Option<Node<'a>> {
        let mut arrays = self.arrays.borrow_mut();
        let items = arrays.entry(array.span()).or_insert_with(|| {
            let named = array.items().rev();
            named.filter_map(|item| Some((own_name(item)?, item))).collect()
        });
        items.get(name).copied()
    }

    /// What stands in this document where `node` stands in its own; else the nearest value above that place.
    pub(crate) fn counterpart(&self, root: Node<'a>, node: Node<'_>) -> Node<'a> {
        let mut here = root;
        for node in lineage(node) {
            let found = match (node.parent(), node.key()) {
                (None, _) => continue,
                (_, Some(key)) => here.get(key),
                (_, None) => own_name(node).and_then(|name| self.find(here, name)),
            };
            let Some(found) = found else { break };
            here = found;
        }
        here
    }
}

/// The values that hold `node`, the outermost first, then `node` itself.
fn lineage(node: Node<'_>) -> Vec<Node<'_>> {
    let mut lineage: Vec<Node<'_>> = std::iter::successors(Some(node), |node| node.parent()).collect();
    lineage.reverse();
    lineage
}

fn child<'a>(parent: Node<'a>, token: &str) -> Option<Node<'a>> {
    if parent.is_array() { parent.child(token.parse().ok()?) } else { parent.get(token) }
}

fn item_name(array: Node<'_>, item: Node<'_>) -> String {
    match own_name(item) {
        Some(name) if array.items().find(|other| own_name(*other) == Some(name)) == Some(item) => {
            format!("{{{name}}}")
        }
        _ => item.position().to_string(),
    }
}

pub(crate) fn own_name(item: Node<'_>) -> Option<&str> {
    item.as_str().or_else(|| NAMING_KEYS.iter().find_map(|key| item.text(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pointer: &str, expected: &str) {
        let text = r#"{"tools": ["a", "b", "a"], "variables": [{"name": "x", "enum": [{}]}]}"#;
        let (document, _) = Document::parse(text.as_bytes());
        let document = document.expect("JSON");
        assert_eq!(place(&document, &Pointer::parse(pointer)), expected);
        assert_eq!(
            has_place(&document, expected),
            document.at(&Pointer::parse(pointer)).is_some(),
            "{expected}"
        );
    }

    #[test]
    fn items_are_called_by_name() {
        check("/tools/1", "/tools/{b}");
        check("/tools/2", "/tools/2");
        check("/variables/0/enum/0", "/variables/{x}/enum/0");
        check("/gone/7", "/gone/7");
        check("", "");
    }

    #[test]
    fn remembered_places_are_the_same() {
        let text =
            r#"{"tools": ["a", "b", "a"], "variables": [{"name": "x", "enum": [{}, 1]}, {"name": "x"}]}"#;
        let (document, _) = Document::parse(text.as_bytes());
        let document = document.expect("JSON");
        let places = Places::default();
        let mut open = vec![document.root()];
        while let Some(node) = open.pop() {
            assert_eq!(places.of(node).as_str(), place(&document, &node.pointer()));
            assert_eq!(
                places.counterpart(document.root(), node).pointer().as_str().is_empty(),
                node.parent().is_none()
            );
            open.extend(node.children());
        }
    }
}
