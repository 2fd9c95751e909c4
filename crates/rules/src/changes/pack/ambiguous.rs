//! Identities and keys that occur twice, so that nobody can say which copies belong together.

use std::collections::{BTreeMap, BTreeSet};

use pack::Pointer;
use pack::digest::canonical;
use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::place::own_name;

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "pairing-ambiguous",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a name occurs twice and its copies changed",
    why: "Parsers take one copy or the other, and no comparison can say which one a caller met: any break may hide there.",
    fix: "Give each thing one name, and remove the copies.",
    mirror: Mirror::Itself,
};

/// The lists whose items are told apart by a field, and that field.
const IDENTITIES: [(&str, &str); 7] = [
    ("variables", "name"),
    ("evals", "id"),
    ("validators", "id"),
    ("steps", "id"),
    ("providers", "key"),
    ("obligations", "id"),
    ("reviews", "id"),
];

/// The copies of one name, by the place of what holds them and the name.
type Copies<'a> = BTreeMap<(Pointer, String), Vec<Node<'a>>>;

/// States that copies of one name differ between the versions.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (copies(*comparison.old.pack), copies(*comparison.new.pack));
    let repeated = |copies: &Copies<'_>| -> BTreeSet<(Pointer, String)> {
        copies.iter().filter(|(_, nodes)| nodes.len() > 1).map(|(name, _)| name.clone()).collect()
    };
    for name in &repeated(&old) | &repeated(&new) {
        let olds = old.get(&name).cloned().unwrap_or_else(|| lone(*comparison.old.pack, &name));
        let news = new.get(&name).cloned().unwrap_or_else(|| lone(*comparison.new.pack, &name));
        let values = |nodes: &[Node<'_>]| -> Vec<String> {
            nodes.iter().map(|node| canonical(&node.to_value())).collect()
        };
        if values(&olds) == values(&news) {
            continue;
        }
        let spot = |nodes: &[Node<'a>]| {
            let all: Vec<_> = nodes.iter().map(|node| node.to_value()).collect();
            nodes.last().map(|node| Spot::of(*node).value(all))
        };
        let message = format!("`{}` occurs more than once in `{}`, and its copies changed", name.1, name.0);
        changes.report(&CHANGED, At::spots(spot(&olds), spot(&news)), message);
    }
}

/// The only thing of that name, on the side that has no copies.
fn lone<'a>(root: Node<'a>, (holder, name): &(Pointer, String)) -> Vec<Node<'a>> {
    let holder = root.document().at(holder);
    let named = |child: &Node<'a>| child.key() == Some(name) || own_name(*child) == Some(name);
    holder.into_iter().flat_map(Node::children).filter(named).collect()
}

/// Collects everything that has a name, where a name is used twice in one place.
fn copies<'a>(root: Node<'a>) -> Copies<'a> {
    let mut copies = Copies::new();
    let mut open = vec![root];
    let mut names: Vec<&'a str> = Vec::new();
    while let Some(node) = open.pop() {
        open.extend(node.children());
        let identity = IDENTITIES.iter().find(|(list, _)| node.is_array() && node.key() == Some(list));
        if node.is_array() && identity.is_none() {
            continue;
        }
        let name =
            |child: Node<'a>| child.key().or_else(|| identity.and_then(|(_, field)| child.text(field)));
        names.clear();
        names.extend(node.children().filter_map(name));
        names.sort_unstable();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            continue;
        }
        let place = node.pointer();
        for (name, child) in node.children().filter_map(|child| Some((name(child)?, child))) {
            copies.entry((place.clone(), name.to_owned())).or_default().push(child);
        }
    }
    copies
}
