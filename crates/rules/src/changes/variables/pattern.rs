//! The pattern that texts have to match.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::json;

use super::constraint::{Moved, narrowing, widening};
use super::relation::{Relation, relate, relate_schemas};
use super::values::Keyword;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::Changes;
use crate::subset::Reason;

pub(super) const ADDED: ChangeRule = narrowing(
    "variable-pattern-added",
    "variable-pattern-removed",
    "a pattern appears that values have to match",
    "Describe the form in the description, and keep allowing other values.",
);

pub(super) const REMOVED: ChangeRule = widening(
    "variable-pattern-removed",
    "variable-pattern-added",
    "values no longer have to match a pattern",
);

pub(super) const NARROWED: ChangeRule = narrowing(
    "variable-pattern-narrowed",
    "variable-pattern-generalized",
    "the pattern matches fewer values",
    "Keep matching everything that the old pattern matched.",
);

pub(super) const GENERALIZED: ChangeRule =
    widening("variable-pattern-generalized", "variable-pattern-narrowed", "the pattern matches more values");

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "variable-pattern-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the pattern matches other values",
    why: "Some values that matched before may be refused now, and others may newly match.",
    fix: "Write a pattern that still matches everything that the old one matched.",
    mirror: Mirror::Itself,
};

fn is_regular(pattern: &str) -> bool {
    Regex::new(pattern).is_ok()
}

/// Relates what two patterns match: all that the declarations allow where nothing else moved, else the patterns alone.
fn relation(moved: &Moved<'_, '_>, old: &str, new: &str) -> Relation {
    let others = Keyword::ALL.into_iter().filter(|keyword| *keyword != Keyword::Pattern);
    let mut others = others.filter(|keyword| !moved.before.agrees(&moved.after, *keyword));
    if others.next().is_none() {
        return relate(&moved.before, &moved.after, moved.budget);
    }
    let texts = |pattern: &str| json!({"type": "string", "pattern": pattern});
    relate_schemas(&texts(old), &texts(new), moved.budget)
}

/// The texts that a pattern of the form `^(a|b)$` lists.
pub(crate) fn listed(pattern: &str) -> Option<BTreeSet<String>> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let group = inner.strip_prefix("(?:").or_else(|| inner.strip_prefix('('));
    // An alternative outside a group has only one of the two anchors.
    let alternatives = match group {
        Some(group) => group.strip_suffix(')')?,
        None if inner.contains('|') => return None,
        None => inner,
    };
    let is_literal = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    let texts: Vec<&str> = alternatives.split('|').collect();
    texts.iter().all(|text| is_literal(text)).then(|| texts.into_iter().map(str::to_owned).collect())
}

/// States how the pattern moved.
pub(super) fn compare<'a>(moved: &Moved<'_, 'a>, changes: &mut Changes<'a>) {
    let (name, at) = (moved.name(), moved.at(Keyword::Pattern));
    let draft = match (moved.before.pattern, moved.after.pattern) {
        (None, Some(new)) => {
            changes.report(&ADDED, at, format!("values of `{name}` have to match `{new}` from now on"))
        }
        (Some(old), None) => {
            changes.report(&REMOVED, at, format!("values of `{name}` no longer have to match `{old}`"))
        }
        (Some(old), Some(new)) => {
            let message = format!("values of `{name}` have to match `{new}` instead of `{old}`");
            match relation(moved, old, new) {
                Relation::Equal => return,
                Relation::Narrower(_) => changes.report(&NARROWED, at, message),
                Relation::Wider => changes.report(&GENERALIZED, at, message),
                // The renderer cannot run such a pattern, so what was found is no more than likely.
                Relation::Overlapping(_) if !is_regular(old) || !is_regular(new) => {
                    changes.report(&CHANGED, at, message).possible(Reason::NonRegularPattern.as_str())
                }
                Relation::Overlapping(_) => changes.report(&CHANGED, at, message),
                Relation::Unknown(reason) => changes.report(&CHANGED, at, message).possible(reason.as_str()),
            }
        }
        (None, None) => return,
    };
    moved.break_of(draft);
}
