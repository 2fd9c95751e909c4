//! Finds an array: how long, and what each position has to satisfy.
//!
//! `contains`, and a list of items that the target refuses, both count positions that satisfy something. Beyond the
//! longest prefix all positions are alike, so an array never needs to be longer than that prefix plus what is still
//! to be counted.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reason;
use super::branches::Branch;
use super::forms::{FALSE, Form, Id, TRUE, canonical};
use super::solver::{Best, Goal, Literal, Outcome, Solver};
use super::strings::lower;

/// The longest array that is spelled out.
const LONGEST: u64 = 70_000;

/// The longest array whose positions are chosen one by one.
const MAX_POSITIONS: usize = 120;

/// The most distinct items that are matched to positions exactly.
const MAX_MATCHED: usize = 24;

/// A number of positions that must satisfy something.
#[derive(Debug, Clone)]
struct Counter {
    what: Counted,
    min: u64,
    max: Option<u64>,
}

#[derive(Debug, Clone)]
enum Counted {
    /// Items that satisfy a form.
    Form(Id),
    /// Items that fail the form of their position.
    Refused(Vec<Id>, Id),
}

#[derive(Debug, Default)]
struct Wanted {
    items: Vec<(Vec<Id>, Id)>,
    counters: Vec<Counter>,
    min: u64,
    max: Option<u64>,
    unique: bool,
    /// Two equal items.
    repeated: bool,
    /// Positions up to here may differ from each other.
    prefix: usize,
    sources: Option<Vec<Id>>,
}

impl Wanted {
    /// The literals of the item at a position, which hits those counters and misses these.
    fn literals(&self, at: usize, hit: &[usize], missed: &[usize]) -> Vec<Literal> {
        let form_at = |prefix: &[Id], rest: Id| prefix.get(at).copied().unwrap_or(rest);
        let mut literals: Vec<Literal> =
            self.items.iter().map(|(prefix, rest)| (form_at(prefix, *rest), true)).collect();
        for (counters, sign) in [(hit, true), (missed, false)] {
            literals.extend(counters.iter().map(|counter| match &self.counters[*counter].what {
                Counted::Form(form) => (*form, sign),
                Counted::Refused(prefix, rest) => (form_at(prefix, *rest), !sign),
            }));
        }
        literals
    }
}

impl Solver<'_> {
    /// Finds a short array that satisfies the branch.
    pub(super) fn array(&mut self, branch: &Branch, sources: Option<&Vec<Id>>, choices: usize) -> Outcome {
        let (wanted, excluded) = self.wanted_array(branch, sources);
        if wanted.max.is_some_and(|max| max < wanted.min) {
            return Outcome::Empty;
        }
        let outcome = if wanted.repeated {
            self.repeated_items(&wanted)
        } else if wanted.counters.is_empty() {
            self.plain_items(&wanted, usize::try_from(wanted.min).unwrap_or(usize::MAX))
        } else {
            self.counted_items(&wanted)
        };
        match &outcome {
            Outcome::Found(value, _) if excluded.contains(&canonical(value)) => {
                let value = value.clone();
                self.other_array(branch, sources, choices, &value)
            }
            // The array that is too large to be built may be the very constant that is taken.
            Outcome::Vast if !excluded.is_empty() => Outcome::Unknown(Reason::Budget),
            _ => outcome,
        }
    }

    fn wanted_array(&self, branch: &Branch, sources: Option<&Vec<Id>>) -> (Wanted, BTreeSet<String>) {
        let mut wanted = Wanted { sources: sources.cloned(), ..Wanted::default() };
        let mut excluded = BTreeSet::new();
        for (id, holds) in &branch.literals {
            match (&*self.forms.get(*id), holds) {
                (Form::MinItems(min), true) => wanted.min = wanted.min.max(*min),
                (Form::MinItems(min), false) => wanted.max = lower(wanted.max, min.saturating_sub(1)),
                (Form::MaxItems(max), true) => wanted.max = lower(wanted.max, *max),
                (Form::MaxItems(max), false) => wanted.min = wanted.min.max(max.saturating_add(1)),
                (Form::Unique, true) => wanted.unique = true,
                (Form::Unique, false) => wanted.repeated = true,
                (Form::Items { prefix, rest }, holds) => {
                    wanted.prefix = wanted.prefix.max(prefix.len());
                    if *holds {
                        wanted.items.push((prefix.clone(), *rest));
                    } else {
                        let what = Counted::Refused(prefix.clone(), *rest);
                        wanted.counters.push(Counter { what, min: 1, max: None });
                    }
                }
                (Form::Contains { form, min, max }, true) => {
                    wanted.counters.push(Counter { what: Counted::Form(*form), min: *min, max: *max });
                }
                (Form::Values(values), false) => {
                    excluded.extend(values.iter().map(|value| canonical(self.forms.constant_value(*value))));
                }
                _ => {}
            }
        }
        (wanted, excluded)
    }

    fn item(&mut self, wanted: &Wanted, at: usize, literals: Vec<Literal>) -> Outcome {
        let sources = self.item_sources(wanted.sources.as_ref(), at);
        self.solve(Goal { literals, sources })
    }

    /// An array of `length` items that only have to fit their positions.
    fn plain_items(&mut self, wanted: &Wanted, length: usize) -> Outcome {
        let mut positions = Vec::new();
        for at in 0..length.min(wanted.prefix + 1) {
            positions.push(wanted.literals(at, &[], &[]));
        }
        self.fill(wanted, positions, length)
    }

    /// Items for the positions given and for as many more, alike, as the length asks for.
    fn fill(&mut self, wanted: &Wanted, mut positions: Vec<Vec<Literal>>, length: usize) -> Outcome {
        let mut items = Vec::new();
        let mut doubt = None;
        let mut vast = false;
        let length = length.max(positions.len());
        for (at, literals) in positions.iter().enumerate() {
            match self.item(wanted, at, literals.clone()) {
                Outcome::Found(item, reason) => {
                    doubt = doubt.or(reason);
                    items.push(item);
                }
                Outcome::Vast => vast = true,
                Outcome::Empty => return Outcome::Empty,
                Outcome::Unknown(reason) => return Outcome::Unknown(reason),
            }
        }
        if length > positions.len() {
            let at = positions.len();
            let more = match self.item(wanted, at, wanted.literals(at, &[], &[])) {
                Outcome::Found(item, reason) => {
                    doubt = doubt.or(reason);
                    item
                }
                Outcome::Vast => {
                    vast = true;
                    Value::Null
                }
                other => return other,
            };
            vast |= length as u64 > LONGEST;
            if wanted.unique && (vast || length > MAX_POSITIONS * 4) {
                return Outcome::Unknown(Reason::Budget);
            }
            if vast {
                return Outcome::Vast.doubted(doubt);
            }
            for at in positions.len()..length {
                items.push(more.clone());
                if wanted.unique {
                    positions.push(wanted.literals(at, &[], &[]));
                }
            }
        }
        match (vast, wanted.unique) {
            (true, true) if length > 1 => return Outcome::Unknown(Reason::Budget),
            (true, _) => return Outcome::Vast.doubted(doubt),
            (false, true) => return self.distinct_items(wanted, &positions),
            (false, false) => {}
        }
        Outcome::Found(Value::Array(items), doubt)
    }

    /// Distinct items for the positions: each takes the first value that is still free; where that fails, all of
    /// them are matched.
    fn distinct_items(&mut self, wanted: &Wanted, positions: &[Vec<Literal>]) -> Outcome {
        let mut items: Vec<Value> = Vec::new();
        let mut doubt = None;
        for (at, literals) in positions.iter().enumerate() {
            match self.other_item(wanted, at, literals, &items) {
                Outcome::Found(item, reason) => {
                    doubt = doubt.or(reason);
                    items.push(item);
                }
                Outcome::Unknown(reason) => return Outcome::Unknown(reason),
                Outcome::Vast => return Outcome::Unknown(Reason::Budget),
                Outcome::Empty if positions.len() > MAX_MATCHED => return Outcome::Unknown(Reason::Budget),
                Outcome::Empty => return self.matched_items(wanted, positions),
            }
        }
        Outcome::Found(Value::Array(items), doubt)
    }

    fn other_item(&mut self, wanted: &Wanted, at: usize, literals: &[Literal], taken: &[Value]) -> Outcome {
        let taken = self.forms.values(taken);
        let mut literals = literals.to_vec();
        literals.push((taken, false));
        self.item(wanted, at, literals)
    }

    /// Matches positions with as many values each as there are positions: more are never needed.
    fn matched_items(&mut self, wanted: &Wanted, positions: &[Vec<Literal>]) -> Outcome {
        let mut candidates: Vec<Vec<Value>> = Vec::new();
        for (at, literals) in positions.iter().enumerate() {
            let mut values = Vec::new();
            while values.len() < positions.len() {
                match self.other_item(wanted, at, literals, &values) {
                    Outcome::Found(value, None) => values.push(value),
                    Outcome::Found(_, Some(reason)) | Outcome::Unknown(reason) => {
                        return Outcome::Unknown(reason);
                    }
                    Outcome::Vast => return Outcome::Unknown(Reason::Budget),
                    Outcome::Empty => break,
                }
            }
            candidates.push(values);
        }
        let mut owners: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for at in 0..candidates.len() {
            if !augment(&candidates, at, &mut owners, &mut BTreeSet::new()) {
                return Outcome::Empty;
            }
        }
        let mut items = vec![Value::Null; positions.len()];
        for (text, at) in owners {
            if let Some(value) = candidates[at].iter().find(|value| canonical(value) == text) {
                items[at] = value.clone();
            }
        }
        Outcome::Found(Value::Array(items), None)
    }

    /// An array in which two positions hold one value.
    fn repeated_items(&mut self, wanted: &Wanted) -> Outcome {
        let mut best = Best::default();
        if !wanted.counters.is_empty() {
            best.take(Outcome::Unknown(Reason::NegatedUnique));
        }
        for second in 1..=wanted.prefix + 1 {
            let length = usize::try_from(wanted.min).unwrap_or(usize::MAX).max(second + 1);
            if wanted.max.is_some_and(|max| max < length as u64) {
                break;
            }
            for first in 0..second {
                let outcome = self.repeated_at(wanted, first, second, length);
                if let Some(outcome) = best.take(outcome) {
                    return outcome;
                }
            }
        }
        best.finish()
    }

    fn repeated_at(&mut self, wanted: &Wanted, first: usize, second: usize, length: usize) -> Outcome {
        let all: Vec<usize> =
            (0..wanted.counters.len()).filter(|counter| wanted.counters[*counter].min > 0).collect();
        let mut shared = wanted.literals(first, &all, &[]);
        shared.extend(wanted.literals(second, &all, &[]));
        let mut sources = self.item_sources(wanted.sources.as_ref(), first);
        if let (Some(sources), Some(more)) =
            (&mut sources, self.item_sources(wanted.sources.as_ref(), second))
        {
            // Declared at either position is not declared at both; this may only lose values.
            sources.retain(|source| more.contains(source));
        }
        let (value, doubt) = match self.solve(Goal { literals: shared, sources }) {
            Outcome::Found(value, doubt) => (value, doubt),
            Outcome::Vast => return Outcome::Unknown(Reason::Budget),
            other => return other,
        };
        let outcome = self.plain_items(wanted, length).doubted(doubt);
        match outcome {
            Outcome::Found(Value::Array(mut items), doubt) => {
                items[first] = value.clone();
                items[second] = value;
                let counted = if wanted.counters.is_empty() { None } else { Some(Reason::NegatedUnique) };
                Outcome::Found(Value::Array(items), doubt.or(counted))
            }
            Outcome::Vast if !wanted.counters.is_empty() => Outcome::Unknown(Reason::NegatedUnique),
            other => other,
        }
    }

    /// An array whose positions are chosen one by one, so that every count comes out.
    fn counted_items(&mut self, wanted: &Wanted) -> Outcome {
        let needed: u64 = wanted.counters.iter().map(|counter| counter.min).fold(0, u64::saturating_add);
        let longest = wanted.min.max(needed.saturating_add(wanted.prefix as u64));
        let longest = wanted.max.map_or(longest, |max| max.min(longest));
        if wanted.counters.len() > 6 || longest > MAX_POSITIONS as u64 {
            return Outcome::Unknown(Reason::Budget);
        }
        let longest = usize::try_from(longest).unwrap_or(MAX_POSITIONS);
        let mut search = Counting { longest, refuted: BTreeSet::new() };
        let counts = vec![0; wanted.counters.len()];
        self.count_from(wanted, &mut search, &mut Vec::new(), &counts)
    }

    fn count_from(
        &mut self,
        wanted: &Wanted,
        search: &mut Counting,
        positions: &mut Vec<Vec<Literal>>,
        counts: &[u64],
    ) -> Outcome {
        let at = positions.len();
        let mut best = Best::default();
        let complete = wanted.counters.iter().zip(counts).all(|(counter, count)| *count >= counter.min);
        if complete && at as u64 >= wanted.min {
            let outcome = self.fill(wanted, positions.clone(), at);
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        let key = (at.min(wanted.prefix), counts.to_vec(), wanted.min.saturating_sub(at as u64));
        let forgetful = !wanted.unique && at >= wanted.prefix;
        if at >= search.longest || (forgetful && search.refuted.contains(&key)) {
            return best.finish();
        }
        if !self.spend(1) {
            return Outcome::Unknown(Reason::Budget);
        }
        for choice in (0..1_u32 << wanted.counters.len()).rev() {
            let Some((hit, missed, next)) = choose(wanted, counts, choice) else { continue };
            let literals = wanted.literals(at, &hit, &missed);
            match self.item(wanted, at, literals.clone()) {
                Outcome::Empty => continue,
                Outcome::Unknown(reason) => {
                    best.take(Outcome::Unknown(reason));
                    continue;
                }
                Outcome::Found(..) | Outcome::Vast => {}
            }
            positions.push(literals);
            let outcome = self.count_from(wanted, search, positions, &next);
            positions.pop();
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        let outcome = best.finish();
        if forgetful && outcome == Outcome::Empty {
            search.refuted.insert(key);
        }
        outcome
    }

    /// Another array than one that may not be: shorter, longer, or different at some position.
    fn other_array(
        &mut self,
        branch: &Branch,
        sources: Option<&Vec<Id>>,
        choices: usize,
        value: &Value,
    ) -> Outcome {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let count = items.len() as u64;
        let mut ways: Vec<Vec<Literal>> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let same = self.forms.values([item]);
            let other = self.forms.not(same);
            let mut prefix = vec![TRUE; at];
            prefix.push(other);
            let differs = self.forms.intern(Form::Items { prefix, rest: TRUE });
            let long = self.forms.intern(Form::MinItems(count));
            ways.push(vec![(differs, true), (long, true)]);
        }
        let longer = self.forms.intern(Form::MinItems(count + 1));
        ways.push(vec![(longer, true)]);
        ways.push(match count.checked_sub(1) {
            Some(shorter) => vec![(self.forms.intern(Form::MaxItems(shorter)), true)],
            None => vec![(FALSE, true)],
        });
        self.first_way(branch, sources, choices, &ways)
    }

    /// The first of several ways to satisfy the branch.
    pub(super) fn first_way(
        &mut self,
        branch: &Branch,
        sources: Option<&Vec<Id>>,
        choices: usize,
        ways: &[Vec<Literal>],
    ) -> Outcome {
        let mut best = Best::default();
        for way in ways {
            let outcome = self.search_with(branch, way, sources, choices);
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        best.finish()
    }
}

struct Counting {
    longest: usize,
    /// Where the search ended in vain: position, counts, items still due.
    refuted: BTreeSet<(usize, Vec<u64>, u64)>,
}

/// Which counters the next position hits and misses, and the counts after it; none where the choice is pointless.
fn choose(wanted: &Wanted, counts: &[u64], choice: u32) -> Option<(Vec<usize>, Vec<usize>, Vec<u64>)> {
    let (mut hit, mut missed, mut next) = (Vec::new(), Vec::new(), counts.to_vec());
    for (index, counter) in wanted.counters.iter().enumerate() {
        if choice >> index & 1 == 1 {
            let full = counter.max.is_some_and(|max| counts[index] >= max);
            let enough = counter.max.is_none() && counts[index] >= counter.min;
            if full || enough {
                return None;
            }
            hit.push(index);
            next[index] += 1;
        } else if counter.max.is_some() {
            missed.push(index);
        }
    }
    Some((hit, missed, next))
}

/// Finds a value for position `at`, moving others to their next choice where needed.
fn augment(
    candidates: &[Vec<Value>],
    at: usize,
    owners: &mut std::collections::BTreeMap<String, usize>,
    seen: &mut BTreeSet<String>,
) -> bool {
    for value in &candidates[at] {
        let text = canonical(value);
        if !seen.insert(text.clone()) {
            continue;
        }
        let owner = owners.get(&text).copied();
        if owner.is_none_or(|owner| augment(candidates, owner, owners, seen)) {
            owners.insert(text, at);
            return true;
        }
    }
    false
}
