//! Identities and keys that occur twice, so that nobody can say which copies belong together.

use std::collections::{BTreeMap, BTreeSet};

use pack::Pointer;
use pack::digest::canonical_node;
use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};

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
        let (before, after) = (readings(&olds), readings(&news));
        if before == after || (before.len() < 2 && after.len() < 2) {
            continue;
        }
        let spot = |nodes: &[Node<'a>]| {
            let all: Vec<_> = nodes.iter().map(|node| node.to_value()).collect();
            nodes.last().map(|node| Spot::of(*node).value(all))
        };
        let holder = match name.0.as_str() {
            "" => "the pack".to_owned(),
            holder => format!("`{holder}`"),
        };
        let message = format!("`{}` occurs more than once in {holder}, and its copies changed", name.1);
        changes.report(&CHANGED, At::spots(spot(&olds), spot(&news)), message);
    }
}

/// What the copies of one name say, in order. Equal copies in a row are one reading: whichever of them a parser takes,
/// it takes the same, so that a name with one reading is compared like any other.
fn readings(nodes: &[Node<'_>]) -> Vec<String> {
    let mut values: Vec<String> = nodes.iter().map(|node| canonical_node(*node)).collect();
    values.dedup();
    values
}

/// The only thing of that name, on the side that has no copies.
fn lone<'a>(root: Node<'a>, (holder, name): &(Pointer, String)) -> Vec<Node<'a>> {
    let Some(holder) = root.document().at(holder) else { return Vec::new() };
    let identity = identity(holder);
    holder.children().filter(|child| name_of(*child, identity) == Some(name)).collect()
}

/// The field that tells the items of a list apart, where the list is one of [`IDENTITIES`].
fn identity(holder: Node<'_>) -> Option<&'static str> {
    let found = IDENTITIES.iter().find(|(list, _)| holder.is_array() && holder.key() == Some(list));
    found.map(|(_, field)| *field)
}

/// The key of a member, or what the identifying field of an item says.
fn name_of<'a>(child: Node<'a>, identity: Option<&str>) -> Option<&'a str> {
    child.key().or_else(|| child.text(identity?))
}

/// Collects everything that has a name, where a name is used twice in one place.
fn copies<'a>(root: Node<'a>) -> Copies<'a> {
    let mut copies = Copies::new();
    let mut open = vec![root];
    let mut names: Vec<&'a str> = Vec::new();
    while let Some(node) = open.pop() {
        open.extend(node.children());
        let identity = identity(node);
        if node.is_array() && identity.is_none() {
            continue;
        }
        let name = |child: Node<'a>| name_of(child, identity);
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
