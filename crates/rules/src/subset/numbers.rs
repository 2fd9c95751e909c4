//! Finds a number between bounds that is a multiple of some divisors and not of others.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reason;
use super::branches::Branch;
use super::decimal::Decimal;
use super::forms::Form;
use super::solver::{Outcome, Solver};

/// The most multiples that are tried before giving up.
const MAX_TRIES: i128 = 20_000;

/// A bound and whether it excludes itself.
type Bound = Option<(Decimal, bool)>;

/// What a number has to satisfy.
#[derive(Default)]
struct Wanted {
    low: Bound,
    high: Bound,
    divisors: Vec<Decimal>,
    not_divisors: Vec<Decimal>,
    excluded: BTreeSet<Decimal>,
}

impl Solver<'_> {
    /// Finds an integer, or a number that is none.
    pub(super) fn number(&mut self, branch: &Branch, integer: bool) -> Outcome {
        let mut wanted = Wanted::default();
        for (id, holds) in &branch.literals {
            match (&*self.forms.get(*id), holds) {
                (Form::Minimum { bound, exclusive }, true) => wanted.above(*bound, *exclusive),
                (Form::Minimum { bound, exclusive }, false) => wanted.below(*bound, !exclusive),
                (Form::Maximum { bound, exclusive }, true) => wanted.below(*bound, *exclusive),
                (Form::Maximum { bound, exclusive }, false) => wanted.above(*bound, !exclusive),
                (Form::MultipleOf(divisor), true) => wanted.divisors.push(*divisor),
                (Form::MultipleOf(divisor), false) => wanted.not_divisors.push(*divisor),
                (Form::Values(values), false) => {
                    let constants = values.iter().map(|value| self.forms.constant_value(*value));
                    wanted.excluded.extend(constants.filter_map(Value::as_number).filter_map(Decimal::of));
                }
                _ => {}
            }
        }
        if integer {
            wanted.divisors.push(Decimal::ONE);
        } else {
            wanted.not_divisors.push(Decimal::ONE);
        }
        wanted.find().unwrap_or(Outcome::Unknown(Reason::NumberRange))
    }
}

impl Wanted {
    fn above(&mut self, bound: Decimal, exclusive: bool) {
        let stronger = self.low.is_none_or(|(low, open)| bound > low || (bound == low && exclusive && !open));
        if stronger {
            self.low = Some((bound, exclusive));
        }
    }

    fn below(&mut self, bound: Decimal, exclusive: bool) {
        let stronger =
            self.high.is_none_or(|(high, open)| bound < high || (bound == high && exclusive && !open));
        if stronger {
            self.high = Some((bound, exclusive));
        }
    }

    fn is_within(&self, number: Decimal) -> bool {
        let above = self.low.is_none_or(|(low, open)| number > low || (number == low && !open));
        let below = self.high.is_none_or(|(high, open)| number < high || (number == high && !open));
        above && below
    }

    /// Whether everything but the divisors accepts the number.
    fn accepts(&self, number: Decimal) -> Option<bool> {
        if !self.is_within(number) || self.excluded.contains(&number) {
            return Some(false);
        }
        for divisor in &self.not_divisors {
            if number.is_multiple_of(*divisor)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn find(&self) -> Option<Outcome> {
        if let (Some((low, low_open)), Some((high, high_open))) = (self.low, self.high)
            && (low > high || (low == high && (low_open || high_open)))
        {
            return Some(Outcome::Empty);
        }
        let Some((first, others)) = self.divisors.split_first() else { return self.find_between() };
        let step = others.iter().try_fold(*first, |step, other| step.least_common_multiple(*other))?;
        self.find_multiple(step)
    }

    /// Tries the multiples of `step`, from the one nearest to zero outwards.
    fn find_multiple(&self, step: Decimal) -> Option<Outcome> {
        for divisor in &self.not_divisors {
            if step.is_multiple_of(*divisor)? {
                return Some(Outcome::Empty);
            }
        }
        let least = match self.low {
            Some((low, open)) => {
                let floor = low.floor_div(step)?;
                let on_bound = step.multiple(floor)? == low;
                Some(if on_bound && !open { floor } else { floor + 1 })
            }
            None => None,
        };
        let greatest = match self.high {
            Some((high, open)) => {
                let floor = high.floor_div(step)?;
                Some(if step.multiple(floor)? == high && open { floor - 1 } else { floor })
            }
            None => None,
        };
        if let (Some(least), Some(greatest)) = (least, greatest)
            && least > greatest
        {
            return Some(Outcome::Empty);
        }
        let start = 0.max(least.unwrap_or(0)).min(greatest.unwrap_or(i128::MAX));
        let tries = MAX_TRIES + i128::try_from(self.excluded.len()).ok()?;
        let mut rounded = false;
        for offset in 0..tries {
            let up = Some(start + offset).filter(|count| greatest.is_none_or(|greatest| *count <= greatest));
            let down = Some(start - offset).filter(|count| least.is_none_or(|least| *count >= least));
            if up.is_none() && down.is_none() {
                return Some(if rounded { Outcome::Unknown(Reason::NumberRange) } else { Outcome::Empty });
            }
            for count in [up, down].into_iter().flatten() {
                let number = step.multiple(count)?;
                if self.accepts(number)? {
                    match number.to_number() {
                        Some(number) => return Some(Outcome::Found(Value::Number(number), None)),
                        None => rounded = true,
                    }
                }
            }
        }
        None
    }

    /// Tries numbers between the bounds, with ever more decimal places.
    fn find_between(&self) -> Option<Outcome> {
        let mut candidates = Vec::new();
        let (low, high) = (self.low.map(|(low, _)| low), self.high.map(|(high, _)| high));
        candidates.extend(low);
        candidates.extend(high);
        if low.is_some() && low == high {
            let number = low?;
            let accepted = self.accepts(number)?;
            return Some(match number.to_number().filter(|_| accepted) {
                Some(number) => Outcome::Found(Value::Number(number), None),
                None if accepted => Outcome::Unknown(Reason::NumberRange),
                None => Outcome::Empty,
            });
        }
        let (start, width) = match (low, high) {
            (Some(low), Some(high)) => (low, high.minus(low)?),
            (Some(low), None) => (low, Decimal::ONE),
            (None, Some(high)) => (high, Decimal::new(-1, 0)),
            (None, None) => (Decimal::ZERO, Decimal::ONE),
        };
        for places in 1..=5 {
            for part in [5, 1, 2, 3, 4, 6, 7, 8, 9].into_iter().chain(11..40) {
                let share = width.times(Decimal::new(part, -places));
                candidates.extend(share.and_then(|share| start.plus(share)));
            }
        }
        for number in candidates {
            if self.accepts(number) == Some(true)
                && let Some(number) = number.to_number()
            {
                return Some(Outcome::Found(Value::Number(number), None));
            }
        }
        None
    }
}
