//! Version ranges in npm's grammar.
//!
//! `^1.2`, `~1.2`, `1.x`, `>=1.2 <2`, `>=1.2, <2`, `1.2 - 1.4`, `^1 || ^2`; a bare partial version is the range of
//! everything that starts with it. A prerelease is inside a range only where a comparator of the range has one with
//! the same three numbers.

use std::cmp::Ordering;

use semver::{BuildMetadata, Prerelease, Version};

/// Several alternatives; a version is inside when it is inside one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    alternatives: Vec<Vec<Comparator>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparator {
    operator: Operator,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

/// A version of which the last parts may be missing or `x`.
#[derive(Debug, Clone)]
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    pre: Prerelease,
}

impl Range {
    /// Reads a range; none where the text is none.
    pub fn parse(text: &str) -> Option<Range> {
        let text = text.trim();
        if text.len() > 256 {
            return None;
        }
        let alternatives = text.split("||").map(|part| alternative(part.trim())).collect::<Option<_>>()?;
        Some(Range { alternatives })
    }

    /// Whether a version is inside.
    pub fn contains(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|comparators| {
            comparators.iter().all(|comparator| comparator.accepts(version))
                && (version.pre.is_empty()
                    || comparators.iter().any(|comparator| comparator.names_core_of(version)))
        })
    }
}

impl Comparator {
    fn accepts(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Equal => order == Ordering::Equal,
        }
    }

    fn names_core_of(&self, version: &Version) -> bool {
        let core = |version: &Version| (version.major, version.minor, version.patch);
        !self.version.pre.is_empty()
            && self.version.pre.as_str() != "0"
            && core(&self.version) == core(version)
    }
}

fn alternative(text: &str) -> Option<Vec<Comparator>> {
    if let Some((low, high)) = text.split_once(" - ") {
        return hyphen(Partial::parse(low.trim())?, &Partial::parse(high.trim())?);
    }
    let words = joined_operators(text);
    if words.is_empty() {
        // The empty range is everything.
        return Some(vec![at_least(Version::new(0, 0, 0))]);
    }
    let mut comparators = Vec::new();
    for word in words {
        comparators.extend(comparator(&word)?);
    }
    Some(comparators)
}

/// Splits at blanks and commas; `>= 1.2` becomes one word.
fn joined_operators(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last) if last.chars().all(|c| "<>=^~".contains(c)) => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn comparator(word: &str) -> Option<Vec<Comparator>> {
    let split = word.find(|c: char| !"<>=^~".contains(c)).unwrap_or(word.len());
    let (operator, rest) = word.split_at(split);
    let partial = Partial::parse(rest)?;
    match operator {
        "" | "=" | "==" => Some(same(&partial)),
        "^" => Some(caret(&partial)),
        "~" | "~>" => Some(tilde(&partial)),
        ">=" => Some(vec![at_least(partial.lowest())]),
        "<" => Some(vec![below(partial.lowest())]),
        ">" => Some(greater(&partial)),
        "<=" => Some(match partial.next() {
            Some(next) => vec![below(next)],
            None if partial.is_full() => vec![of(Operator::LessOrEqual, partial.lowest())],
            None => vec![at_least(Version::new(0, 0, 0))],
        }),
        _ => None,
    }
}

fn of(operator: Operator, version: Version) -> Comparator {
    Comparator { operator, version }
}

fn at_least(version: Version) -> Comparator {
    of(Operator::GreaterOrEqual, version)
}

/// Below a bound that was computed: the bound's own prereleases are outside too.
fn below(version: Version) -> Comparator {
    of(Operator::Less, version)
}

fn before(major: u64, minor: u64, patch: u64) -> Comparator {
    let pre = Prerelease::new("0").expect("a number is a prerelease");
    below(Version { major, minor, patch, pre, build: BuildMetadata::EMPTY })
}

fn same(partial: &Partial) -> Vec<Comparator> {
    match (partial.is_full(), partial.next()) {
        (true, _) => vec![of(Operator::Equal, partial.lowest())],
        (false, Some(next)) => vec![at_least(partial.lowest()), before(next.major, next.minor, next.patch)],
        (false, None) => vec![at_least(Version::new(0, 0, 0))],
    }
}

fn caret(partial: &Partial) -> Vec<Comparator> {
    let low = partial.lowest();
    let end = match (partial.major, partial.minor, partial.patch) {
        (None, ..) => return vec![at_least(Version::new(0, 0, 0))],
        (Some(0), Some(0), Some(patch)) => before(0, 0, patch.saturating_add(1)),
        (Some(0), Some(minor), _) => before(0, minor.saturating_add(1), 0),
        (Some(major), ..) => before(major.saturating_add(1), 0, 0),
    };
    vec![at_least(low), end]
}

fn tilde(partial: &Partial) -> Vec<Comparator> {
    let end = match (partial.major, partial.minor) {
        (None, _) => return vec![at_least(Version::new(0, 0, 0))],
        (Some(major), None) => before(major.saturating_add(1), 0, 0),
        (Some(major), Some(minor)) => before(major, minor.saturating_add(1), 0),
    };
    vec![at_least(partial.lowest()), end]
}

fn greater(partial: &Partial) -> Vec<Comparator> {
    match (partial.is_full(), partial.next()) {
        (true, _) => vec![of(Operator::Greater, partial.lowest())],
        (false, Some(next)) => vec![at_least(next)],
        // Nothing is above everything.
        (false, None) => vec![before(0, 0, 0)],
    }
}

fn hyphen(low: Partial, high: &Partial) -> Option<Vec<Comparator>> {
    let end = match (high.is_full(), high.next()) {
        (true, _) => Some(of(Operator::LessOrEqual, high.lowest())),
        (false, Some(next)) => Some(before(next.major, next.minor, next.patch)),
        (false, None) => None,
    };
    Some(std::iter::once(at_least(low.lowest())).chain(end).collect())
}

impl Partial {
    fn parse(text: &str) -> Option<Partial> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        if let Ok(full) = Version::parse(text) {
            let (major, minor, patch) = (Some(full.major), Some(full.minor), Some(full.patch));
            return Some(Partial { major, minor, patch, pre: full.pre });
        }
        let mut parts = Vec::new();
        for part in text.split('.') {
            parts.push(match part {
                "x" | "X" | "*" => None,
                digits => Some(number(digits)?),
            });
        }
        if parts.len() > 3 || parts.is_empty() {
            return None;
        }
        parts.resize(3, None);
        // What stands behind a wildcard is a wildcard too.
        let major = parts[0];
        let minor = major.and(parts[1]);
        Some(Partial { major, minor, patch: minor.and(parts[2]), pre: Prerelease::EMPTY })
    }

    fn is_full(&self) -> bool {
        self.patch.is_some()
    }

    fn lowest(&self) -> Version {
        Version {
            major: self.major.unwrap_or(0),
            minor: self.minor.unwrap_or(0),
            patch: self.patch.unwrap_or(0),
            pre: self.pre.clone(),
            build: BuildMetadata::EMPTY,
        }
    }

    /// The first version after everything that starts with a partial one; none for a full one and for `*`.
    fn next(&self) -> Option<Version> {
        match (self.major?, self.minor, self.patch) {
            (_, _, Some(_)) => None,
            (major, Some(minor), None) => Some(Version::new(major, minor.saturating_add(1), 0)),
            (major, None, _) => Some(Version::new(major.saturating_add(1), 0, 0)),
        }
    }
}

fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (plain && (digits == "0" || !digits.starts_with('0'))).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::Range;

    fn check(range: &str, inside: &[&str], outside: &[&str]) {
        let parsed = Range::parse(range).unwrap_or_else(|| panic!("{range} is a range"));
        let contains = |version: &str| parsed.contains(&version.parse().expect("a version"));
        for version in inside {
            assert!(contains(version), "{version} is inside {range}");
        }
        for version in outside {
            assert!(!contains(version), "{version} is outside {range}");
        }
    }

    #[test]
    fn ranges_follow_the_grammar_of_npm() {
        check("^1.2", &["1.2.0", "1.9.9"], &["1.1.9", "2.0.0", "2.0.0-rc.1", "1.3.0-rc.1"]);
        check(
            "^1.2.3-rc.1",
            &["1.2.3-rc.1", "1.2.3-rc.2", "1.2.3", "1.3.0"],
            &["1.2.3-alpha", "1.2.4-rc.1", "2.0.0"],
        );
        check("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "0.2.2"]);
        check("^0.0.3", &["0.0.3"], &["0.0.4"]);
        check("^0", &["0.0.1", "0.9.0"], &["1.0.0"]);
        check("~1.2", &["1.2.0", "1.2.9"], &["1.3.0"]);
        check("~1", &["1.9.0"], &["2.0.0"]);
        check("1.x", &["1.0.0", "1.9.0"], &["2.0.0"]);
        check("1", &["1.0.0", "1.9.0"], &["2.0.0", "0.9.0"]);
        check("1.2", &["1.2.7"], &["1.3.0"]);
        check("*", &["0.0.1", "9.0.0"], &["1.0.0-rc.1"]);
        check(">=1.2 <2", &["1.2.0", "1.9.9"], &["2.0.0", "1.1.0"]);
        check(">= 1.2, < 2", &["1.2.0"], &["2.0.0"]);
        check(">1.2", &["1.3.0"], &["1.2.9"]);
        check("<=1.2", &["1.2.9"], &["1.3.0"]);
        check("<1.2.3", &["1.2.2"], &["1.2.3"]);
        check("1.2 - 1.4", &["1.2.0", "1.4.9"], &["1.5.0", "1.1.0"]);
        check("1.2.3 - 1.4.5", &["1.4.5"], &["1.4.6"]);
        check("^1 || ^2.1", &["1.0.0", "2.1.0"], &["2.0.0", "3.0.0"]);
        check("=1.2.3", &["1.2.3", "1.2.3+build"], &["1.2.4"]);
        check("v1.2.3", &["1.2.3"], &["1.2.4"]);
        check(">=1.0.0-rc.1", &["1.0.0-rc.2", "1.0.0", "2.0.0"], &["2.0.0-rc.1"]);
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in ["stable", "1.2.3.4", "^", ">>1", "01.2", "1.2.x.y", "latest", "^1 |", "1..2"] {
            assert_eq!(Range::parse(text), None, "{text}");
        }
    }
}
