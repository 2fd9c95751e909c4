//! Finds the shortest text that some patterns match, others do not, and no forbidden word equals.
//!
//! A breadth-first walk over the product of the automata, one code point at a time. Lengths are the levels of the
//! walk; the forbidden words are one more automaton, the tree of their letters. Characters that no part tells apart
//! are tried once, by a representative that reads well in a witness.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::pattern::{Pattern, is_word};

/// What a search for a text found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Found(String),
    /// There is one, but it is too long to be built.
    Vast,
    /// There is none.
    Empty,
    /// The walk was cut short.
    OverBudget,
}

/// What a text has to satisfy.
pub(super) struct Wanted<'a> {
    /// Which automata have to match.
    pub(super) patterns: &'a [(usize, bool)],
    /// The least number of code points.
    pub(super) min: u64,
    /// The greatest number of code points.
    pub(super) max: Option<u64>,
    /// Words that are taken.
    pub(super) excluded: &'a BTreeSet<String>,
}

/// The most nodes of one walk.
const MAX_NODES: usize = 120_000;

/// The longest text that is spelled out where only the length matters.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Position {
    walks: Vec<usize>,
    /// The node in the tree of forbidden words; none once no forbidden word can follow.
    taken: Option<usize>,
}

struct Walker<'a> {
    automata: &'a mut [Pattern],
    wanted: &'a Wanted<'a>,
    tree: Tree,
    alphabet: Vec<char>,
    /// Every node of the walk: its position, the node before, and the character that led here.
    nodes: Vec<(Position, usize, char)>,
    fuel: &'a mut u64,
}

/// Finds the shortest text; `fuel` is the work that may still be spent, and goes down.
pub(super) fn shortest(automata: &mut [Pattern], wanted: &Wanted<'_>, fuel: &mut u64) -> Word {
    if wanted.max.is_some_and(|max| max < wanted.min) {
        return Word::Empty;
    }
    let longer = wanted.excluded.iter().any(|word| word.len() as u64 >= wanted.min);
    if wanted.patterns.is_empty() && wanted.min > 64 && !longer {
        return match usize::try_from(wanted.min) {
            Ok(length) if wanted.min <= LONGEST => Word::Found("a".repeat(length)),
            _ => Word::Vast,
        };
    }
    if *fuel == 0 && !wanted.patterns.is_empty() {
        return Word::OverBudget;
    }
    let tree = Tree::new(wanted.excluded);
    let alphabet = alphabet(automata, wanted);
    *fuel = fuel.saturating_sub(alphabet.len() as u64);
    let first = Position { walks: vec![0; wanted.patterns.len()], taken: Some(0) };
    let mut walker = Walker { automata, wanted, tree, alphabet, nodes: vec![(first, 0, ' ')], fuel };
    let word = walker.run();
    for (pattern, _) in wanted.patterns {
        automata[*pattern].rest();
    }
    word
}

impl Walker<'_> {
    fn run(&mut self) -> Word {
        let mut seen: HashSet<Position> = HashSet::new();
        let mut level: Vec<usize> = vec![0];
        let mut length = 0_u64;
        loop {
            if length >= self.wanted.min
                && let Some(node) = level.iter().copied().find(|node| self.accepts(*node))
            {
                return Word::Found(self.text(node));
            }
            if self.wanted.max == Some(length) || level.is_empty() {
                return Word::Empty;
            }
            // Below the least length a position may come back at a later level and only then be of use.
            if length < self.wanted.min {
                seen.clear();
            }
            level = match self.next_level(&level, &mut seen) {
                Some(level) => level,
                None => return Word::OverBudget,
            };
            length += 1;
        }
    }

    fn next_level(&mut self, level: &[usize], seen: &mut HashSet<Position>) -> Option<Vec<usize>> {
        let mut next = Vec::new();
        for node in level {
            for at in 0..self.alphabet.len() {
                let character = self.alphabet[at];
                let position = self.step(*node, character)?;
                let live = position.walks.iter().zip(self.wanted.patterns).all(|(walk, (pattern, holds))| {
                    let automaton = &self.automata[*pattern];
                    if *holds { !automaton.is_dead(*walk) } else { !automaton.is_matched(*walk) }
                });
                if live && seen.insert(position.clone()) {
                    self.nodes.push((position, *node, character));
                    next.push(self.nodes.len() - 1);
                }
                if self.nodes.len() > MAX_NODES {
                    return None;
                }
            }
        }
        Some(next)
    }

    fn step(&mut self, node: usize, character: char) -> Option<Position> {
        let mut walks = Vec::with_capacity(self.wanted.patterns.len());
        for (index, (pattern, _)) in self.wanted.patterns.iter().enumerate() {
            let (walk, work) = self.automata[*pattern].step(self.nodes[node].0.walks[index], character);
            *self.fuel = self.fuel.checked_sub(work)?;
            walks.push(walk);
        }
        *self.fuel = self.fuel.checked_sub(1)?;
        let taken = self.nodes[node].0.taken.and_then(|taken| self.tree.step(taken, character));
        Some(Position { walks, taken })
    }

    fn accepts(&mut self, node: usize) -> bool {
        let position = self.nodes[node].0.clone();
        if position.taken.is_some_and(|taken| self.tree.is_word(taken)) {
            return false;
        }
        let pairs = position.walks.iter().zip(self.wanted.patterns);
        pairs.into_iter().all(|(walk, (pattern, holds))| self.automata[*pattern].accepts(*walk) == *holds)
    }

    fn text(&self, mut node: usize) -> String {
        let mut characters = Vec::new();
        while node != 0 {
            characters.push(self.nodes[node].2);
            node = self.nodes[node].1;
        }
        characters.iter().rev().collect()
    }
}

/// The letters of the forbidden words as a tree; node 0 is the empty text.
struct Tree {
    next: HashMap<(usize, char), usize>,
    words: HashSet<usize>,
}

impl Tree {
    fn new(words: &BTreeSet<String>) -> Tree {
        let mut tree = Tree { next: HashMap::new(), words: HashSet::new() };
        let mut count = 1;
        for word in words {
            let mut node = 0;
            for character in word.chars() {
                node = *tree.next.entry((node, character)).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            }
            tree.words.insert(node);
        }
        tree
    }

    fn step(&self, node: usize, character: char) -> Option<usize> {
        self.next.get(&(node, character)).copied()
    }

    fn is_word(&self, node: usize) -> bool {
        self.words.contains(&node)
    }
}

/// One character for each group that all parts treat alike.
fn alphabet(automata: &[Pattern], wanted: &Wanted<'_>) -> Vec<char> {
    let mut sets: Vec<&[(char, char)]> = Vec::new();
    for (pattern, _) in wanted.patterns {
        sets.extend(automata[*pattern].sets().iter().map(Vec::as_slice));
    }
    let singles: BTreeSet<char> = wanted.excluded.iter().flat_map(|word| word.chars()).collect();
    let mut groups: HashMap<(Vec<u64>, bool), char> = HashMap::new();
    let mut order = Vec::new();
    for candidate in candidates(&sets, &singles) {
        if singles.contains(&candidate) {
            order.push(candidate);
            continue;
        }
        let mut signature = vec![0_u64; sets.len().div_ceil(64)];
        for (index, set) in sets.iter().enumerate() {
            let after = set.partition_point(|(first, _)| *first <= candidate);
            if after > 0 && candidate <= set[after - 1].1 {
                signature[index / 64] |= 1 << (index % 64);
            }
        }
        groups.entry((signature, is_word(candidate))).or_insert_with(|| {
            order.push(candidate);
            candidate
        });
    }
    order
}

/// Characters among which every group has a member: pleasant ones first, then one at every edge of a set.
fn candidates(sets: &[&[(char, char)]], singles: &BTreeSet<char>) -> Vec<char> {
    let pleasant = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(' '..='~');
    let mut edges: BTreeSet<u32> = BTreeSet::from([0x80, 0xe4, 0x10_000]);
    for (first, last) in sets.iter().flat_map(|set| set.iter()) {
        edges.extend([u32::from(*first), u32::from(*last) + 1]);
    }
    for single in singles {
        edges.extend([u32::from(*single), u32::from(*single) + 1]);
    }
    let after_surrogates = |code: u32| if (0xd800..0xe000).contains(&code) { 0xe000 } else { code };
    let edges = edges.into_iter().filter_map(move |code| char::from_u32(after_surrogates(code)));
    let mut seen = HashSet::new();
    pleasant.chain(['ä']).chain(edges).chain(['\0']).filter(|character| seen.insert(*character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subset::pattern::MAX_STATES;

    fn find(patterns: &[(&str, bool)], min: u64, max: Option<u64>, excluded: &[&str]) -> Word {
        let mut automata: Vec<Pattern> =
            patterns.iter().map(|(pattern, _)| Pattern::new(pattern, MAX_STATES).expect("regular")).collect();
        let signs: Vec<(usize, bool)> =
            patterns.iter().enumerate().map(|(at, (_, holds))| (at, *holds)).collect();
        let excluded = excluded.iter().map(|word| (*word).to_owned()).collect();
        let wanted = Wanted { patterns: &signs, min, max, excluded: &excluded };
        shortest(&mut automata, &wanted, &mut 1_000_000)
    }

    fn found(text: &str) -> Word {
        Word::Found(text.to_owned())
    }

    #[test]
    fn a_language_within_another_leaves_nothing() {
        assert_eq!(find(&[("^[a-c]$", true), ("^[a-z]$", false)], 0, None, &[]), Word::Empty);
        assert_eq!(find(&[("^[a-z]$", true), ("^[a-c]$", false)], 0, None, &[]), found("d"));
        assert_eq!(find(&[("^(a|b)*$", true), ("^[ab]*$", false)], 0, None, &[]), Word::Empty);
    }

    #[test]
    fn lengths_count_code_points() {
        assert_eq!(find(&[("^.$", true)], 2, None, &[]), Word::Empty);
        assert_eq!(find(&[("^(aa)+$", true)], 3, Some(5), &[]), found("aaaa"));
        assert_eq!(find(&[("^(aa)+$", true)], 3, Some(3), &[]), Word::Empty);
        assert_eq!(find(&[], 2, Some(1), &[]), Word::Empty);
    }

    #[test]
    fn taken_words_are_stepped_around() {
        assert_eq!(find(&[("^(a|b)$", true)], 0, None, &["a"]), found("b"));
        assert_eq!(find(&[("^(a|b)$", true)], 0, None, &["a", "b"]), Word::Empty);
        assert_eq!(find(&[], 0, Some(0), &[""]), Word::Empty);
    }

    #[test]
    fn an_exploding_search_ends() {
        let exploding =
            find(&[("^(.*a.{18})$", true), ("^(.*b.{18})$", false), ("c.{17}$", true)], 60, None, &[]);
        assert!(matches!(exploding, Word::OverBudget | Word::Found(_)));
    }
}
