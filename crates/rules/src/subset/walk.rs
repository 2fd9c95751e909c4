//! Walks two versions of a schema in step and collects what may differ.
//!
//! The walk is about spelling: every keyword that is written differently becomes a candidate, with the parts of OLD
//! that it would replace. Which candidates mean anything is decided afterwards by reasoning.

use std::collections::{BTreeMap, BTreeSet};

use pack::Pointer;
use serde_json::Value;

use super::Names;
use super::candidate::{About, Candidate, Place};
use super::difference::Kind;
use super::document::{Document, Draft, Target};
use super::forms::{Types, canonical};
use super::reading::{Edit, Node, address};

/// A schema and where it stands.
type Placed<'v> = (Node<'v>, Pointer);

/// Collects candidates.
pub(super) struct Walker<'d, 'v> {
    documents: &'d [Document<'v>; 2],
    pub(super) candidates: Vec<Candidate<'v>>,
    seen: BTreeSet<(usize, usize)>,
    depth: usize,
}

/// Keywords of limits that are judged together.
const LIMITS: [&[&str]; 10] = [
    &["minimum", "exclusiveMinimum"],
    &["maximum", "exclusiveMaximum"],
    &["multipleOf"],
    &["minLength"],
    &["maxLength"],
    &["minItems"],
    &["maxItems"],
    &["uniqueItems"],
    &["minProperties"],
    &["maxProperties"],
];

const COMBINATORS: [&[&str]; 5] =
    [&["not"], &["if", "then", "else"], &["dependentRequired"], &["dependentSchemas"], &["dependencies"]];

/// The schema that accepts everything, for a side that says nothing.
static NOTHING: Value = Value::Bool(true);

impl<'d, 'v> Walker<'d, 'v> {
    pub(super) fn new(documents: &'d [Document<'v>; 2]) -> Walker<'d, 'v> {
        Walker { documents, candidates: Vec::new(), seen: BTreeSet::new(), depth: 0 }
    }

    /// Walks the two documents.
    pub(super) fn run(&mut self) {
        let old = Node { value: self.documents[0].root, side: 0 };
        let new = Node { value: self.documents[1].root, side: 1 };
        self.pair(old, new, Pointer::root(), Pointer::root(), None);
    }

    /// Compares two schemas; `place` is set where they speak of the same value as the schemas around them.
    fn pair(
        &mut self,
        old: Node<'v>,
        new: Node<'v>,
        old_pointer: Pointer,
        new_pointer: Pointer,
        place: Option<&Place<'v>>,
    ) {
        if self.depth > 100 {
            return;
        }
        let (inner_old, inner_old_pointer) = self.follow(old, &old_pointer);
        let (inner_new, inner_new_pointer) = self.follow(new, &new_pointer);
        let placed = |outer, inner, at, inner_at: &Pointer| [(outer, at), (inner, inner_at.clone())];
        self.annotations(
            &placed(old, inner_old, old_pointer, &inner_old_pointer),
            &placed(new, inner_new, new_pointer, &inner_new_pointer),
        );
        if !self.seen.insert((address(inner_old.value), address(inner_new.value))) {
            return;
        }
        let own = Place {
            old: inner_old,
            new: inner_new,
            by_pattern: false,
            old_pointer: inner_old_pointer,
            new_pointer: inner_new_pointer,
        };
        self.depth += 1;
        let leads_away = [self.leads_away(inner_old), self.leads_away(inner_new)];
        if leads_away[0] != leads_away[1] {
            self.whole(About::Combinator, "$ref", &own);
        } else if inner_old.value.is_object() && inner_new.value.is_object() {
            self.objects(&own, place.unwrap_or(&own));
        } else if inner_old.value != inner_new.value {
            self.whole(About::Type, "type", &own);
        }
        self.depth -= 1;
    }

    /// Adds a candidate about a pair of schemas as a whole.
    fn whole(&mut self, about: About, name: &str, own: &Place<'v>) {
        self.candidates.push(Candidate {
            about,
            name: name.to_owned(),
            old: Some(own.old_pointer.clone()),
            new: Some(own.new_pointer.clone()),
            pair: [own.old, own.new],
            edit: Some(Edit { whole: true, ..Edit::default() }),
            place: None,
            names: Names::Declared,
        });
    }

    /// Whether a schema is nothing but a reference that cannot be followed. What it takes the place of is one edit,
    /// however many words that had.
    fn leads_away(&self, node: Node<'v>) -> bool {
        let document = &self.documents[node.side];
        let words = ["$ref", "$dynamicRef", "$recursiveRef"];
        let refers = words.iter().any(|word| document.knows(word) && node.value.get(word).is_some());
        let is_followed = node.value.get("$ref").and_then(Value::as_str).is_some_and(|reference| {
            matches!(document.resolve(reference), Target::Local(_)) && node.value.get(words[1]).is_none()
        });
        refers && !is_followed && self.says_only(node, &words)
    }

    /// Whether a schema asserts nothing besides these words.
    fn says_only(&self, node: Node<'v>, words: &[&str]) -> bool {
        let is_silent = |name: &str| matches!(name, "$defs" | "definitions") || is_annotation(name);
        let members = node.value.as_object();
        self.documents[node.side].draft == Draft::Seven && node.value.get("$ref").is_some()
            || members.is_some_and(|members| {
                members.keys().all(|name| words.contains(&name.as_str()) || is_silent(name))
            })
    }

    /// The schema that a bare reference leads to, and where that stands.
    fn follow(&self, node: Node<'v>, pointer: &Pointer) -> (Node<'v>, Pointer) {
        let (mut node, mut pointer) = (node, pointer.clone());
        for _ in 0..50 {
            let Some(reference) = node.value.get("$ref").and_then(Value::as_str) else { break };
            let (true, Target::Local(value)) =
                (self.says_only(node, &["$ref"]), self.documents[node.side].resolve(reference))
            else {
                break;
            };
            let fragment = reference.split_once('#').map_or("", |(_, fragment)| fragment);
            pointer = Pointer::parse(fragment);
            node = Node { value, side: node.side };
        }
        (node, pointer)
    }

    /// Words around the schema: a reference's own come before those of its target.
    fn annotations(&mut self, old: &[Placed<'v>; 2], new: &[Placed<'v>; 2]) {
        let of = |nodes: &[Placed<'v>; 2], name: &str| {
            nodes.iter().find_map(|(node, pointer)| Some((node.value.get(name)?, pointer.join(name))))
        };
        let listed = [
            ("default", Kind::DefaultChanged),
            ("description", Kind::DescriptionChanged),
            ("title", Kind::DescriptionChanged),
            ("examples", Kind::DescriptionChanged),
            ("deprecated", Kind::DescriptionChanged),
            ("readOnly", Kind::DescriptionChanged),
            ("writeOnly", Kind::DescriptionChanged),
            ("format", Kind::FormatChanged),
            ("contentEncoding", Kind::FormatChanged),
            ("contentMediaType", Kind::FormatChanged),
            ("contentSchema", Kind::FormatChanged),
        ];
        let keys = |(node, _): &Placed<'v>| node.value.as_object().into_iter().flat_map(|keys| keys.keys());
        let unknown: BTreeSet<&str> =
            old.iter().chain(new).flat_map(keys).map(String::as_str).filter(|key| !is_known(key)).collect();
        let unknown = unknown.into_iter().map(|name| (name, Kind::UnknownChanged));
        for (name, kind) in listed.into_iter().chain(unknown) {
            let (before, after) = (of(old, name), of(new, name));
            let word = |found: &Option<(&Value, Pointer)>| found.as_ref().map(|(value, _)| canonical(value));
            if word(&before) == word(&after) {
                continue;
            }
            self.candidates.push(Candidate {
                about: About::Annotation(kind),
                name: name.to_owned(),
                old: before.map(|(_, pointer)| pointer),
                new: after.map(|(_, pointer)| pointer),
                pair: [old[1].0, new[1].0],
                edit: None,
                place: None,
                names: Names::Declared,
            });
        }
    }

    /// Adds a candidate about keywords of a pair. It points at the first of them that differs, on each side.
    fn keywords(&mut self, about: About, own: &Place<'v>, keywords: &[&str], names: Names) {
        let differing = keywords.iter().find(|name| differs(own, name)).or(keywords.first());
        let name = differing.copied().unwrap_or_default();
        let at = |node: Node<'v>, pointer: &Pointer| {
            let mut found =
                keywords.iter().filter(|name| node.value.get(**name).is_some() && differs(own, name));
            found.next().map(|name| pointer.join(name))
        };
        let edit = Edit {
            keywords: keywords.iter().map(|keyword| (*keyword).to_owned()).collect(),
            ..Edit::default()
        };
        self.candidates.push(Candidate {
            about,
            name: name.to_owned(),
            old: at(own.old, &own.old_pointer),
            new: at(own.new, &own.new_pointer),
            pair: [own.old, own.new],
            edit: Some(edit),
            place: None,
            names,
        });
    }

    fn objects(&mut self, own: &Place<'v>, place: &Place<'v>) {
        let types = |node: Node<'v>| types_of(node.value.get("type"));
        if types(own.old) != types(own.new) {
            self.keywords(About::Type, own, &["type"], Names::Declared);
        }
        self.values(own);
        for keywords in LIMITS {
            if keywords.iter().any(|keyword| differs(own, keyword)) {
                self.keywords(About::Limit, own, keywords, Names::Declared);
            }
        }
        if differs(own, "pattern") {
            self.keywords(About::Pattern, own, &["pattern"], Names::Declared);
        }
        let contained = ["contains", "minContains", "maxContains"];
        if contained.iter().any(|keyword| differs(own, keyword)) {
            self.keywords(About::Limit, own, &contained, Names::Declared);
        }
        if differs(own, "propertyNames") {
            self.keywords(About::Rest { closed: None }, own, &["propertyNames"], Names::Any);
        }
        self.items(own);
        self.properties(own, place);
        self.patterns(own, place);
        self.rest(own);
        for keywords in COMBINATORS {
            if keywords.iter().any(|keyword| differs(own, keyword)) {
                self.keywords(About::Combinator, own, keywords, Names::Declared);
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            self.branches(own, place, keyword);
        }
        if differs(own, "$ref") {
            self.keywords(About::Combinator, own, &["$ref"], Names::Declared);
        }
    }

    fn values(&mut self, own: &Place<'v>) {
        let values = |node: Node<'v>| -> Option<Vec<Value>> {
            match (node.value.get("const"), node.value.get("enum").and_then(Value::as_array)) {
                (Some(value), _) => Some(vec![value.clone()]),
                (None, Some(values)) => Some(values.clone()),
                (None, None) => None,
            }
        };
        let (old, new) = (values(own.old), values(own.new));
        let texts = |values: &Option<Vec<Value>>| -> Option<BTreeSet<String>> {
            values.as_ref().map(|values| values.iter().map(canonical).collect())
        };
        if texts(&old) != texts(&new) {
            let constant = own.old.value.get("const").is_some() && own.new.value.get("const").is_some();
            self.keywords(About::Values { old, new, constant }, own, &["const", "enum"], Names::Declared);
        }
    }

    fn items(&mut self, own: &Place<'v>) {
        let parts = |node: Node<'v>, pointer: &Pointer| -> (Vec<Placed<'v>>, Option<Placed<'v>>) {
            let (prefix, rest) = match node.value.get("items") {
                Some(Value::Array(_)) => ("items", "additionalItems"),
                _ => ("prefixItems", "items"),
            };
            let listed = node.value.get(prefix).and_then(Value::as_array).into_iter().flatten();
            let listed = listed
                .enumerate()
                .map(|(at, value)| (Node { value, side: node.side }, pointer.join(prefix).join(at)));
            let last =
                node.value.get(rest).map(|value| (Node { value, side: node.side }, pointer.join(rest)));
            (listed.collect(), last)
        };
        let (old_prefix, old_rest) = parts(own.old, &own.old_pointer);
        let (new_prefix, new_rest) = parts(own.new, &own.new_pointer);
        if old_prefix.len() != new_prefix.len() || old_rest.is_some() != new_rest.is_some() {
            self.keywords(About::Limit, own, &["prefixItems", "items", "additionalItems"], Names::Declared);
            return;
        }
        let pairs = old_prefix.into_iter().chain(old_rest).zip(new_prefix.into_iter().chain(new_rest));
        for ((old, old_pointer), (new, new_pointer)) in pairs {
            self.pair(old, new, old_pointer, new_pointer, None);
        }
    }

    fn properties(&mut self, own: &Place<'v>, place: &Place<'v>) {
        let (old, new) = (properties(own.old), properties(own.new));
        let (must_old, must_new) = (required(own.old), required(own.new));
        let added: Vec<&'v str> = new.keys().filter(|name| !old.contains_key(*name)).copied().collect();
        let removed: Vec<&'v str> = old.keys().filter(|name| !new.contains_key(*name)).copied().collect();
        let renamed = super::renames::renames(&removed, &added, &old, &new);
        for (name, value) in &old {
            let Some(other) = new.get(name) else { continue };
            let at = |pointer: &Pointer| pointer.join("properties").join(name);
            self.pair(*value, *other, at(&own.old_pointer), at(&own.new_pointer), None);
        }
        for (before, after) in &renamed {
            self.member(About::Renamed, own, place, Some(before), Some(after));
        }
        for name in removed.iter().filter(|name| !renamed.iter().any(|(before, _)| before == *name)) {
            self.member(About::Removed, own, place, Some(name), None);
        }
        for name in added.iter().filter(|name| !renamed.iter().any(|(_, after)| after == *name)) {
            let required = must_new.contains(name);
            self.member(About::Added { required }, own, place, None, Some(name));
        }
        for name in must_old.symmetric_difference(&must_new) {
            // A name that comes or goes takes its obligation with it.
            if !added.contains(name) && !removed.contains(name) {
                self.obligation(own, name, must_new.contains(name));
            }
        }
    }

    /// A pattern of names is a parameter like any other, with many names.
    fn patterns(&mut self, own: &Place<'v>, place: &Place<'v>) {
        const KEYWORD: &str = "patternProperties";
        let listed = |node: Node<'v>| -> BTreeMap<&'v str, Node<'v>> {
            let members = node.value.get(KEYWORD).and_then(Value::as_object).into_iter().flatten();
            members.map(|(name, value)| (name.as_str(), Node { value, side: node.side })).collect()
        };
        let (old, new) = (listed(own.old), listed(own.new));
        let names: BTreeSet<&'v str> = old.keys().chain(new.keys()).copied().collect();
        for name in names {
            let at = |pointer: &Pointer| pointer.join(KEYWORD).join(name);
            let (old_pointer, new_pointer) = (at(&own.old_pointer), at(&own.new_pointer));
            let (before, after) = (old.get(name), new.get(name));
            if let (Some(before), Some(after)) = (before, after) {
                self.pair(*before, *after, old_pointer, new_pointer, None);
                continue;
            }
            let edit = Edit { keywords: BTreeSet::from([KEYWORD.to_owned()]), ..Edit::default() };
            self.candidates.push(Candidate {
                about: if before.is_some() { About::Removed } else { About::Added { required: false } },
                name: name.to_owned(),
                old: before.map(|_| old_pointer),
                new: after.map(|_| new_pointer),
                pair: [own.old, own.new],
                edit: Some(edit),
                place: Some(Place { by_pattern: true, ..place.clone() }),
                names: Names::Declared,
            });
        }
    }

    fn member(
        &mut self,
        about: About,
        own: &Place<'v>,
        place: &Place<'v>,
        old: Option<&'v str>,
        new: Option<&'v str>,
    ) {
        let names: BTreeSet<String> = old.into_iter().chain(new).map(str::to_owned).collect();
        let edit = Edit { members: names.clone(), required: names, ..Edit::default() };
        let at = |pointer: &Pointer, name: &str| pointer.join("properties").join(name);
        self.candidates.push(Candidate {
            about,
            name: old.or(new).unwrap_or_default().to_owned(),
            old: old.map(|name| at(&own.old_pointer, name)),
            new: new.map(|name| at(&own.new_pointer, name)),
            pair: [own.old, own.new],
            edit: Some(edit),
            place: Some(place.clone()),
            names: Names::Declared,
        });
    }

    fn obligation(&mut self, own: &Place<'v>, name: &str, now: bool) {
        let edit = Edit { required: BTreeSet::from([name.to_owned()]), ..Edit::default() };
        let at = |node: Node<'v>, pointer: &Pointer| match properties(node).contains_key(name) {
            true => pointer.join("properties").join(name),
            false => pointer.clone(),
        };
        self.candidates.push(Candidate {
            about: About::Required { now },
            name: name.to_owned(),
            old: Some(at(own.old, &own.old_pointer)),
            new: Some(at(own.new, &own.new_pointer)),
            pair: [own.old, own.new],
            edit: Some(edit),
            place: None,
            names: Names::Declared,
        });
    }

    /// What holds for members that nothing names.
    fn rest(&mut self, own: &Place<'v>) {
        const REST: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
        if !REST.iter().any(|keyword| differs(own, keyword)) {
            return;
        }
        let rest =
            |node: Node<'v>| REST.iter().find_map(|keyword| node.value.get(*keyword)).unwrap_or(&NOTHING);
        let (old, new) = (rest(own.old), rest(own.new));
        if old.is_object() && new.is_object() && differs(own, REST[0]) && !differs(own, REST[1]) {
            let at = |pointer: &Pointer| pointer.join(REST[0]);
            let (old, new) = (Node { value: old, side: 0 }, Node { value: new, side: 1 });
            self.pair(old, new, at(&own.old_pointer), at(&own.new_pointer), None);
            return;
        }
        let refused = &Value::Bool(false);
        let closed = match (old == refused, new == refused) {
            (false, true) => Some(true),
            (true, false) => Some(false),
            _ => None,
        };
        self.keywords(About::Rest { closed }, own, &REST, Names::Any);
    }

    /// Branches are paired where they are equal, the others in their order; where their number differs, the
    /// combinator as a whole is what differs.
    fn branches(&mut self, own: &Place<'v>, place: &Place<'v>, keyword: &str) {
        if !differs(own, keyword) && !mentions_reference(own.old.value.get(keyword)) {
            return;
        }
        let list = |node: Node<'v>| node.value.get(keyword).and_then(Value::as_array).map(Vec::as_slice);
        let (Some(old), Some(new)) = (list(own.old), list(own.new)) else {
            self.keywords(About::Combinator, own, &[keyword], Names::Declared);
            return;
        };
        if old.len() != new.len() {
            self.keywords(About::Combinator, own, &[keyword], Names::Declared);
            return;
        }
        let mut free: Vec<usize> = (0..new.len()).collect();
        let mut pairs = Vec::new();
        for (at, branch) in old.iter().enumerate() {
            let same = free.iter().position(|other| canonical(&new[*other]) == canonical(branch));
            pairs.push((at, same.map(|same| free.remove(same))));
        }
        let mut free = free.into_iter();
        for (at, same) in pairs {
            let Some(other) = same.or_else(|| free.next()) else { continue };
            let (old, new) = (Node { value: &old[at], side: 0 }, Node { value: &new[other], side: 1 });
            let pointers =
                (own.old_pointer.join(keyword).join(at), own.new_pointer.join(keyword).join(other));
            self.pair(old, new, pointers.0, pointers.1, Some(place));
        }
    }
}

fn differs(own: &Place<'_>, keyword: &str) -> bool {
    own.old.value.get(keyword).map(canonical) != own.new.value.get(keyword).map(canonical)
}

fn mentions_reference(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(members)) => {
            members.contains_key("$ref") || members.values().any(|member| mentions_reference(Some(member)))
        }
        Some(Value::Array(items)) => items.iter().any(|item| mentions_reference(Some(item))),
        _ => false,
    }
}

fn is_annotation(name: &str) -> bool {
    matches!(
        name,
        "title"
            | "description"
            | "default"
            | "examples"
            | "$comment"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$schema"
            | "$id"
    )
}

/// Whether some draft of JSON Schema gives the keyword a meaning.
fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 63] = [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$recursiveAnchor",
        "$recursiveRef",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "id",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    ];
    KNOWN.binary_search(&name).is_ok()
}

fn types_of(names: Option<&Value>) -> Option<Types> {
    match names {
        None => Some(Types::ALL),
        Some(Value::String(name)) => Types::named(name),
        Some(Value::Array(names)) => names.iter().try_fold(Types::NONE, |types, name| {
            name.as_str().and_then(Types::named).map(|named| types.or(named))
        }),
        Some(_) => None,
    }
}

/// How two lists of types relate: whether OLD's are among NEW's, and NEW's among OLD's.
pub(super) fn relate_types(old: Option<&Value>, new: Option<&Value>) -> (bool, bool) {
    match (types_of(old), types_of(new)) {
        (Some(old), Some(new)) => (old.and(new) == old, old.and(new) == new),
        _ => (false, false),
    }
}

fn properties<'v>(node: Node<'v>) -> BTreeMap<&'v str, Node<'v>> {
    let members = node.value.get("properties").and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), Node { value, side: node.side })).collect()
}

fn required<'v>(node: Node<'v>) -> BTreeSet<&'v str> {
    let names = node.value.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
