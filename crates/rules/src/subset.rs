//! Decides whether everything that one JSON Schema allows passes another, and gives a value where it does not.
//!
//! The question behind every change of tool parameters and composition schemas is one of sets, not of keywords:
//! `S` within `T` holds when `S and not T` is empty. Schemas are read into forms that are held once (`forms`),
//! combinators become branches, and each branch is solved for one type at a time by reasoning about that type:
//! exact decimals, automata over code points, positions of arrays, names of objects. Where nothing is left the answer
//! is [`Inclusion::Holds`]; what is left is a value, and it counts only after our validator has accepted it on one
//! side and refused it on the other.
//!
//! **Names are judged by declaration.** The source ranges over objects whose members it declares at that place:
//! a caller who reads an open schema does not send names that it does not mention. The target keeps its normal
//! meaning. So an optional property that is added to an open object does not narrow it, and one that is removed from a
//! closed object does.
//!
//! Generic JSON rounds numbers: [`value_of`] reads a schema so that those are told apart.
//!
//! What cannot be decided is [`Inclusion::Undecided`] with one of a few [`Reason`]s, never a guess. All limits count
//! steps; no answer depends on the clock. Absent on purpose: fetching what a reference names, `format` and the other
//! annotations, which assert nothing.

use std::fmt;

use serde_json::Value;

mod arrays;
mod branches;
mod budget;
mod candidate;
mod compare;
mod decimal;
mod declared;
mod difference;
mod document;
mod effect;
mod evaluate;
mod exact;
mod forms;
mod numbers;
mod objects;
mod pattern;
mod question;
mod reading;
mod renames;
mod sample;
mod shrink;
mod solver;
mod strings;
mod unevaluated;
mod validate;
mod walk;
mod words;

pub use budget::Budget;
pub use compare::compare;
pub use difference::{Comparison, Difference, Kind, Verdict};
pub use exact::{is_marked, unmarked, value_of};

#[cfg(test)]
mod tests;

/// Why an inclusion could not be decided. The list is closed; the codes stand in findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A reference leaves the document, or leads nowhere.
    RemoteRef,
    /// A reference whose target depends on the way it is reached.
    DynamicRef,
    /// `unevaluatedProperties` or `unevaluatedItems` beside combinators.
    Unevaluated,
    /// A pattern with look-around inside, back references, or syntax that the validator does not know.
    NonRegularPattern,
    /// Arrays that repeat an item and must count items too.
    NegatedUnique,
    /// Words of a dialect that is not read: draft 4 booleans, another vocabulary, keywords of a wrong shape.
    Dialect,
    /// Numbers beyond what decimals of 36 digits and doubles can tell apart.
    NumberRange,
    /// Too many branches, automaton states, or levels.
    Budget,
}

impl Reason {
    /// The code as findings carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::RemoteRef => "remote-ref",
            Reason::DynamicRef => "dynamic-ref",
            Reason::Unevaluated => "unevaluated",
            Reason::NonRegularPattern => "non-regular-pattern",
            Reason::NegatedUnique => "negated-unique",
            Reason::Dialect => "dialect",
            Reason::NumberRange => "number-range",
            Reason::Budget => "budget",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Whether everything that the source allows passes the target.
#[derive(Debug, Clone, PartialEq)]
pub enum Inclusion {
    /// It does.
    Holds,
    /// It does not: our validator accepts this value on the source and refuses it on the target.
    Fails(Value),
    /// It does not, but the smallest value that shows it is too large to be built.
    Vast,
    /// Neither was shown.
    Undecided(Reason),
}

/// Which objects the source ranges over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Objects whose members the source declares where they stand.
    Declared,
    /// All that the source accepts.
    Any,
}

/// Whether every value that `source` allows passes `target`.
///
/// Schemas follow the draft that `$schema` names; without one they are read as draft 2020-12 that also knows the
/// words of the drafts before it.
pub fn includes(source: &Value, target: &Value, names: Names) -> Inclusion {
    Budget::default().includes(source, target, names)
}

/// Why our validator refuses a value: the first thing that it names, and where. None where it accepts the value, or
/// cannot read the schema.
pub fn refusal(schema: &Value, value: &Value) -> Option<String> {
    validate::refusal(&document::Document::new(schema), value)
}
