//! The list of allowed values.

use std::collections::BTreeMap;

use serde_json::Value;

use super::constraint::{Moved, narrowing, widening};
use super::values::{Constraints, Keyword};
use crate::change::ChangeRule;
use crate::changes::report::Changes;
use crate::subset::is_marked;

pub(super) const ADDED: ChangeRule = narrowing(
    "variable-enum-added",
    "variable-enum-removed",
    "a list of allowed values appears",
    "Name the common values in the description, and keep allowing others.",
);

pub(super) const REMOVED: ChangeRule =
    widening("variable-enum-removed", "variable-enum-added", "the list of allowed values is gone");

pub(super) const VALUE_REMOVED: ChangeRule = narrowing(
    "variable-enum-value-removed",
    "variable-enum-value-added",
    "an allowed value is gone",
    "Keep the value and treat it as one of the others in the text.",
);

pub(super) const VALUE_ADDED: ChangeRule =
    widening("variable-enum-value-added", "variable-enum-value-removed", "another value is allowed");

/// States how the list of allowed values moved.
pub(super) fn compare<'a>(moved: &Moved<'_, 'a>, changes: &mut Changes<'a>) {
    let (name, at) = (moved.name(), moved.at(Keyword::Enum));
    match (&moved.before.enumeration, &moved.after.enumeration) {
        (Some(old), Some(new)) => {
            let removed = lost(&moved.before, old, new);
            let added = lost(&moved.after, new, old);
            if !removed.is_empty() {
                let message = format!("variable `{name}` no longer allows {}", removed.join(", "));
                moved.break_of(changes.report(&VALUE_REMOVED, at.clone(), message));
            }
            if !added.is_empty() {
                changes.report(
                    &VALUE_ADDED,
                    at,
                    format!("variable `{name}` also allows {}", added.join(", ")),
                );
            }
        }
        (None, Some(new)) => {
            let allowed: Vec<String> = new.keys().map(|value| format!("`{value}`")).collect();
            let message = format!("variable `{name}` allows only {} from now on", allowed.join(", "));
            moved.break_of(changes.report(&ADDED, at, message));
        }
        (Some(_), None) => {
            changes.report(
                &REMOVED,
                at,
                format!("variable `{name}` is no longer limited to a list of values"),
            );
        }
        (None, None) => {}
    }
}

/// Values of `own` that the other list lacks, those left out that other rules exclude anyway.
fn lost(
    constraints: &Constraints<'_>,
    own: &BTreeMap<String, Value>,
    other: &BTreeMap<String, Value>,
) -> Vec<String> {
    // What other rules say of a number that no double holds is not known.
    let may_be = |value: &Value| is_marked(value) || constraints.accept(value);
    let missing = own.iter().filter(|(text, value)| !other.contains_key(*text) && may_be(value));
    missing.map(|(text, _)| format!("`{text}`")).collect()
}
