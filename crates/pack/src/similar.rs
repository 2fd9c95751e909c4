//! "Did you mean": the one candidate that a misspelled word is close to.

/// Finds the unique best candidate within edit distance 2 and a third of the word's length, case ignored.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let lower = word.to_lowercase();
    let limit = 2.min(word.chars().count() / 3);
    let mut best: Option<(usize, &str)> = None;
    let mut unique = true;
    for candidate in candidates {
        if candidate == word || is_far(word, candidate, limit) {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        match best {
            _ if distance > limit => {}
            Some((least, known)) if distance == least => unique = unique && known == candidate,
            Some((least, _)) if distance > least => {}
            _ => (best, unique) = (Some((distance, candidate)), true),
        }
    }
    best.filter(|_| unique).map(|(_, candidate)| candidate)
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

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn only_a_unique_near_word_is_suggested() {
        assert_eq!(closest("custmer", ["customer", "company"]), Some("customer"));
        assert_eq!(closest("Company", ["company"]), Some("company"));
        assert_eq!(closest("plan", ["plum", "clan", "flan"]), None);
        assert_eq!(closest("ab", ["abc"]), None);
        assert_eq!(closest("tier", ["customer_name"]), None);
    }
}
