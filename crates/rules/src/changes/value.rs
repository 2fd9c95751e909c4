//! Values in a form that is equal where the specification sees no difference.

use std::collections::BTreeSet;

use pack::digest::canonical_node;
use pack::json::Node;

/// The canonical text of a value; nothing where it is absent, `null`, or an empty block.
pub(crate) fn written(node: Option<Node<'_>>) -> Option<String> {
    let node = node.filter(|node| !node.is_null())?;
    let is_block = node.is_object() || node.is_array();
    (!is_block || !node.is_empty()).then(|| canonical_node(node))
}

/// The items of a list whose order means nothing, each once.
pub(crate) fn sorted(list: Option<Node<'_>>) -> Vec<String> {
    let mut items: Vec<String> =
        list.into_iter().flat_map(Node::items).map(|item| canonical_node(item)).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The members that say something, as one text; the keys in `skipped` are judged elsewhere.
pub(crate) fn block(node: Node<'_>, skipped: &[&str]) -> String {
    let keys: BTreeSet<&str> = node.members().map(|(key, _)| key).collect();
    let said = keys.into_iter().filter(|key| !skipped.contains(key));
    let said = said.filter_map(|key| Some(format!("{key}={}", written(node.get(key))?)));
    said.collect::<Vec<_>>().join("\n")
}

/// Whether the things that both sides have stand in another order: positions in NEW, in the order of OLD.
pub(crate) fn is_reordered(positions: impl IntoIterator<Item = usize>) -> bool {
    !positions.into_iter().is_sorted()
}
