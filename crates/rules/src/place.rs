//! Places: JSON Pointers with names instead of array positions.
//!
//! `/prompts/support/variables/2` becomes `/prompts/support/variables/{company}`: a place survives reordering. A
//! string in an array stands for itself; an object for its `id`, `name`, `key` or `path`.

use std::collections::BTreeMap;

use pack::Pointer;
use pack::json::{Document, Node};

/// The keys that name an object inside an array, the first one present counts.
const NAMING_KEYS: [&str; 4] = ["id", "name", "key", "path"];

/// The place of what `pointer` names in `document`.
///
/// Items without a name of their own, and the second of two with one name, keep their position.
pub fn place(document: &Document, pointer: &Pointer) -> String {
    Places::new(document).of(pointer)
}

/// The places of one document; each array is searched for the names of its items once.
pub struct Places<'d> {
    document: &'d Document,
    /// Per array, by where it starts, the first item of each name.
    first_items: BTreeMap<u32, BTreeMap<&'d str, usize>>,
}

impl<'d> Places<'d> {
    /// Prepares to name places of `document`.
    pub fn new(document: &'d Document) -> Self {
        Places { document, first_items: BTreeMap::new() }
    }

    /// The place of what `pointer` names, see [`place`].
    pub fn of(&mut self, pointer: &Pointer) -> String {
        let mut place = Pointer::root();
        let mut node = Some(self.document.root());
        for token in pointer.tokens() {
            let parent = node;
            node = parent.and_then(|parent| child(parent, &token));
            match (parent, node) {
                (Some(parent), Some(item)) if parent.is_array() => place.push(&self.item_name(parent, item)),
                _ => place.push(&token),
            }
        }
        place.to_string()
    }

    fn item_name(&mut self, array: Node<'d>, item: Node<'d>) -> String {
        let position = item.position();
        let first_items = self.first_items.entry(array.span().start).or_insert_with(|| {
            let named = array.children().enumerate().filter_map(|(at, item)| Some((own_name(item)?, at)));
            named.rev().collect()
        });
        match own_name(item) {
            Some(name) if first_items.get(name) == Some(&position) => format!("{{{name}}}"),
            _ => position.to_string(),
        }
    }
}

fn child<'a>(parent: Node<'a>, token: &str) -> Option<Node<'a>> {
    if parent.is_array() { parent.children().nth(token.parse().ok()?) } else { parent.get(token) }
}

fn own_name(item: Node<'_>) -> Option<&str> {
    item.as_str().or_else(|| NAMING_KEYS.iter().find_map(|key| item.text(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pointer: &str, expected: &str) {
        let text = r#"{"tools": ["a", "b", "a"], "variables": [{"name": "x", "enum": [{}]}]}"#;
        let (document, _) = Document::parse(text.as_bytes());
        assert_eq!(place(&document.expect("JSON"), &Pointer::parse(pointer)), expected);
    }

    #[test]
    fn items_are_called_by_name() {
        check("/tools/1", "/tools/{b}");
        check("/tools/2", "/tools/2");
        check("/variables/0/enum/0", "/variables/{x}/enum/0");
        check("/gone/7", "/gone/7");
        check("", "");
    }
}
