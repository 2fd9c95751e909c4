//! "Did you mean": the one candidate that a misspelled word is close to.
//!
//! [`closest`] answers one question; whoever asks in a loop over a pack asks a [`Guesser`], whose work is bounded.

use std::cell::Cell;

/// The longest word, in bytes, that anybody mistypes: comparing two texts takes the product of their lengths.
const MAX_WORD: usize = 256;

/// Among more candidates than this, no word is suggested: hundreds of them resemble each other, and a pack that
/// misspells thousands of names must not take minutes.
const MAX_CANDIDATES: usize = 1000;

/// Finds the unique best candidate within edit distance 2 and a third of the word's length, case ignored.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() > MAX_WORD {
        return None;
    }
    let lower = word.to_lowercase();
    let limit = 2.min(word.chars().count() / 3);
    let mut best: Option<(usize, &str)> = None;
    let mut unique = true;
    for (position, candidate) in candidates.into_iter().enumerate() {
        if position == MAX_CANDIDATES {
            return None;
        }
        if candidate == word || is_far(word, candidate, limit) {
            continue;
        }
        let distance = distance(&lower, &candidate.to_lowercase());
        match best {
            _ if distance > limit => {}
            Some((least, known)) if distance == least => unique = unique && known == candidate,
            Some((least, _)) if distance > least => {}
            _ => (best, unique) = (Some((distance, candidate)), true),
        }
    }
    best.filter(|_| unique).map(|(_, candidate)| candidate)
}

/// Answers [`closest`] many times, until so much work is done that nobody would read the answers.
#[derive(Debug, Clone)]
pub struct Guesser {
    left: Cell<usize>,
}

impl Default for Guesser {
    fn default() -> Self {
        Guesser { left: Cell::new(MAX_COMPARISONS) }
    }
}

/// How many words a [`Guesser`] compares: a hundred misspelled ones with a thousand candidates.
const MAX_COMPARISONS: usize = 100_000;

impl Guesser {
    /// Like [`closest`]; nothing once the work is done.
    pub fn closest<'c>(&self, word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
        let left = self.left.get();
        if left == 0 || word.len() > MAX_WORD {
            return None;
        }
        let mut compared = 0;
        let found = closest(word, candidates.into_iter().inspect(|_| compared += 1));
        self.left.set(left.saturating_sub(compared));
        found
    }
}

/// Whether a glance shows that the distance is over `limit`; most candidates are told apart without computing it.
fn is_far(word: &str, candidate: &str, limit: usize) -> bool {
    let longest_character = if word.is_ascii() && candidate.is_ascii() { 1 } else { 4 };
    let limit = limit * longest_character;
    let (ours, theirs) = (characters(word), characters(candidate));
    candidate.len().abs_diff(word.len()) > limit
        || longest_character == 1
            && ((ours & !theirs).count_ones() as usize > limit
                || (theirs & !ours).count_ones() as usize > limit)
}

/// Which bytes occur, case ignored: one bit for each of 64 classes.
fn characters(text: &str) -> u64 {
    text.bytes().fold(0, |set, byte| set | 1 << (byte.to_ascii_lowercase() % 64))
}

/// The edit distance; what both words start or end with takes no time.
fn distance(a: &str, b: &str) -> usize {
    let start: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (a, b) = (&a[start..], &b[start..]);
    let end: usize =
        a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    strsim::damerau_levenshtein(&a[..a.len() - end], &b[..b.len() - end])
}

#[cfg(test)]
mod tests {
    use super::{Guesser, MAX_COMPARISONS, closest};

    #[test]
    fn only_a_unique_near_word_is_suggested() {
        assert_eq!(closest("custmer", ["customer", "company"]), Some("customer"));
        assert_eq!(closest("Company", ["company"]), Some("company"));
        assert_eq!(closest("plan", ["plum", "clan", "flan"]), None);
        assert_eq!(closest("ab", ["abc"]), None);
        assert_eq!(closest("größe", ["grösse", "große"]), Some("große"));
        assert_eq!(closest("aaab", ["aaaab"]), Some("aaaab"));
        assert_eq!(closest("recieve", ["receive", "reprieve"]), Some("receive"));
        assert_eq!(closest("tier", ["customer_name"]), None);
    }

    #[test]
    fn a_guesser_stops_when_nobody_reads_on() {
        let known: Vec<String> = (0..1000).map(|index| format!("tool_{index}")).collect();
        let guesser = Guesser::default();
        let asked = |word: &str| guesser.closest(word, known.iter().map(String::as_str)).is_some();
        assert!(asked("tools_77"));
        let answers = (0..MAX_COMPARISONS / 500).filter(|_| asked("tools_77")).count();
        assert_eq!(answers, MAX_COMPARISONS / 1000 - 1);
    }

    #[test]
    fn long_texts_are_no_misspelled_words() {
        let long = "a".repeat(1 << 20);
        assert_eq!(closest(&long, [&long[1..], "a"]), None);
    }
}
