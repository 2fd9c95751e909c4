//! Finds a string by its length, the patterns it matches, and the words it must not be.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reason;
use super::branches::Branch;
use super::forms::Form;
use super::solver::{Outcome, Solver};
use super::words::{Wanted, Word, shortest};

impl Solver<'_> {
    /// Finds the shortest string that satisfies the branch.
    pub(super) fn text(&mut self, branch: &Branch) -> Outcome {
        let mut patterns = Vec::new();
        let mut excluded = BTreeSet::new();
        let (mut min, mut max) = (0_u64, None::<u64>);
        for (id, holds) in &branch.literals {
            match (&*self.forms.get(*id), holds) {
                (Form::MinLength(least), true) => min = min.max(*least),
                (Form::MinLength(least), false) => max = lower(max, least.saturating_sub(1)),
                (Form::MaxLength(greatest), true) => max = lower(max, *greatest),
                (Form::MaxLength(greatest), false) => min = min.max(greatest.saturating_add(1)),
                (Form::Pattern(automaton), holds) => patterns.push((*automaton, *holds)),
                (Form::Values(values), false) => {
                    let constants = values.iter().map(|value| self.forms.constant_value(*value));
                    excluded.extend(constants.filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
        let wanted = Wanted { patterns: &patterns, min, max, excluded: &excluded };
        let lent = self.fuel.words.min(self.forms.budget.words());
        let mut left = lent;
        let word = shortest(&mut self.forms.automata, &wanted, &mut left);
        self.fuel.words -= lent - left;
        self.forms.budget.take_words(lent - left);
        match word {
            Word::Vast => Outcome::Vast,
            Word::Found(text) => Outcome::Found(Value::String(text), None),
            Word::Empty => Outcome::Empty,
            Word::OverBudget => Outcome::Unknown(Reason::Budget),
        }
    }
}

/// The lower of two upper bounds.
pub(super) fn lower(bound: Option<u64>, other: u64) -> Option<u64> {
    Some(bound.map_or(other, |bound| bound.min(other)))
}
