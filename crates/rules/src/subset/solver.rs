//! Decides whether any value satisfies a conjunction, and gives one if so.
//!
//! A goal is a set of signed forms that one value must satisfy, and the schemas of the source that speak of this
//! value: they decide which names a caller may send. Goals of members and items are solved the same way. A goal that
//! comes up again inside itself is taken to be empty: values are finite, so the smallest value that satisfies a goal
//! holds no smaller one. An answer that rests on this is only remembered once the outer goal is settled.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::Reason;
use super::declared::Declared;
use super::forms::{FALSE, Forms, Id, TRUE};

/// A form and whether it must hold.
pub(super) type Literal = (Id, bool);

/// What one value has to satisfy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Goal {
    pub(super) literals: Vec<Literal>,
    /// The schemas of the source at this place; none where names are not judged.
    pub(super) sources: Option<Vec<Id>>,
}

/// What is known about a goal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// A value satisfies it; with a reason, only if what could not be decided holds too.
    Found(Value, Option<Reason>),
    /// A value does, but the smallest one is too large to be built.
    Vast,
    /// No value does.
    Empty,
    /// Neither is known.
    Unknown(Reason),
}

/// The best of several alternatives: a sure value wins, and emptiness needs all of them to be empty.
#[derive(Debug, Default)]
pub(super) struct Best {
    vast: bool,
    doubtful: Option<(Value, Reason)>,
    unknown: Option<Reason>,
}

impl Best {
    /// Takes one alternative; gives the outcome at once when nothing can be better.
    pub(super) fn take(&mut self, outcome: Outcome) -> Option<Outcome> {
        match outcome {
            Outcome::Found(_, None) => return Some(outcome),
            Outcome::Vast => self.vast = true,
            Outcome::Found(value, Some(reason)) => {
                self.doubtful.get_or_insert((value, reason));
            }
            Outcome::Unknown(reason) => {
                self.unknown.get_or_insert(reason);
            }
            Outcome::Empty => {}
        }
        None
    }

    pub(super) fn finish(self) -> Outcome {
        match (self.doubtful, self.unknown) {
            _ if self.vast => Outcome::Vast,
            (Some((value, reason)), _) => Outcome::Found(value, Some(reason)),
            (None, Some(reason)) => Outcome::Unknown(reason),
            (None, None) => Outcome::Empty,
        }
    }
}

impl Outcome {
    /// The same value, under one more doubt.
    pub(super) fn doubted(self, doubt: Option<Reason>) -> Outcome {
        match (self, doubt) {
            (Outcome::Found(value, None), Some(reason)) => Outcome::Found(value, Some(reason)),
            (Outcome::Vast, Some(reason)) => Outcome::Unknown(reason),
            (outcome, _) => outcome,
        }
    }
}

/// The deepest nesting of goals.
const MAX_DEPTH: usize = 40;

/// How much work one question may take of what the run has left, in steps rather than in time, so that every run gives the same answer.
#[derive(Debug, Clone)]
pub(super) struct Fuel {
    /// Branches and goals.
    pub(super) steps: u64,
    /// Steps of automata.
    pub(super) words: u64,
}

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel { steps: 100_000, words: 6_000_000 }
    }
}

/// Solves goals over one set of forms.
pub(super) struct Solver<'a> {
    pub(super) forms: &'a mut Forms,
    pub(super) fuel: Fuel,
    solved: HashMap<Goal, Outcome>,
    active: HashMap<Goal, usize>,
    /// The outermost active goal that the current one took to be empty.
    assumed: usize,
    pub(super) declared: HashMap<Vec<Id>, Rc<Declared>>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(forms: &'a mut Forms) -> Solver<'a> {
        Solver {
            forms,
            fuel: Fuel::default(),
            solved: HashMap::new(),
            active: HashMap::new(),
            assumed: usize::MAX,
            declared: HashMap::new(),
        }
    }

    /// Spends steps of the question and of the run; false when there are not that many left.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        let left = self.fuel.steps.checked_sub(steps).filter(|_| self.forms.budget.take_steps(steps));
        self.fuel.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// Finds a value that satisfies the goal.
    pub(super) fn solve(&mut self, mut goal: Goal) -> Outcome {
        goal.literals.retain(|literal| *literal != (TRUE, true) && *literal != (FALSE, false));
        goal.literals.sort_unstable();
        goal.literals.dedup();
        let contradictory = goal.literals.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if contradictory || goal.literals.iter().any(|(id, holds)| *id == if *holds { FALSE } else { TRUE }) {
            return Outcome::Empty;
        }
        if let Some(outcome) = self.solved.get(&goal) {
            return outcome.clone();
        }
        if let Some(depth) = self.active.get(&goal) {
            self.assumed = self.assumed.min(*depth);
            return Outcome::Empty;
        }
        let depth = self.active.len();
        if depth >= MAX_DEPTH || !self.spend(1) {
            return Outcome::Unknown(Reason::Budget);
        }
        let outer = std::mem::replace(&mut self.assumed, usize::MAX);
        self.active.insert(goal.clone(), depth);
        let outcome = self.search_goal(&goal);
        self.active.remove(&goal);
        let rests_on_outer = self.assumed < depth;
        self.assumed = if rests_on_outer { outer.min(self.assumed) } else { outer };
        // What ran out of fuel may be known with more of it.
        let starved = outcome == Outcome::Unknown(Reason::Budget);
        if matches!(outcome, Outcome::Found(_, None)) || (!rests_on_outer && !starved) {
            self.solved.insert(goal, outcome.clone());
        }
        outcome
    }
}
