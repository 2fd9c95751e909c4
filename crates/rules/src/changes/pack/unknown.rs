//! Keys and values that no version of the format gives a meaning.

use std::collections::{BTreeMap, BTreeSet};

use pack::Pointer;
use pack::digest::canonical_node;
use pack::json::Node;
use pack::number::is_rounded;

use super::described::{SCHEMA, Schemas, are_named, children, fits, flat, is_list_of_values, items};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Scope};
use crate::place::own_name;
use crate::subset::Reason;
use crate::wording::item;

pub(in crate::changes) const CHANGED: ChangeRule = ChangeRule {
    id: "unknown-field-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a field or value that the format does not know changed",
    why: "The format gives the field, or a value of such a type in it, no meaning, but some runtime may: whether it does is not visible in the pack.",
    fix: "Move vendor data into `extensions`, which is meant for it; give a known field a value of its type, or remove it.",
    mirror: Mirror::Itself,
};

/// Parts that other rules compare as a whole, and content that is nobody's field: where such a rule says something of a
/// part, that goes for all that is in it.
const COMPARED_ELSEWHERE: [&str; 18] = [
    "action_scope",
    "binding",
    "capabilities",
    "compilation",
    "cost_estimate",
    "engine",
    "examples",
    "extensions",
    "middleware",
    "model_overrides",
    "obligations",
    "predicate",
    "range",
    "reduce",
    "retry",
    "reviews",
    "tested_models",
    "threshold",
];

/// States what no other rule says: keys that the format does not know, values of a type that it does not know where
/// they stand, and numbers that differ although doubles do not.
///
/// It comes last. What another rule says of a place, or of something in it, is not said again.
pub(in crate::changes) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    let mut search = Search { said: Said::of(changes), part: None, changes };
    let (old, new) = (*comparison.old.pack, *comparison.new.pack);
    let root = flat([&*SCHEMA]);
    search.visit(Some(old), Some(new), &root);
    let states = children(&children(&children(&root, "workflow"), "states"), "");
    for (old, new) in &comparison.states.renamed {
        search.record(Some(**old), Some(**new), &states);
    }
    for (key, pairs) in [("prompts", prompts(comparison)), ("tools", tools(comparison))] {
        let schemas = children(&children(&root, key), "");
        for (old, new) in pairs {
            search.record(Some(old), Some(new), &schemas);
        }
    }
}

fn prompts<'a>(comparison: &Comparison<'a>) -> Vec<(Node<'a>, Node<'a>)> {
    comparison.prompts.pairs().map(|(old, new)| (*old.prompt, *new.prompt)).collect()
}

fn tools<'a>(comparison: &Comparison<'a>) -> Vec<(Node<'a>, Node<'a>)> {
    comparison.tools.pairs().map(|(old, new)| (*old, *new)).collect()
}

struct Search<'c, 'a> {
    said: Said,
    /// Where the part stands that is looked through, if another rule compares it as a whole.
    part: Option<[Option<Pointer>; 2]>,
    changes: &'c mut Changes<'a>,
}

impl<'a> Search<'_, 'a> {
    /// Compares two values that the schemas describe; a side may lack it.
    fn visit(&mut self, old: Option<Node<'a>>, new: Option<Node<'a>>, schemas: &Schemas) {
        let sides = [old, new];
        if sides.into_iter().flatten().any(|node| !fits(node, schemas)) {
            let message =
                format!("{} has a value of a type that the format does not know there", called(old, new));
            self.report(old, new, message, None);
            return;
        }
        if sides.into_iter().flatten().any(Node::is_array) {
            let schemas = items(schemas);
            let are_named = are_named(&schemas);
            for (old, new) in paired_items(old, new) {
                if !are_named || !self.is_lone(old, new) {
                    self.visit(old, new, &schemas);
                }
            }
        }
        if sides.into_iter().flatten().any(Node::is_object) {
            let [old, new] = sides.map(|side| side.filter(|node| node.is_object()));
            self.record(old, new, schemas);
        }
        if let (Some(before), Some(after)) = (old.and_then(Node::as_exact), new.and_then(Node::as_exact))
            && before != after
            && sides.into_iter().flatten().any(|node| is_rounded(node.source()))
        {
            let message = format!(
                "{} changed to a number that most parsers cannot tell from the old one",
                called(old, new)
            );
            self.report(old, new, message, Some(Reason::NumberRange.as_str()));
        }
    }

    /// Whether it is an item that came or went without the name it should have, so that no rule finds it among the
    /// others; that is reported.
    fn is_lone(&mut self, old: Option<Node<'a>>, new: Option<Node<'a>>) -> bool {
        let ((None, Some(item)) | (Some(item), None)) = (old, new) else { return false };
        if !item.is_object() || own_name(item).is_some() {
            return false;
        }
        let what = if new.is_some() { "came" } else { "went" };
        self.report(old, new, format!("{}, which has no name, {what}", called(old, new)), None)
    }

    /// Compares the members of two objects; a side may lack the object.
    fn record(&mut self, old: Option<Node<'a>>, new: Option<Node<'a>>, schemas: &Schemas) {
        // A map has keys of its own, free content has no keys that anybody knows.
        let is_record = schemas.iter().any(|schema| schema.get("properties").is_some());
        let get = |side: Option<Node<'a>>, key: &str| side.and_then(|node| node.get(key));
        let members = |side: Option<Node<'a>>| side.into_iter().flat_map(Node::members);
        let kept = members(old).filter(|(key, node)| get(old, key) == Some(*node));
        let added =
            members(new).filter(|(key, node)| get(old, key).is_none() && get(new, key) == Some(*node));
        for (key, _) in kept.chain(added) {
            let (old, new) = (get(old, key), get(new, key));
            // Most of two versions is the same text, and what is the same needs no look at the schema.
            if old.map(Node::source) == new.map(Node::source) {
                continue;
            }
            let schemas = children(schemas, key);
            if schemas.is_empty() && is_record {
                let message = format!("field `{key}`, which the format does not know, changed");
                self.report(old, new, message, None);
            } else if !schemas.is_empty() {
                self.member(old, new, key, &schemas);
            }
        }
    }

    /// Compares a member that the format knows.
    fn member(&mut self, old: Option<Node<'a>>, new: Option<Node<'a>>, key: &str, schemas: &Schemas) {
        let is_odd = |side: Option<Node<'a>>| side.is_some_and(|node| !fits(node, schemas));
        match compared_elsewhere(old.or(new), key) {
            _ if is_odd(old) || is_odd(new) => self.visit(old, new, schemas),
            Elsewhere::Language => {}
            // The rules that speak of a list of plain values do so as a whole.
            Elsewhere::No if !is_list_of_values(schemas) => self.visit(old, new, schemas),
            Elsewhere::No | Elsewhere::Whole => {
                let is_outermost = self.part.is_none();
                self.part.get_or_insert_with(|| [old, new].map(|side| side.map(Node::pointer)));
                self.visit(old, new, schemas);
                self.part.take_if(|_| is_outermost);
            }
            // Only what is nothing of the kind is left to be seen here.
            Elsewhere::ByName => {
                let entries = children(schemas, "");
                let odd = |side: Option<Node<'a>>| -> BTreeSet<&str> {
                    let members = side.into_iter().flat_map(Node::members);
                    members.filter(|(_, node)| !fits(*node, &entries)).map(|(key, _)| key).collect()
                };
                let keys: BTreeSet<&str> = &odd(old) | &odd(new);
                for key in keys {
                    let entry = |side: Option<Node<'a>>| side.and_then(|map| map.get(key));
                    self.visit(entry(old), entry(new), &entries);
                }
            }
        }
    }

    /// Reports what nothing was said of, and answers whether it did.
    fn report(
        &mut self,
        old: Option<Node<'a>>,
        new: Option<Node<'a>>,
        message: String,
        reason: Option<&'static str>,
    ) -> bool {
        let is_said = self.said.covers(old, new)
            || self.part.as_ref().is_some_and(|part| self.said.covers_within(part, [old, new]));
        let is_due = !is_said && old.map(canonical_node) != new.map(canonical_node);
        if is_due {
            self.changes.report(&CHANGED, At::either(old, new), message).possible(reason);
        }
        is_due
    }
}

/// How a message calls a value.
fn called(old: Option<Node<'_>>, new: Option<Node<'_>>) -> String {
    let node = new.or(old);
    match node.and_then(Node::key) {
        Some(key) => format!("field `{key}`"),
        None => node.map(item).unwrap_or_default(),
    }
}

/// Who compares a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elsewhere {
    /// Nobody else.
    No,
    /// Another rule, as a whole.
    Whole,
    /// Pairs of its entries are compared one by one.
    ByName,
    /// It is a schema, in which a keyword that came or went may mean the same.
    Language,
}

fn compared_elsewhere(node: Option<Node<'_>>, key: &str) -> Elsewhere {
    let pointer = || node.map(Node::pointer).unwrap_or_else(Pointer::root);
    match key {
        _ if COMPARED_ELSEWHERE.contains(&key) => Elsewhere::Whole,
        "prompts" | "tools" if matches!(pointer().as_str(), "/prompts" | "/tools") => Elsewhere::ByName,
        "parameters" if pointer().as_str().starts_with("/tools/") => Elsewhere::Language,
        _ => Elsewhere::No,
    }
}

/// Where the other rules said something, by the side that it stands on.
struct Said {
    places: [BTreeSet<String>; 2],
    /// Those where a whole thing came, went, or got another name: what is in it is part of that.
    wholes: [BTreeSet<String>; 2],
}

impl Said {
    fn of(changes: &Changes<'_>) -> Said {
        let mut said = Said { places: Default::default(), wholes: Default::default() };
        for draft in changes.drafts().iter().filter(|draft| !draft.dropped) {
            let pointers = [&draft.at.old, &draft.at.new]
                .map(|spot| spot.as_ref().map(|spot| spot.pointer().as_str().to_owned()));
            let is_whole = pointers.iter().any(Option::is_none) || draft.rule.id.ends_with("-renamed");
            for (side, pointer) in pointers.into_iter().enumerate() {
                let Some(pointer) = pointer.filter(|pointer| !pointer.is_empty()) else { continue };
                if is_whole {
                    said.wholes[side].insert(pointer.clone());
                }
                said.places[side].insert(pointer);
            }
        }
        said
    }

    /// Whether something was said of the value, of something in it, or of a whole that it is part of.
    fn covers(&self, old: Option<Node<'_>>, new: Option<Node<'_>>) -> bool {
        [old, new].into_iter().zip(0..).any(|(node, side)| {
            let Some(pointer) = node.map(Node::pointer) else { return false };
            let pointer = pointer.as_str();
            let below = format!("{pointer}/");
            let mut parents = pointer.match_indices('/').map(|(at, _)| &pointer[..at]);
            self.places[side].contains(pointer)
                || self.places[side]
                    .range(below.clone()..)
                    .next()
                    .is_some_and(|next| next.starts_with(&below))
                || parents.any(|parent| self.wholes[side].contains(parent))
        })
    }

    /// Whether something was said of what lies between a part and a value in it, the part included.
    fn covers_within(&self, part: &[Option<Pointer>; 2], sides: [Option<Node<'_>>; 2]) -> bool {
        part.iter().zip(sides).zip(&self.places).any(|((part, node), places)| {
            let (Some(part), Some(node)) = (part, node) else { return false };
            let pointer = node.pointer();
            let ends = pointer.as_str().match_indices('/').map(|(at, _)| at);
            ends.filter(|end| *end >= part.as_str().len())
                .any(|end| places.contains(&pointer.as_str()[..end]))
        })
    }
}

/// What both sides have at one place; a side may lack it.
type Sides<'a> = (Option<Node<'a>>, Option<Node<'a>>);

/// Items of one name, then what is left at one position.
fn paired_items<'a>(old: Option<Node<'a>>, new: Option<Node<'a>>) -> Vec<Sides<'a>> {
    let (olds, old_nameless) = by_name(old);
    let (mut news, new_nameless) = by_name(new);
    let (mut pairs, mut left) = (Vec::new(), BTreeMap::<usize, Sides<'a>>::new());
    for (name, old) in olds {
        match news.remove(&name) {
            Some(new) => pairs.push((Some(old), Some(new))),
            None => left.entry(old.position()).or_default().0 = Some(old),
        }
    }
    for old in old_nameless {
        left.entry(old.position()).or_default().0 = Some(old);
    }
    for new in news.into_values().chain(new_nameless) {
        left.entry(new.position()).or_default().1 = Some(new);
    }
    pairs.extend(left.into_values());
    pairs
}

/// Items by their name and how many of that name stand before them.
type Named<'a> = BTreeMap<(&'a str, usize), Node<'a>>;

/// The items of a list that have a name, and those that have none.
fn by_name<'a>(list: Option<Node<'a>>) -> (Named<'a>, Vec<Node<'a>>) {
    let (mut named, mut nameless) = (Named::new(), Vec::new());
    let mut copies: BTreeMap<&str, usize> = BTreeMap::new();
    for item in list.into_iter().flat_map(Node::items) {
        let Some(name) = own_name(item) else {
            nameless.push(item);
            continue;
        };
        let copy = copies.entry(name).or_default();
        named.insert((name, *copy), item);
        *copy += 1;
    }
    (named, nameless)
}
