//! The scanner: alternatives, quantifiers and what they repeat.

use std::collections::BTreeSet;

use pack::Span;

use super::{Dialect, Refusal, Verdict};

pub(super) const EVERYWHERE: &[Dialect] = &Dialect::ALL;

/// The most repetitions that RE2 takes.
const RE2_REPEATS: u64 = 1000;

/// What a quantifier would repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Nothing,
    Anchor,
    /// `\A`, `\z` or `\Z`.
    End,
    Atom,
    Lookbehind,
    Quantifier,
}

/// A group that is open.
pub(super) struct Open {
    pub(super) start: usize,
    /// Its number, where it captures.
    pub(super) number: Option<usize>,
    pub(super) lookbehind: bool,
}

pub(super) struct Scanner<'p> {
    pub(super) text: &'p str,
    pub(super) at: usize,
    pub(super) last: Last,
    pub(super) open: Vec<Open>,
    pub(super) groups: usize,
    pub(super) names: BTreeSet<&'p str>,
    /// Where the inline flags end with which the pattern starts.
    pub(super) flags_end: usize,
    verdict: Verdict,
}

impl<'p> Scanner<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Scanner {
            text,
            at: 0,
            last: Last::Nothing,
            open: Vec::new(),
            groups: 0,
            names: BTreeSet::new(),
            flags_end: 0,
            verdict: Verdict::default(),
        }
    }

    pub(super) fn scan(mut self) -> Verdict {
        while let Some(character) = self.peek() {
            let start = self.at;
            match character {
                '\\' => self.escape(),
                '[' => self.class(),
                '(' => self.group(),
                ')' => self.close(),
                '|' => self.step(Last::Nothing),
                '^' | '$' => self.step(Last::Anchor),
                '*' | '+' | '?' => {
                    self.at += 1;
                    self.quantifier(start);
                }
                '{' => self.braces(),
                _ => self.step(Last::Atom),
            }
        }
        if let Some(open) = self.open.last() {
            self.refuse(EVERYWHERE, open.start, "a group that does not close");
        }
        self.verdict
    }

    pub(super) fn rest(&self) -> &'p str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over one character.
    pub(super) fn step(&mut self, last: Last) {
        self.at += self.peek().map_or(0, char::len_utf8);
        self.last = last;
    }

    /// Takes `text` if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let taken = self.rest().starts_with(text);
        self.at += if taken { text.len() } else { 0 };
        taken
    }

    /// Notes that the dialects refuse what stands from `start` up to here.
    pub(super) fn refuse(&mut self, dialects: &[Dialect], start: usize, what: &'static str) {
        let span = Span::new(start, self.at.max(start));
        self.verdict.add(dialects, Refusal { span, what, compiles: false });
    }

    /// Notes that the dialects read what stands from `start` up to here as something else.
    pub(super) fn misread(&mut self, dialects: &[Dialect], start: usize, what: &'static str) {
        let span = Span::new(start, self.at.max(start));
        self.verdict.add(dialects, Refusal { span, what, compiles: true });
    }

    fn close(&mut self) {
        let start = self.at;
        self.step(Last::Atom);
        match self.open.pop() {
            Some(open) if open.lookbehind => self.last = Last::Lookbehind,
            Some(_) => {}
            None => self.refuse(EVERYWHERE, start, "a `)` without its `(`"),
        }
    }

    /// Judges the quantifier from `start` up to here, with the `?` or `+` behind it.
    fn quantifier(&mut self, start: usize) {
        if !self.take("?") && self.rest().starts_with('+') && self.last != Last::Quantifier {
            self.at += 1;
            self.refuse(&[Dialect::Re2, Dialect::Ecmascript], start, "a possessive quantifier");
        }
        match self.last {
            Last::Nothing => self.refuse(EVERYWHERE, start, "a quantifier with nothing to repeat"),
            Last::Quantifier => self.refuse(EVERYWHERE, start, "a quantifier on a quantifier"),
            Last::Anchor => {
                self.refuse(&[Dialect::Python, Dialect::Ecmascript], start, "a quantifier on an anchor");
            }
            Last::End => self.refuse(&[Dialect::Python], start, "a quantifier on an anchor"),
            Last::Lookbehind => self.refuse(&[Dialect::Ecmascript], start, "a quantifier on a lookbehind"),
            Last::Atom => {}
        }
        self.last = Last::Quantifier;
    }

    /// A `{`: a quantifier in the forms `{n}`, `{n,}`, `{n,m}`, and itself in any other.
    fn braces(&mut self) {
        let start = self.at;
        let Some((length, least, most)) = bounds(self.rest()) else { return self.step(Last::Atom) };
        self.at += length;
        if most.is_some_and(|most| most < least) {
            self.refuse(EVERYWHERE, start, "a quantifier whose bounds are reversed");
        }
        if least.max(most.unwrap_or(0)) > RE2_REPEATS {
            self.refuse(&[Dialect::Re2], start, "more than 1000 repetitions");
        }
        self.quantifier(start);
    }
}

/// How long a quantifier in braces is, and its two bounds.
fn bounds(text: &str) -> Option<(usize, u64, Option<u64>)> {
    let inside = text.strip_prefix('{')?.split_once('}')?.0;
    let (least, most) = match inside.split_once(',') {
        Some((least, "")) => (least, None),
        Some((least, most)) => (least, Some(most)),
        None => (inside, Some(inside)),
    };
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let most = match most {
        Some(most) => Some(number(most)?),
        None => None,
    };
    Some((inside.len() + 2, number(least)?, most))
}
