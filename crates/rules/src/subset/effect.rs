//! Turns the effect of a difference into what is said of it.

use std::collections::BTreeSet;

use pack::Pointer;
use serde_json::Value;

use super::Reason;
use super::candidate::{About, Candidate};
use super::difference::{Difference, Kind, Verdict};
use super::forms::canonical;
use super::walk::relate_types;

/// What one candidate alone does to OLD.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    Equal,
    /// Values that were allowed are refused; this is one, where it is not too large to be built.
    Narrowed(Option<Value>),
    Widened,
    Changed(Option<Value>),
    Unknown(Reason),
}

/// A kind, the value that OLD with the difference refuses, and why it is not known.
pub(super) type Found = (Kind, Option<Value>, Option<Reason>);

/// What a candidate that is about values says, given its effect.
pub(super) fn kinds(about: &About, candidate: &Candidate<'_>, effect: Effect) -> Vec<Found> {
    let (narrows, widens, witness, reason) = match effect {
        Effect::Equal => return Vec::new(),
        Effect::Narrowed(value) => (true, false, value, None),
        Effect::Widened => (false, true, None, None),
        Effect::Changed(value) => (true, true, value, None),
        Effect::Unknown(reason) => (true, true, None, Some(reason)),
    };
    let by_effect = |narrower, wider| if narrows { narrower } else { wider };
    let kind = match about {
        // A pattern that cannot be decided has a rule of its own.
        _ if reason.is_some() && *about != About::Pattern => Kind::Undecidable,
        About::Required { now: true } if !widens => Kind::BecameRequired,
        About::Required { now: false } if !narrows => Kind::BecameOptional,
        About::Type => match type_kind(candidate, by_effect(Kind::TypeNarrowed, Kind::TypeWidened)) {
            Kind::TypeWidened if narrows => Kind::CombinatorNarrowed,
            Kind::TypeNarrowed if !narrows => Kind::CombinatorWidened,
            kind => kind,
        },
        About::Values { old, new, constant } => {
            let kinds = value_kinds(old.as_deref(), new.as_deref(), *constant, narrows, widens);
            return kinds.into_iter().map(|kind| (kind, only_narrowing(kind, &witness), reason)).collect();
        }
        About::Pattern if narrows && widens => Kind::PatternChanged,
        About::Pattern | About::Limit => by_effect(Kind::ConstraintTightened, Kind::ConstraintRelaxed),
        // Also what a `oneOf` or a negation around it turns into its opposite.
        _ => by_effect(Kind::CombinatorNarrowed, Kind::CombinatorWidened),
    };
    vec![(kind, witness, reason)]
}

fn only_narrowing(kind: Kind, witness: &Option<Value>) -> Option<Value> {
    witness.clone().filter(|_| kind.direction() != Some(Verdict::Widened))
}

/// Type lists are compared by themselves, so that both directions name the change alike.
fn type_kind(candidate: &Candidate<'_>, by_effect: Kind) -> Kind {
    if candidate.edit.as_ref().is_some_and(|edit| edit.whole) {
        return by_effect;
    }
    let [old, new] = candidate.pair.map(|node| node.value.get("type"));
    match relate_types(old, new) {
        (true, false) => Kind::TypeWidened,
        (false, true) => Kind::TypeNarrowed,
        _ => Kind::TypeChanged,
    }
}

fn value_kinds(
    old: Option<&[Value]>,
    new: Option<&[Value]>,
    constant: bool,
    narrows: bool,
    widens: bool,
) -> Vec<Kind> {
    // Below a `oneOf` or a negation a list that goes may refuse, and a value that comes may be one that is refused.
    let missing = |list: Option<&[Value]>, other: Option<&[Value]>| {
        let other: BTreeSet<String> = other.unwrap_or_default().iter().map(canonical).collect();
        list.unwrap_or_default().iter().any(|value| !other.contains(&canonical(value)))
    };
    let (narrower, wider) = match (old, new) {
        (None, _) if !widens => return vec![Kind::EnumAdded],
        (_, None) if !narrows => return vec![Kind::EnumRemoved],
        (Some(_), Some(_)) if constant => return vec![Kind::ConstChanged],
        (Some(_), Some(_)) => (
            if missing(old, new) { Kind::EnumValueRemoved } else { Kind::CombinatorNarrowed },
            if missing(new, old) { Kind::EnumValueAdded } else { Kind::CombinatorWidened },
        ),
        _ => (Kind::CombinatorNarrowed, Kind::CombinatorWidened),
    };
    narrows.then_some(narrower).into_iter().chain(widens.then_some(wider)).collect()
}

/// The verdict on values, with what the differences of names and of undeclared members add.
pub(super) fn joined(base: Verdict, differences: &[Difference]) -> Verdict {
    let about_names = |kind: Kind| {
        matches!(
            kind,
            Kind::RequiredAdded
                | Kind::OptionalAdded
                | Kind::Removed
                | Kind::Renamed
                | Kind::Closed
                | Kind::Opened
        )
    };
    let named = differences.iter().map(|found| found.kind).filter(|kind| about_names(*kind));
    let directions: Vec<Verdict> = named.filter_map(Kind::direction).collect();
    let any = |wanted: Verdict| directions.iter().any(|found| *found == wanted || *found == Verdict::Changed);
    let narrows = any(Verdict::Narrowed) || matches!(base, Verdict::Narrowed | Verdict::Changed);
    let widens = any(Verdict::Widened) || matches!(base, Verdict::Widened | Verdict::Changed);
    match (base, narrows, widens) {
        (Verdict::Undecidable(_), _, _) => base,
        (_, true, true) => Verdict::Changed,
        (_, true, false) => Verdict::Narrowed,
        (_, false, true) => Verdict::Widened,
        (_, false, false) => base,
    }
}

/// The deepest node below which everything differs that does.
pub(super) fn deepest(old: &Value, new: &Value) -> Pointer {
    let (mut old, mut new, mut pointer) = (old, new, Pointer::root());
    while let (Value::Object(left), Value::Object(right)) = (old, new) {
        let mut names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
        let differs = |name: &&String| left.get(*name) != right.get(*name);
        let (Some(name), None) = (names.by_ref().find(differs), names.find(differs)) else { break };
        let (Some(inner_old), Some(inner_new)) = (left.get(name), right.get(name)) else { break };
        (old, new, pointer) = (inner_old, inner_new, pointer.join(name));
    }
    pointer
}
