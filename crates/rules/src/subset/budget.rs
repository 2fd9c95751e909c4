//! How much work all questions of one run may take together.
//!
//! Every question has limits of its own, but a pack can ask thousands of them. What is counted are steps, never time,
//! so that every run gives the same answers; what comes after the last step is undecided with the reason `budget`.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::Value;

use super::compare::compare_within;
use super::question::Question;
use super::{Comparison, Inclusion, Names};

/// What one run may take. Clones share one account.
#[derive(Debug, Clone)]
pub struct Budget(Rc<Account>);

#[derive(Debug)]
struct Account {
    steps: Cell<u64>,
    words: Cell<u64>,
    states: Cell<u64>,
    nodes: Cell<u64>,
}

impl Default for Budget {
    /// What the comparison of two packs may take: twenty of the largest questions about combinators, and a handful of
    /// those about patterns.
    fn default() -> Budget {
        Budget::new(2_000_000, 16_000_000)
    }
}

impl Budget {
    /// So many branches and goals, and so many steps of automata.
    pub fn new(steps: u64, words: u64) -> Budget {
        let [steps, words] = [steps, words].map(Cell::new);
        Budget(Rc::new(Account { steps, words, states: Cell::new(2_000_000), nodes: Cell::new(6_000_000) }))
    }

    /// As [`includes`](super::includes), within this budget.
    pub fn includes(&self, source: &Value, target: &Value, names: Names) -> Inclusion {
        Question::new(source, target, self).answer(names)
    }

    /// As [`compare`](super::compare()), within this budget.
    pub fn compare(&self, old: Option<&Value>, new: Option<&Value>) -> Comparison {
        compare_within(old, new, self)
    }

    /// Whether so little is left that looking any further is in vain.
    pub(super) fn is_spent(&self) -> bool {
        self.0.steps.get() == 0 || self.0.words.get() == 0
    }

    /// Takes branches and goals; false when there are not that many left.
    pub(super) fn take_steps(&self, steps: u64) -> bool {
        take(&self.0.steps, steps)
    }

    /// Takes steps of automata that were made.
    pub(super) fn take_words(&self, words: u64) {
        take(&self.0.words, words);
    }

    /// Steps of automata that are left.
    pub(super) fn words(&self) -> u64 {
        self.0.words.get()
    }

    /// Takes states of automata that were built.
    pub(super) fn take_states(&self, states: usize) {
        take(&self.0.states, states as u64);
    }

    /// States of automata that may still be built.
    pub(super) fn states(&self) -> usize {
        usize::try_from(self.0.states.get()).unwrap_or(usize::MAX)
    }

    /// Takes nodes of schemas that are read again; false when there are not that many left.
    pub(super) fn take_nodes(&self, nodes: usize) -> bool {
        take(&self.0.nodes, nodes as u64)
    }
}

fn take(left: &Cell<u64>, amount: u64) -> bool {
    let rest = left.get().checked_sub(amount);
    left.set(rest.unwrap_or(0));
    rest.is_some()
}
