//! Numbers by what their text denotes, however large or fine.
//!
//! A double cannot tell 10^22 from 10^22 - 1, and has no 1e400 at all. Whoever compares two documents must not call
//! such numbers equal.

use std::cmp::Ordering;
use std::fmt;

/// The value of a JSON number: `digits * 10^exponent`, without zeros at either end of the digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exact {
    is_negative: bool,
    /// Empty for zero.
    digits: String,
    exponent: i128,
    /// An exponent that is too long to be computed with, beside the other one.
    huge: Huge,
}

/// An exponent of more digits than are computed with, in the order of its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Huge {
    Below(String),
    None,
    Above(String),
}

/// The most digits of an exponent that is computed with.
const MAX_EXPONENT_DIGITS: usize = 30;

impl Huge {
    fn cmp(&self, other: &Huge) -> Ordering {
        let rank = |huge: &Huge| match huge {
            Huge::Below(_) => -1,
            Huge::None => 0,
            Huge::Above(_) => 1,
        };
        let longer = |one: &str, two: &str| one.len().cmp(&two.len()).then_with(|| one.cmp(two));
        match (self, other) {
            (Huge::Above(one), Huge::Above(two)) => longer(one, two),
            (Huge::Below(one), Huge::Below(two)) => longer(two, one),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl Exact {
    /// Reads the text of a JSON number.
    pub fn parse(text: &str) -> Exact {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Exact { is_negative: false, digits: String::new(), exponent: 0, huge: Huge::None };
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let shift = zeros as i128 - fraction.len() as i128;
        let size = exponent.trim_start_matches(['+', '-']).trim_start_matches('0');
        let (exponent, huge) = match (size.len() > MAX_EXPONENT_DIGITS, exponent.starts_with('-')) {
            (true, true) => (0, Huge::Below(size.to_owned())),
            (true, false) => (0, Huge::Above(size.to_owned())),
            (false, below) => {
                let size = size.parse::<i128>().unwrap_or_default();
                (if below { -size } else { size }, Huge::None)
            }
        };
        Exact { is_negative, digits: digits.to_owned(), exponent: exponent + shift, huge }
    }

    /// Whether it is a whole number.
    pub fn is_integer(&self) -> bool {
        match self.huge {
            Huge::Below(_) => false,
            Huge::None => self.exponent >= 0,
            Huge::Above(_) => true,
        }
    }

    /// The number of digits in front of the decimal point; negative for small fractions.
    fn magnitude(&self) -> i128 {
        self.exponent + self.digits.len() as i128
    }

    fn cmp_sizes(&self, other: &Exact) -> Ordering {
        // Of one magnitude, the digits decide like the letters of words.
        let magnitudes = self.huge.cmp(&other.huge).then_with(|| self.magnitude().cmp(&other.magnitude()));
        magnitudes.then_with(|| self.digits.cmp(&other.digits))
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Exact) -> Ordering {
        let sign = |number: &Exact| match (number.digits.is_empty(), number.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => self.cmp_sizes(other),
            _ => other.cmp_sizes(self),
        })
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        write!(formatter, "{sign}{digits}e{}", self.exponent)?;
        match &self.huge {
            Huge::Below(size) => write!(formatter, "-{size}"),
            Huge::None => Ok(()),
            Huge::Above(size) => write!(formatter, "+{size}"),
        }
    }
}

/// Whether the generic JSON value of the number that `text` spells denotes another number, or there is none.
pub fn is_rounded(text: &str) -> bool {
    // Fifteen digits come back from a double as they went in.
    const SAFE: usize = 15;
    if text.len() <= SAFE && !text.contains(['e', 'E']) {
        return false;
    }
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(number) => Exact::parse(&number.to_string()) != Exact::parse(text),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_one_value() {
        for equal in [["1", "1.0"], ["1e0", "1"], ["100", "1E+2"], ["-0.0", "0"], ["1e400", "10e399"]] {
            assert_eq!(Exact::parse(equal[0]), Exact::parse(equal[1]), "{equal:?}");
        }
        let huge = format!("1e{}", "9".repeat(50));
        assert_eq!(Exact::parse(&huge), Exact::parse(&huge));
        assert_ne!(Exact::parse(&huge), Exact::parse(&huge[..50]));
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let ordered = [
            "-1e400",
            "-10000000000000000000000",
            "-9999999999999999999999",
            "-2.5",
            "-2.49",
            "0",
            "1e-400",
            "0.12345678901234567890",
            "0.12345678901234567891",
            "9",
            "10",
            "9999999999999999999999",
            "1e22",
            "1e400",
            "1e500",
        ];
        let far = |start: &str, digits: usize| format!("{start}{}", "9".repeat(digits));
        let mut ordered: Vec<String> = ordered.iter().map(|text| (*text).to_owned()).collect();
        ordered.insert(0, far("-1e", 31));
        ordered.insert(0, far("-1e", 32));
        let above_zero = ordered.iter().position(|text| text == "0").expect("zero") + 1;
        ordered.insert(above_zero, far("1e-", 31));
        ordered.insert(above_zero, far("1e-", 32));
        ordered.extend([far("1e", 31), far("2e", 31), far("1e", 32)]);
        for pair in ordered.windows(2) {
            assert!(Exact::parse(&pair[0]) < Exact::parse(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn what_generic_json_rounds_is_known() {
        for kept in [
            "0",
            "1.5",
            "0.1",
            "1e22",
            "18446744073709551615",
            "-9223372036854775808",
            "1e-7",
            "123456789012345.0",
        ] {
            assert!(!is_rounded(kept), "{kept}");
        }
        for rounded in
            ["9999999999999999999999", "18446744073709551617", "1e400", "1e-400", "0.12345678901234567890"]
        {
            assert!(is_rounded(rounded), "{rounded}");
        }
    }
}
