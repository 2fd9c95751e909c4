//! Recognizes parameters that only changed their name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::forms::canonical;
use super::reading::Node;

/// How alike two contents must be, and by how much the best one must lead, both in percent.
const LEAST: usize = 80;
const LEAD: usize = 10;

/// The most contents that are compared with each other.
const MAX_COMPARED: usize = 10_000;

/// Pairs of a removed and an added name with one content: first contents that are equal and unique on both sides,
/// then those most alike, where both sides agree and no other comes near.
pub(super) fn renames<'v>(
    removed: &[&'v str],
    added: &[&'v str],
    old: &BTreeMap<&'v str, Node<'v>>,
    new: &BTreeMap<&'v str, Node<'v>>,
) -> Vec<(&'v str, &'v str)> {
    if removed.len() * added.len() > MAX_COMPARED {
        return Vec::new();
    }
    let mut pairs: Vec<(&'v str, &'v str)> = Vec::new();
    let texts = |names: &[&'v str], of: &BTreeMap<&'v str, Node<'v>>| -> Vec<String> {
        names.iter().map(|name| of.get(name).map(|node| canonical(node.value)).unwrap_or_default()).collect()
    };
    let (before, after) = (texts(removed, old), texts(added, new));
    for (at, text) in before.iter().enumerate() {
        let unique = before.iter().filter(|other| *other == text).count() == 1;
        let mut same = after.iter().enumerate().filter(|(_, other)| *other == text);
        if let (true, Some((other, _)), None) = (unique, same.next(), same.next()) {
            pairs.push((removed[at], added[other]));
        }
    }
    let left: Vec<&'v str> =
        removed.iter().filter(|name| !pairs.iter().any(|(a, _)| a == *name)).copied().collect();
    let right: Vec<&'v str> =
        added.iter().filter(|name| !pairs.iter().any(|(_, b)| b == *name)).copied().collect();
    let parts = |names: &[&'v str], of: &BTreeMap<&'v str, Node<'v>>| -> Vec<BTreeSet<String>> {
        names.iter().filter_map(|name| of.get(name)).map(|node| leaves(node.value)).collect()
    };
    let (before, after) = (parts(&left, old), parts(&right, new));
    for (at, own) in before.iter().enumerate() {
        let Some(best) = clear_best(own, &after) else { continue };
        if clear_best(&after[best], &before) == Some(at) {
            pairs.push((left[at], right[best]));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The content that is most like `own`, where it is alike enough and leads.
fn clear_best(own: &BTreeSet<String>, others: &[BTreeSet<String>]) -> Option<usize> {
    let mut scores: Vec<(usize, usize)> =
        others.iter().enumerate().map(|(at, other)| (similarity(own, other), at)).collect();
    scores.sort_unstable_by(|left, right| right.cmp(left));
    let (best, at) = *scores.first()?;
    let next = scores.get(1).map_or(0, |(score, _)| *score);
    (best >= LEAST && best >= next + LEAD).then_some(at)
}

fn similarity(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    (100 * shared).checked_div(all).unwrap_or_default()
}

/// The scalars of a value with their paths; texts by every run of three words.
fn leaves(value: &Value) -> BTreeSet<String> {
    let mut leaves = BTreeSet::new();
    gather("", value, &mut leaves);
    leaves
}

fn gather(path: &str, value: &Value, leaves: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                gather(&format!("{path}/{name}"), member, leaves);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| gather(&format!("{path}/*"), item, leaves)),
        Value::String(text) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.len() <= 3 {
                leaves.insert(format!("{path}={text}"));
            }
            let runs = words.windows(3).filter(|_| words.len() > 3);
            leaves.extend(runs.map(|run| format!("{path}={}", run.join(" "))));
        }
        scalar => {
            leaves.insert(format!("{path}={}", canonical(scalar)));
        }
    }
}
