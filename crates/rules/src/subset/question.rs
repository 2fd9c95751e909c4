//! Puts one question to the solver and has the validator check the answer.

use serde_json::Value;

use super::budget::Budget;
use super::document::Document;
use super::forms::{Forms, Id};
use super::reading::{Edits, Node, Reader};
use super::sample::Sampler;
use super::shrink::shrink;
use super::solver::{Goal, Outcome, Solver};
use super::validate::Validators;
use super::{Inclusion, Names, Reason};

/// The deepest JSON that is looked at; packs are not parsed deeper either.
pub(super) const MAX_DEPTH: usize = 160;

/// How many values are tried before an undecided question stays so.
const SAMPLES: usize = 300;

/// Whether everything that one of two documents allows passes the other.
pub(super) struct Question<'v> {
    source: &'v Value,
    target: &'v Value,
    budget: &'v Budget,
}

impl<'v> Question<'v> {
    pub(super) fn new(source: &'v Value, target: &'v Value, budget: &'v Budget) -> Question<'v> {
        Question { source, target, budget }
    }

    pub(super) fn answer(&self, names: Names) -> Inclusion {
        if is_deeper(self.source, MAX_DEPTH) || is_deeper(self.target, MAX_DEPTH) {
            return Inclusion::Undecided(Reason::Budget);
        }
        let documents = [Document::new(self.source), Document::new(self.target)];
        let mut forms = Forms::new(self.budget);
        let edits = Edits::new();
        let mut reader = Reader::new(&mut forms, &documents, &edits);
        let source = reader.schema(Node { value: self.source, side: 0 });
        let target = reader.schema(Node { value: self.target, side: 1 });
        if source == target {
            return Inclusion::Holds;
        }
        if forms.is_circular() {
            return Inclusion::Undecided(Reason::Budget);
        }
        let mut solver = Solver::new(&mut forms);
        let outcome = ask(&mut solver, source, target, names);
        match outcome {
            Outcome::Empty => return Inclusion::Holds,
            // A run that is out of budget does not try values either.
            Outcome::Unknown(Reason::Budget) if self.budget.is_spent() => {
                return Inclusion::Undecided(Reason::Budget);
            }
            _ => {}
        }
        let validators = match Validators::new(&documents) {
            Ok(validators) => validators,
            Err(reason) => return Inclusion::Undecided(reason),
        };
        let sources = (names == Names::Declared).then(|| vec![source]);
        let mut separates =
            |value: &Value| validators.separate(value) && solver.is_declared(sources.as_ref(), value);
        let (candidate, reason) = match outcome {
            Outcome::Found(value, None) if validators.separate(&value) => {
                return Inclusion::Fails(shrink(value, &mut separates));
            }
            // The validator reads one of the schemas differently; nothing that follows from it can be told.
            Outcome::Found(_, None) => return Inclusion::Undecided(Reason::Dialect),
            Outcome::Found(value, Some(reason)) => (Some(value), reason),
            Outcome::Unknown(reason) => (None, reason),
            Outcome::Vast => return Inclusion::Vast,
            Outcome::Empty => return Inclusion::Holds,
        };
        let sampled = Sampler::new(&documents).values(SAMPLES);
        match candidate.into_iter().chain(sampled).find(|value| separates(value)) {
            Some(value) => Inclusion::Fails(shrink(value, &mut separates)),
            None => Inclusion::Undecided(reason),
        }
    }
}

/// Asks for a value of `source` that `target` refuses.
pub(super) fn ask(solver: &mut Solver<'_>, source: Id, target: Id, names: Names) -> Outcome {
    let sources = (names == Names::Declared).then(|| vec![source]);
    solver.solve(Goal { literals: vec![(source, true), (target, false)], sources })
}

/// Whether a value is nested deeper than `limit`, found without following it there by recursion.
pub(super) fn is_deeper(value: &Value, limit: usize) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    false
}
