//! Pairs the things of two versions, once, before any rule sees them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pack::digest::{canonical, canonical_node};
use pack::json::{JsonType, Node};
use serde_json::Value;

use crate::subset::value_of;

/// Two collections of one kind, paired by name.
#[derive(Debug, Clone)]
pub(crate) struct Pairing<T> {
    /// On both sides under one name, in the order of OLD.
    pub(crate) both: Vec<(T, T)>,
    /// On both sides under two names.
    pub(crate) renamed: Vec<(T, T)>,
    /// In OLD alone.
    pub(crate) removed: Vec<T>,
    /// In NEW alone.
    pub(crate) added: Vec<T>,
}

impl<T: Copy> Pairing<T> {
    /// Pairs by name; of several things with one name the first counts.
    pub(crate) fn by_name<'n>(
        old: impl IntoIterator<Item = T>,
        new: impl IntoIterator<Item = T>,
        name: impl Fn(T) -> &'n str,
    ) -> Pairing<T> {
        let old = distinct(old, &name);
        let new = distinct(new, &name);
        let named: BTreeMap<&str, T> = new.iter().map(|&thing| (name(thing), thing)).collect();
        let known: BTreeSet<&str> = old.iter().map(|&thing| name(thing)).collect();
        let mut pairing =
            Pairing { both: Vec::new(), renamed: Vec::new(), removed: Vec::new(), added: Vec::new() };
        for thing in old {
            match named.get(name(thing)) {
                Some(&other) => pairing.both.push((thing, other)),
                None => pairing.removed.push(thing),
            }
        }
        pairing.added.extend(new.into_iter().filter(|&thing| !known.contains(name(thing))));
        pairing
    }

    /// Pairs in stages: what has one key in a stage belongs together, in order; the rest goes on to the next stage.
    pub(crate) fn staged(old: Vec<T>, new: Vec<T>, stages: &[&dyn Fn(T) -> Option<String>]) -> Pairing<T> {
        let mut partners: Vec<Option<usize>> = vec![None; old.len()];
        let mut taken = vec![false; new.len()];
        for key in stages {
            let mut open: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
            for (at, &thing) in new.iter().enumerate().filter(|(at, _)| !taken[*at]) {
                if let Some(key) = key(thing) {
                    open.entry(key).or_default().push_back(at);
                }
            }
            for (at, &thing) in old.iter().enumerate() {
                let waiting = key(thing).filter(|_| partners[at].is_none());
                if let Some(found) = waiting.and_then(|key| open.get_mut(&key)?.pop_front()) {
                    partners[at] = Some(found);
                    taken[found] = true;
                }
            }
        }
        let both = old.iter().zip(&partners).filter_map(|(&thing, at)| Some((thing, new[(*at)?])));
        let removed = old.iter().zip(&partners).filter(|(_, at)| at.is_none()).map(|(&thing, _)| thing);
        let added = new.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(&thing, _)| thing);
        let (both, removed, added) = (both.collect(), removed.collect(), added.collect());
        Pairing { both, renamed: Vec::new(), removed, added }
    }

    /// Moves what was only renamed out of the removed and added ones.
    pub(crate) fn recognize(&mut self, content: impl Fn(T) -> Content) {
        self.recognize_where(content, |_| true);
    }

    /// As [`Pairing::recognize`], where `accept` agrees to the renames that it is shown.
    ///
    /// All of them are offered at once, then each alone.
    pub(crate) fn recognize_where(
        &mut self,
        content: impl Fn(T) -> Content,
        accept: impl Fn(&[(T, T)]) -> bool,
    ) {
        if self.removed.is_empty() || self.added.is_empty() {
            return;
        }
        let old: Vec<Content> = self.removed.iter().map(|&thing| content(thing)).collect();
        let new: Vec<Content> = self.added.iter().map(|&thing| content(thing)).collect();
        let found = renames(&old, &new);
        let things = |at: &[(usize, usize)]| -> Vec<(T, T)> {
            at.iter().map(|&(old, new)| (self.removed[old], self.added[new])).collect()
        };
        let found = if found.is_empty() || accept(&things(&found)) {
            found
        } else {
            found.into_iter().filter(|&pair| accept(&things(&[pair]))).take(1).collect()
        };
        self.renamed = things(&found);
        let gone: BTreeSet<usize> = found.iter().map(|&(old, _)| old).collect();
        let come: BTreeSet<usize> = found.iter().map(|&(_, new)| new).collect();
        self.removed = without(&self.removed, &gone);
        self.added = without(&self.added, &come);
    }

    /// Every pair, the renamed ones last.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (T, T)> + '_ {
        self.both.iter().chain(&self.renamed).copied()
    }
}

fn distinct<'n, T: Copy>(things: impl IntoIterator<Item = T>, name: &impl Fn(T) -> &'n str) -> Vec<T> {
    let mut seen = BTreeSet::new();
    things.into_iter().filter(|&thing| seen.insert(name(thing))).collect()
}

fn without<T: Copy>(things: &[T], positions: &BTreeSet<usize>) -> Vec<T> {
    things.iter().enumerate().filter(|(at, _)| !positions.contains(at)).map(|(_, &thing)| thing).collect()
}

/// What a thing says apart from its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    whole: String,
    parts: BTreeSet<String>,
}

impl Content {
    /// The content of a JSON object without the members in `names`.
    pub(crate) fn json(node: Node<'_>, names: &[&str]) -> Content {
        let mut value = value_of(node);
        if let Value::Object(members) = &mut value {
            members.retain(|key, _| !names.contains(&key.as_str()));
        }
        let mut parts = BTreeSet::new();
        for (key, child) in node.members().filter(|(key, _)| !names.contains(key)) {
            add_leaves(key, child, &mut parts);
        }
        Content { whole: canonical(&value), parts }
    }

    /// The content of a text.
    pub(crate) fn text(text: &str) -> Content {
        let mut parts = BTreeSet::new();
        add_shingles("", text, &mut parts);
        Content { whole: text.to_owned(), parts }
    }

    /// The content that sorted leaves describe.
    pub(crate) fn leaves(leaves: Vec<String>) -> Content {
        Content { whole: leaves.join("\n"), parts: leaves.into_iter().collect() }
    }

    /// Shared parts of all parts, in thousandths.
    fn similarity(&self, other: &Content) -> usize {
        let shared = self.parts.intersection(&other.parts).count();
        let all = self.parts.len() + other.parts.len() - shared;
        (1000 * shared).checked_div(all).unwrap_or_default()
    }
}

fn add_leaves(path: &str, node: Node<'_>, parts: &mut BTreeSet<String>) {
    match node.json_type() {
        JsonType::Object | JsonType::Array if !node.is_empty() => {
            for child in node.children() {
                let step = child.key().unwrap_or("*");
                add_leaves(&format!("{path}/{step}"), child, parts);
            }
        }
        JsonType::String => add_shingles(path, node.as_str().unwrap_or_default(), parts),
        _ => {
            parts.insert(format!("{path}={}", canonical_node(node)));
        }
    }
}

/// Adds every run of three words.
fn add_shingles(path: &str, text: &str, parts: &mut BTreeSet<String>) {
    const WORDS: usize = 3;
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= WORDS {
        parts.insert(format!("{path}={}", words.join(" ")));
    }
    parts.extend(
        words.windows(WORDS).filter(|_| words.len() > WORDS).map(|run| format!("{path}={}", run.join(" "))),
    );
}

/// Similarity, in thousandths, from which a removed and an added thing are one.
const ALIKE: usize = 800;
/// How far, in thousandths, the next candidate has to stay behind.
const LEAD: usize = 100;
/// The most pairs that are compared by similarity; beyond, only equal content counts.
const MAX_COMPARISONS: usize = 10_000;

/// Finds renames: equal content that is unique on both sides, then mutual best similarity with a clear lead.
fn renames(old: &[Content], new: &[Content]) -> Vec<(usize, usize)> {
    let mut found = equal_content(old, new);
    let taken_old: BTreeSet<usize> = found.iter().map(|pair| pair.0).collect();
    let taken_new: BTreeSet<usize> = found.iter().map(|pair| pair.1).collect();
    let open_old: Vec<usize> = (0..old.len()).filter(|at| !taken_old.contains(at)).collect();
    let open_new: Vec<usize> = (0..new.len()).filter(|at| !taken_new.contains(at)).collect();
    if open_old.len().saturating_mul(open_new.len()) <= MAX_COMPARISONS {
        let score = |o: usize, n: usize| old[o].similarity(&new[n]);
        for &o in &open_old {
            let Some(n) = clear_best(&open_new, |n| score(o, n)) else { continue };
            if clear_best(&open_old, |o| score(o, n)) == Some(o) {
                found.push((o, n));
            }
        }
    }
    found.sort_unstable();
    found
}

fn equal_content(old: &[Content], new: &[Content]) -> Vec<(usize, usize)> {
    let positions = |contents: &[Content]| {
        let mut unique: BTreeMap<String, Option<usize>> = BTreeMap::new();
        for (at, content) in contents.iter().enumerate() {
            unique.entry(content.whole.clone()).and_modify(|known| *known = None).or_insert(Some(at));
        }
        unique
    };
    let theirs = positions(new);
    let both = |(whole, at): (String, Option<usize>)| Some((at?, theirs.get(&whole).copied()??));
    positions(old).into_iter().filter_map(both).collect()
}

/// The best candidate, where it is alike enough and the next one stays clearly behind.
fn clear_best(candidates: &[usize], score: impl Fn(usize) -> usize) -> Option<usize> {
    let mut scored: Vec<(usize, usize)> = candidates.iter().map(|&at| (score(at), at)).collect();
    scored.sort_unstable_by(|a, b| b.cmp(a));
    let &(best, at) = scored.first()?;
    let next = scored.get(1).map_or(0, |next| next.0);
    (best >= ALIKE && best >= next + LEAD).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &[&str], new: &[&str], expected: &[(usize, usize)]) {
        let contents = |texts: &[&str]| texts.iter().map(|text| Content::text(text)).collect::<Vec<_>>();
        assert_eq!(renames(&contents(old), &contents(new)), expected);
    }

    #[test]
    fn equal_content_is_a_rename_where_it_is_unique() {
        check(&["a b c d"], &["x", "a b c d"], &[(0, 1)]);
        check(&["a"], &["a", "a"], &[]);
    }

    #[test]
    fn similar_content_is_a_rename_with_a_clear_lead() {
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
        let near = "one two three four five six seven eight nine ten eleven twelve fourteen";
        let far = "one two three four five six";
        check(&[long], &[near], &[(0, 0)]);
        check(&[long], &[near, near], &[]);
        check(&[long], &[far], &[]);
    }
}
