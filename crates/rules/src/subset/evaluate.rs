//! Checks one value against a form.
//!
//! This is the reasoning's own reading of a schema, for names and constants met on the way. Whatever leaves the
//! module is checked by the real validator as well.

use std::collections::BTreeSet;

use serde_json::Value;

use super::decimal::Decimal;
use super::forms::{Form, Id, Types, canonical};
use super::solver::Solver;

/// The deepest nesting of forms and values that is followed.
const MAX_DEPTH: usize = 300;

impl Solver<'_> {
    /// Whether the value satisfies the form; none where that cannot be decided.
    pub(super) fn holds(&mut self, id: Id, value: &Value) -> Option<bool> {
        self.holds_at(id, value, 0)
    }

    fn holds_at(&mut self, id: Id, value: &Value, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let form = self.forms.get(id);
        match &*form {
            Form::And(parts) => all(parts.iter().map(|part| self.holds_at(*part, value, depth + 1))),
            Form::Or(parts) => any(parts.iter().map(|part| self.holds_at(*part, value, depth + 1))),
            Form::One(parts) => {
                let held: Vec<Option<bool>> =
                    parts.iter().map(|part| self.holds_at(*part, value, depth + 1)).collect();
                count_within(&held, 1, Some(1))
            }
            Form::Not(part) => self.holds_at(*part, value, depth + 1).map(|held| !held),
            Form::Recursive(slot) => {
                let inner = self.forms.slot(*slot);
                self.holds_at(inner, value, depth + 1)
            }
            Form::Types(types) => Some(types.meets(Types::of(value))),
            Form::Values(values) => {
                Some(self.forms.find_constant(value).is_some_and(|id| values.binary_search(&id).is_ok()))
            }
            Form::Opaque { types, .. } => (!types.meets(Types::of(value))).then_some(true),
            form => match value {
                Value::Number(number) => holds_for_number(form, number),
                Value::String(text) => Some(self.holds_for_text(form, text)),
                Value::Array(items) => self.holds_for_items(form, items, depth),
                Value::Object(members) => self.holds_for_members(form, members, depth),
                _ => Some(true),
            },
        }
    }

    fn holds_for_text(&mut self, form: &Form, text: &str) -> bool {
        let length = || text.chars().count() as u64;
        match form {
            Form::MinLength(min) => length() >= *min,
            Form::MaxLength(max) => length() <= *max,
            Form::Pattern(automaton) => self.forms.automata[*automaton].matches(text),
            _ => true,
        }
    }

    fn holds_for_items(&mut self, form: &Form, items: &[Value], depth: usize) -> Option<bool> {
        let count = items.len() as u64;
        match form {
            Form::MinItems(min) => Some(count >= *min),
            Form::MaxItems(max) => Some(count <= *max),
            Form::Unique => {
                let distinct: BTreeSet<String> = items.iter().map(canonical).collect();
                Some(distinct.len() == items.len())
            }
            Form::Items { prefix, rest } => all(items
                .iter()
                .enumerate()
                .map(|(at, item)| self.holds_at(prefix.get(at).copied().unwrap_or(*rest), item, depth + 1))),
            Form::Contains { form, min, max } => {
                let held: Vec<Option<bool>> =
                    items.iter().map(|item| self.holds_at(*form, item, depth + 1)).collect();
                count_within(&held, *min, *max)
            }
            _ => Some(true),
        }
    }

    fn holds_for_members(
        &mut self,
        form: &Form,
        members: &serde_json::Map<String, Value>,
        depth: usize,
    ) -> Option<bool> {
        let count = members.len() as u64;
        match form {
            Form::MinMembers(min) => Some(count >= *min),
            Form::MaxMembers(max) => Some(count <= *max),
            Form::Required(name) => Some(members.contains_key(&**name)),
            Form::Names(form) => {
                all(members.keys().map(|name| self.holds_at(*form, &Value::from(name.as_str()), depth + 1)))
            }
            Form::Members(constraint) => all(members.iter().map(|(name, member)| {
                let applying = self.applying(constraint, name);
                let sure = all(applying.sure.iter().map(|form| self.holds_at(*form, member, depth + 1)));
                let maybe = all(applying.maybe.iter().map(|form| self.holds_at(*form, member, depth + 1)));
                match (sure, maybe) {
                    (Some(true), Some(true)) => Some(true),
                    (Some(false), _) => Some(false),
                    _ => None,
                }
            })),
            _ => Some(true),
        }
    }
}

fn holds_for_number(form: &Form, number: &serde_json::Number) -> Option<bool> {
    let decimal = Decimal::of(number);
    match form {
        Form::Minimum { bound, exclusive } => {
            decimal.map(|decimal| if *exclusive { decimal > *bound } else { decimal >= *bound })
        }
        Form::Maximum { bound, exclusive } => {
            decimal.map(|decimal| if *exclusive { decimal < *bound } else { decimal <= *bound })
        }
        Form::MultipleOf(divisor) => decimal.and_then(|decimal| decimal.is_multiple_of(*divisor)),
        _ => Some(true),
    }
}

/// The conjunction of answers, some of which may be missing.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut sure = true;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => sure = false,
        }
    }
    sure.then_some(true)
}

fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(answers.map(|answer| answer.map(|held| !held))).map(|none| !none)
}

fn count_within(held: &[Option<bool>], min: u64, max: Option<u64>) -> Option<bool> {
    let sure = held.iter().filter(|answer| **answer == Some(true)).count() as u64;
    let possible = sure + held.iter().filter(|answer| answer.is_none()).count() as u64;
    if possible < min || max.is_some_and(|max| sure > max) {
        return Some(false);
    }
    (sure >= min && max.is_none_or(|max| possible <= max)).then_some(true)
}
