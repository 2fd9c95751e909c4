//! Exact decimal numbers, read from the spelling that a JSON number has.
//!
//! `multipleOf` is about decimals: 0.3 is a multiple of 0.1, which binary floating point denies. A number here is
//! `mantissa * 10^exponent`, kept without trailing zeros, so that equal numbers are equal structures. Operations
//! that would leave the range give nothing, which the callers turn into the reason `number-range`.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Number;

/// One number, as exact as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    pub(super) const ZERO: Decimal = Decimal { mantissa: 0, exponent: 0 };
    pub(super) const ONE: Decimal = Decimal { mantissa: 1, exponent: 0 };

    /// `mantissa * 10^exponent` in its only form: no trailing zeros, and zero has no exponent.
    pub(super) fn new(mut mantissa: i128, mut exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal::ZERO;
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Decimal { mantissa, exponent }
    }

    /// The number that a JSON value spells; none when it has more than 36 digits.
    pub(super) fn of(number: &Number) -> Option<Decimal> {
        Decimal::parse(&number.to_string())
    }

    fn parse(text: &str) -> Option<Decimal> {
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
        let shift = i32::try_from(fraction.len()).ok()?;
        let fits = mantissa.unsigned_abs() < 10_u128.pow(36) && exponent.unsigned_abs() < 100_000;
        fits.then(|| Decimal::new(mantissa, exponent - shift))
    }

    /// The JSON number of exactly this value; none where doubles would round it.
    pub(super) fn to_number(self) -> Option<Number> {
        let whole = u32::try_from(self.exponent)
            .ok()
            .and_then(|exponent| 10_i128.checked_pow(exponent))
            .and_then(|factor| self.mantissa.checked_mul(factor));
        if let Some(whole) = whole {
            if let Ok(small) = i64::try_from(whole) {
                return Some(Number::from(small));
            }
            if let Ok(large) = u64::try_from(whole) {
                return Some(Number::from(large));
            }
        }
        let double: f64 = self.to_string().parse().ok()?;
        let number = Number::from_f64(double)?;
        (Decimal::of(&number) == Some(self)).then_some(number)
    }

    pub(super) fn is_integer(self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn is_positive(self) -> bool {
        self.mantissa > 0
    }

    pub(super) fn negated(self) -> Decimal {
        Decimal { mantissa: -self.mantissa, exponent: self.exponent }
    }

    /// Both mantissas at the smaller of the two exponents.
    fn aligned(self, other: Decimal) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |number: Decimal| {
            if number.mantissa == 0 {
                return Some(0);
            }
            let shift = u32::try_from(number.exponent - exponent).ok()?;
            number.mantissa.checked_mul(10_i128.checked_pow(shift)?)
        };
        Some((scaled(self)?, scaled(other)?, exponent))
    }

    pub(super) fn plus(self, other: Decimal) -> Option<Decimal> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Decimal::new(left.checked_add(right)?, exponent))
    }

    pub(super) fn minus(self, other: Decimal) -> Option<Decimal> {
        self.plus(other.negated())
    }

    pub(super) fn times(self, other: Decimal) -> Option<Decimal> {
        let mantissa = self.mantissa.checked_mul(other.mantissa)?;
        Some(Decimal::new(mantissa, self.exponent.checked_add(other.exponent)?))
    }

    /// The integer number of times.
    pub(super) fn multiple(self, count: i128) -> Option<Decimal> {
        Some(Decimal::new(self.mantissa.checked_mul(count)?, self.exponent))
    }

    /// The greatest integer that is not above `self / divisor`; the divisor is positive.
    pub(super) fn floor_div(self, divisor: Decimal) -> Option<i128> {
        let (left, right, _) = self.aligned(divisor)?;
        left.checked_div_euclid(right)
    }

    /// Whether the number is a whole multiple of `divisor`; none beyond the range.
    ///
    /// A divisor that needs more decimal places than can be aligned still decides many cases: what is far smaller
    /// than the divisor and not zero is no multiple.
    pub(super) fn is_multiple_of(self, divisor: Decimal) -> Option<bool> {
        if self.mantissa == 0 {
            return Some(true);
        }
        if self.magnitude() + 1 < divisor.magnitude() {
            return Some(false);
        }
        let (left, right, _) = self.aligned(divisor)?;
        left.checked_rem(right).map(|rest| rest == 0)
    }

    /// The smallest positive number that both positive numbers divide.
    pub(super) fn least_common_multiple(self, other: Decimal) -> Option<Decimal> {
        let (left, right, exponent) = self.aligned(other)?;
        let common = greatest_common_divisor(left, right);
        Some(Decimal::new(left.checked_mul(right.checked_div(common)?)?, exponent))
    }

    /// The number of digits in front of the decimal point; negative for small fractions.
    fn magnitude(self) -> i32 {
        let digits = self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
        i32::try_from(digits).unwrap_or(i32::MAX) + self.exponent
    }
}

fn greatest_common_divisor(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let signs = self.mantissa.signum().cmp(&other.mantissa.signum());
        if signs != Ordering::Equal || self.mantissa == 0 {
            return signs;
        }
        let sizes = match self.magnitude().cmp(&other.magnitude()) {
            // Numbers of one magnitude always align: the shorter one grows to the digits of the longer one.
            Ordering::Equal => match self.aligned(*other) {
                Some((left, right, _)) => return left.cmp(&right),
                None => Ordering::Equal,
            },
            unequal => unequal,
        };
        if self.mantissa < 0 { sizes.reverse() } else { sizes }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.exponent == 0 {
            write!(formatter, "{}", self.mantissa)
        } else {
            write!(formatter, "{}e{}", self.mantissa, self.exponent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[test]
    fn equal_numbers_have_one_form() {
        assert_eq!(decimal("1.0"), decimal("1"));
        assert_eq!(decimal("100"), decimal("1e2"));
        assert_eq!(decimal("-0.0"), Decimal::ZERO);
    }

    #[test]
    fn multiples_are_decimal() {
        assert_eq!(decimal("0.3").is_multiple_of(decimal("0.1")), Some(true));
        assert_eq!(decimal("0.35").is_multiple_of(decimal("0.1")), Some(false));
        assert_eq!(decimal("1e-300").is_multiple_of(decimal("1e300")), Some(false));
        assert_eq!(decimal("0.2").least_common_multiple(decimal("0.3")), Some(decimal("0.6")));
    }

    #[test]
    fn order_needs_no_common_scale() {
        assert!(decimal("1e300") > decimal("1e-300"));
        assert!(decimal("-1e300") < decimal("-1e-300"));
        assert!(decimal("2.5") > decimal("2.49"));
        assert!(decimal("-2.5") < decimal("-2.49"));
    }

    #[test]
    fn numbers_come_back_unrounded_or_not_at_all() {
        assert_eq!(decimal("2.5").to_number().map(|number| number.to_string()), Some("2.5".to_owned()));
        assert_eq!(decimal("18446744073709551615").to_number(), Some(Number::from(u64::MAX)));
        assert_eq!(decimal("0.12345678901234567890123").to_number(), None);
    }
}
