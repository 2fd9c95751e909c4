//! Values in a form that is equal where the specification sees no difference.

use pack::digest::canonical;
use pack::json::Node;

/// The canonical text of a value; nothing where it is absent, `null`, or an empty block.
pub(crate) fn written(node: Option<Node<'_>>) -> Option<String> {
    let node = node.filter(|node| !node.is_null())?;
    let is_block = node.is_object() || node.is_array();
    (!is_block || !node.is_empty()).then(|| canonical(&node.to_value()))
}

/// The items of a list whose order means nothing, each once.
pub(crate) fn sorted(list: Option<Node<'_>>) -> Vec<String> {
    let mut items: Vec<String> =
        list.into_iter().flat_map(Node::items).map(|item| canonical(&item.to_value())).collect();
    items.sort_unstable();
    items.dedup();
    items
}
