//! Regular expressions as automata over code points.
//!
//! A pattern is an ECMAScript expression that is searched for anywhere in the text. Translation to Rust's syntax is
//! that of our validator, so both read a pattern alike; parsing is `regex-syntax`'s. The automaton is our own: it
//! counts code points, reads `^`, `$` and `\b` wherever they stand, and is made deterministic only as far as a search
//! walks, so that the cost is bounded by the walk and not by the pattern.

use std::collections::HashMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// The most states of one automaton before it is made deterministic.
pub(super) const MAX_STATES: usize = 8_000;

/// The most deterministic states that are remembered from one search to the next.
const MAX_REMEMBERED: usize = 1_000;

/// Why a pattern has no automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAutomaton {
    /// It uses look-around, back references, or syntax that ECMAScript or our validator does not know.
    NonRegular,
    /// It needs too many states.
    TooLarge,
}

type StateId = u32;

#[derive(Debug, Clone)]
enum State {
    Match,
    /// One character of a set, by its index.
    Step(usize, StateId),
    Fork(Vec<StateId>),
    Assert(Look, StateId),
}

/// What stands before the next character; decides `^` and `\b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Before {
    Start,
    Word,
    Other,
}

/// What stands after the current position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    End,
    Word,
    Other,
}

/// A state of the deterministic automaton.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Walk {
    /// The search has succeeded; the rest of the text does not matter.
    Matched,
    /// The states that could be next, before assertions are looked at.
    Live(Vec<StateId>, Before),
}

/// An automaton that searches for one pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    states: Vec<State>,
    sets: Vec<Vec<(char, char)>>,
    start: StateId,
    /// Every match starts at the start of the text, so that a search need not start again later.
    anchored: bool,
    /// The most states that may be built.
    limit: usize,
    walks: Vec<Walk>,
    known: HashMap<Walk, usize>,
    steps: HashMap<(usize, char), usize>,
}

impl Pattern {
    /// Builds the automaton of an ECMAScript pattern, of up to `limit` states.
    pub(super) fn new(pattern: &str, limit: usize) -> Result<Pattern, NoAutomaton> {
        let translated = jsonschema_regex::to_rust_regex(pattern).map_err(|()| NoAutomaton::NonRegular)?;
        let hir = regex_syntax::parse(&translated).map_err(|_| NoAutomaton::NonRegular)?;
        let mut automaton = Pattern {
            states: vec![State::Match],
            sets: Vec::new(),
            start: 0,
            anchored: hir.properties().look_set_prefix().contains(Look::Start),
            limit,
            walks: Vec::new(),
            known: HashMap::new(),
            steps: HashMap::new(),
        };
        automaton.start = automaton.add(&hir, 0)?;
        automaton.walk(Walk::Live(vec![automaton.start], Before::Start));
        Ok(automaton)
    }

    /// The sets of characters that the pattern tells apart.
    pub(super) fn sets(&self) -> &[Vec<(char, char)>] {
        &self.sets
    }

    /// The number of its states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Ends a search: many deterministic states are forgotten, since the next search may need none of them. Numbers
    /// of states that `step` gave mean nothing afterwards.
    pub(super) fn rest(&mut self) {
        if self.walks.len() > MAX_REMEMBERED {
            self.walks = vec![Walk::Live(vec![self.start], Before::Start)];
            self.known = HashMap::from([(self.walks[0].clone(), 0)]);
            self.steps = HashMap::new();
        }
    }

    /// Whether a text of these characters holds a match.
    pub(super) fn matches(&mut self, text: &str) -> bool {
        let mut walk = 0;
        for character in text.chars() {
            walk = self.step(walk, character).0;
            if self.is_dead(walk) || self.is_matched(walk) {
                break;
            }
        }
        let accepted = self.accepts(walk);
        self.rest();
        accepted
    }

    /// The deterministic state after one more character, and the work that took.
    pub(super) fn step(&mut self, walk: usize, character: char) -> (usize, u64) {
        if let Some(next) = self.steps.get(&(walk, character)) {
            return (*next, 1);
        }
        let Walk::Live(live, before) = self.walks[walk].clone() else { return (walk, 1) };
        let word = is_word(character);
        let (reached, work) = self.closure(&live, before, if word { After::Word } else { After::Other });
        let next = match reached {
            None => Walk::Matched,
            Some(reached) => {
                let mut next: Vec<StateId> = reached
                    .iter()
                    .filter_map(|state| match &self.states[*state as usize] {
                        State::Step(set, next) if holds(&self.sets[*set], character) => Some(*next),
                        _ => None,
                    })
                    .collect();
                if !self.anchored {
                    next.push(self.start);
                }
                next.sort_unstable();
                next.dedup();
                Walk::Live(next, if word { Before::Word } else { Before::Other })
            }
        };
        let next = self.walk(next);
        self.steps.insert((walk, character), next);
        (next, work)
    }

    /// Whether the text may end in this state.
    pub(super) fn accepts(&mut self, walk: usize) -> bool {
        match self.walks[walk].clone() {
            Walk::Matched => true,
            Walk::Live(live, before) => self.closure(&live, before, After::End).0.is_none(),
        }
    }

    /// Whether no match can follow any more.
    pub(super) fn is_dead(&self, walk: usize) -> bool {
        matches!(&self.walks[walk], Walk::Live(live, _) if live.is_empty())
    }

    /// Whether every continuation matches.
    pub(super) fn is_matched(&self, walk: usize) -> bool {
        self.walks[walk] == Walk::Matched
    }

    fn walk(&mut self, walk: Walk) -> usize {
        if let Some(known) = self.known.get(&walk) {
            return *known;
        }
        self.walks.push(walk.clone());
        self.known.insert(walk, self.walks.len() - 1);
        self.walks.len() - 1
    }

    /// The stepping states reachable without a character, or none when a match is among them; and the work.
    fn closure(&self, live: &[StateId], before: Before, after: After) -> (Option<Vec<StateId>>, u64) {
        let mut seen = vec![false; self.states.len()];
        let mut open = live.to_vec();
        let mut reached = Vec::new();
        let mut work = 1;
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut seen[state as usize], true) {
                continue;
            }
            work += 1;
            match &self.states[state as usize] {
                State::Match => return (None, work),
                State::Step(..) => reached.push(state),
                State::Fork(next) => open.extend(next),
                State::Assert(look, next) => {
                    if asserted(*look, before, after) {
                        open.push(*next);
                    }
                }
            }
        }
        (Some(reached), work)
    }

    fn push(&mut self, state: State) -> Result<StateId, NoAutomaton> {
        if self.states.len() >= self.limit {
            return Err(NoAutomaton::TooLarge);
        }
        self.states.push(state);
        StateId::try_from(self.states.len() - 1).map_err(|_| NoAutomaton::TooLarge)
    }

    fn step_over(&mut self, set: Vec<(char, char)>, next: StateId) -> Result<StateId, NoAutomaton> {
        let known = self.sets.iter().position(|known| *known == set);
        let index = known.unwrap_or(self.sets.len());
        if known.is_none() {
            self.sets.push(set);
        }
        self.push(State::Step(index, next))
    }

    /// Adds the states that match `hir` and then go on at `next`; gives the first of them.
    fn add(&mut self, hir: &Hir, next: StateId) -> Result<StateId, NoAutomaton> {
        match hir.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).map_err(|_| NoAutomaton::NonRegular)?;
                text.chars().rev().try_fold(next, |next, c| self.step_over(vec![(c, c)], next))
            }
            HirKind::Class(class) => self.step_over(set_of(class)?, next),
            HirKind::Look(look) => match look {
                Look::Start
                | Look::End
                | Look::WordAscii
                | Look::WordAsciiNegate
                | Look::WordUnicode
                | Look::WordUnicodeNegate => self.push(State::Assert(*look, next)),
                _ => Err(NoAutomaton::NonRegular),
            },
            HirKind::Capture(capture) => self.add(&capture.sub, next),
            HirKind::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.add(part, next)),
            HirKind::Alternation(parts) => {
                let starts: Result<Vec<StateId>, NoAutomaton> =
                    parts.iter().map(|part| self.add(part, next)).collect();
                self.push(State::Fork(starts?))
            }
            HirKind::Repetition(repetition) => self.add_repetition(repetition, next),
        }
    }

    fn add_repetition(&mut self, repetition: &Repetition, next: StateId) -> Result<StateId, NoAutomaton> {
        let mut start = next;
        match repetition.max {
            None => {
                let fork = self.push(State::Fork(Vec::new()))?;
                let body = self.add(&repetition.sub, fork)?;
                self.states[fork as usize] = State::Fork(vec![body, next]);
                start = fork;
            }
            Some(max) => {
                for _ in repetition.min..max {
                    let body = self.add(&repetition.sub, start)?;
                    start = self.push(State::Fork(vec![body, next]))?;
                }
            }
        }
        for _ in 0..repetition.min {
            let before = self.states.len();
            start = self.add(&repetition.sub, start)?;
            // Repeating what needs no state changes nothing, however often it is asked for.
            if self.states.len() == before {
                break;
            }
        }
        Ok(start)
    }
}

/// What our validator calls a word character in `\b`.
pub(super) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn asserted(look: Look, before: Before, after: After) -> bool {
    let boundary = (before == Before::Word) != (after == After::Word);
    match look {
        Look::Start => before == Before::Start,
        Look::End => after == After::End,
        Look::WordAsciiNegate | Look::WordUnicodeNegate => !boundary,
        _ => boundary,
    }
}

fn holds(set: &[(char, char)], character: char) -> bool {
    let after = set.partition_point(|(first, _)| *first <= character);
    after > 0 && character <= set[after - 1].1
}

fn set_of(class: &Class) -> Result<Vec<(char, char)>, NoAutomaton> {
    match class {
        Class::Unicode(class) => Ok(class.iter().map(|range| (range.start(), range.end())).collect()),
        Class::Bytes(class) if class.is_ascii() => {
            Ok(class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect())
        }
        Class::Bytes(_) => Err(NoAutomaton::NonRegular),
    }
}

/// Takes the look-aheads off the front of `^(?=A)(?!B)C`: the pattern matches exactly when every part does.
///
/// Gives each part with whether it must match; none when the pattern has another shape, or a top-level `|`, which
/// would take the anchor from what follows it.
pub(super) fn split_lookaheads(pattern: &str) -> Option<Vec<(String, bool)>> {
    let mut rest = pattern.strip_prefix('^')?;
    let mut parts = Vec::new();
    loop {
        let (body, holds) = match (rest.strip_prefix("(?="), rest.strip_prefix("(?!")) {
            (Some(body), _) => (body, true),
            (None, Some(body)) => (body, false),
            (None, None) => break,
        };
        let end = find_outside(body, |character, depth| character == ')' && depth == 0)?;
        parts.push((format!("^(?:{})", &body[..end]), holds));
        rest = &body[end + 1..];
    }
    let bare = find_outside(rest, |character, depth| character == '|' && depth == 0).is_some();
    if parts.is_empty() || bare || rest.starts_with(['*', '+', '?', '{']) {
        return None;
    }
    parts.push((format!("^(?:{rest})"), true));
    Some(parts)
}

/// The first character outside escapes and classes for which `stop` holds, given the groups open before it.
fn find_outside(pattern: &str, stop: impl Fn(char, usize) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_class = false;
    let mut characters = pattern.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' if !in_class => in_class = true,
            ']' if in_class => in_class = false,
            _ if in_class => {}
            _ if stop(character, depth) => return Some(at),
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], failing: &[&str]) {
        let mut automaton = Pattern::new(pattern, MAX_STATES).expect("a regular pattern");
        for text in matching {
            assert!(automaton.matches(text), "{pattern} matches {text:?}");
        }
        for text in failing {
            assert!(!automaton.matches(text), "{pattern} does not match {text:?}");
        }
    }

    #[test]
    fn patterns_are_searched_for() {
        check("b", &["abc", "b"], &["", "ac"]);
        check("^a|b$", &["ax", "xb"], &["xa", "bx"]);
        check("^(ab)*$", &["", "abab"], &["aba"]);
        check("^.{2,3}$", &["äö", "abc"], &["a", "abcd", "a\nb"]);
        check("^(?:a{0}){3}b", &["b"], &["ab"]);
    }

    #[test]
    fn ecmascript_reads_classes_as_ascii() {
        check(r"^\d+$", &["123"], &["١"]);
        check(r"^\w$", &["_"], &["ä"]);
        check(r"^\s$", &["\u{feff}", "\u{2028}"], &["x"]);
        check(r"a\b", &["a", "a-"], &["ab"]);
    }

    #[test]
    fn what_is_not_regular_or_too_large_is_said() {
        assert_eq!(Pattern::new(r"(a)\1", MAX_STATES).err(), Some(NoAutomaton::NonRegular));
        assert_eq!(Pattern::new("(?<=a)b", MAX_STATES).err(), Some(NoAutomaton::NonRegular));
        assert_eq!(Pattern::new("(a{900}){900}", MAX_STATES).err(), Some(NoAutomaton::TooLarge));
    }

    #[test]
    fn a_large_search_is_forgotten_when_it_ends() {
        let mut automaton = Pattern::new("(a|b)*a(a|b){12}$", MAX_STATES).expect("a regular pattern");
        let mut dice = 1_u32;
        let mut letter = || {
            dice = dice.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            if dice >> 20 & 1 == 0 { 'a' } else { 'b' }
        };
        let text: String = (0..20_000).map(|_| letter()).collect();
        let mut walk = 0;
        for character in text.chars() {
            walk = automaton.step(walk, character).0;
        }
        assert!(automaton.walks.len() > MAX_REMEMBERED, "{}", automaton.walks.len());
        automaton.rest();
        assert_eq!((automaton.walks.len(), automaton.known.len(), automaton.steps.len()), (1, 1, 0));
        assert!(automaton.matches("abbbbbbbbbbbb") && !automaton.matches("bbbbbbbbbbbbb"));
    }

    #[test]
    fn lookaheads_at_the_front_come_off() {
        let parts = split_lookaheads("^(?=.*\\d)(?!x)[a-z]+$").expect("parts");
        assert_eq!(parts[0], ("^(?:.*\\d)".to_owned(), true));
        assert_eq!(parts[1], ("^(?:x)".to_owned(), false));
        assert_eq!(parts[2], ("^(?:[a-z]+$)".to_owned(), true));
        assert_eq!(split_lookaheads("^(?=a)b|c"), None);
    }
}
