//! Values in a form that is equal where the specification sees no difference.

use std::cmp::Ordering;
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

/// Below it doubles hold every whole number.
pub(crate) const EXACT: f64 = 9e15;

/// The value, where it is a number.
pub(crate) fn number(node: Option<Node<'_>>) -> Option<Node<'_>> {
    node.filter(|node| node.as_exact().is_some())
}

/// How one upper limit stands to another, by what their texts denote; what is no number limits nothing.
pub(crate) fn by_limit(one: Option<Node<'_>>, other: Option<Node<'_>>) -> Ordering {
    match (one.and_then(Node::as_exact), other.and_then(Node::as_exact)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// The whole number that a limit comes to for whoever counts; beyond 64 bits, the last one.
pub(crate) fn whole(limit: Option<Node<'_>>) -> Option<i64> {
    let limit = limit?;
    // A cast to a whole number ends where its type does.
    limit.as_i64().or_else(|| Some(limit.as_f64()?.floor() as i64))
}

/// Whether the things that both sides have stand in another order: positions in NEW, in the order of OLD.
pub(crate) fn is_reordered(positions: impl IntoIterator<Item = usize>) -> bool {
    !positions.into_iter().is_sorted()
}
