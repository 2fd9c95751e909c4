//! Lengths of texts and ranges of numbers.

use super::constraint::{Moved, narrowing, widening};
use super::values::Keyword;
use crate::change::ChangeRule;
use crate::changes::report::Changes;

/// How to limit values without refusing any.
const FIX: &str = "Name the limit in the description, and let the text deal with values beyond it.";

pub(super) const MIN_LENGTH_ADDED: ChangeRule =
    narrowing("variable-min-length-added", "variable-min-length-removed", "a least length appears", FIX);

pub(super) const MIN_LENGTH_INCREASED: ChangeRule = narrowing(
    "variable-min-length-increased",
    "variable-min-length-decreased",
    "the least length is higher",
    FIX,
);

pub(super) const MIN_LENGTH_REMOVED: ChangeRule =
    widening("variable-min-length-removed", "variable-min-length-added", "the least length is gone");

pub(super) const MIN_LENGTH_DECREASED: ChangeRule =
    widening("variable-min-length-decreased", "variable-min-length-increased", "the least length is lower");

pub(super) const MAX_LENGTH_ADDED: ChangeRule =
    narrowing("variable-max-length-added", "variable-max-length-removed", "a greatest length appears", FIX);

pub(super) const MAX_LENGTH_DECREASED: ChangeRule = narrowing(
    "variable-max-length-decreased",
    "variable-max-length-increased",
    "the greatest length is lower",
    FIX,
);

pub(super) const MAX_LENGTH_REMOVED: ChangeRule =
    widening("variable-max-length-removed", "variable-max-length-added", "the greatest length is gone");

pub(super) const MAX_LENGTH_INCREASED: ChangeRule = widening(
    "variable-max-length-increased",
    "variable-max-length-decreased",
    "the greatest length is higher",
);

pub(super) const MINIMUM_ADDED: ChangeRule =
    narrowing("variable-minimum-added", "variable-minimum-removed", "a least number appears", FIX);

pub(super) const MINIMUM_INCREASED: ChangeRule =
    narrowing("variable-minimum-increased", "variable-minimum-decreased", "the least number is higher", FIX);

pub(super) const MINIMUM_REMOVED: ChangeRule =
    widening("variable-minimum-removed", "variable-minimum-added", "the least number is gone");

pub(super) const MINIMUM_DECREASED: ChangeRule =
    widening("variable-minimum-decreased", "variable-minimum-increased", "the least number is lower");

pub(super) const MAXIMUM_ADDED: ChangeRule =
    narrowing("variable-maximum-added", "variable-maximum-removed", "a greatest number appears", FIX);

pub(super) const MAXIMUM_DECREASED: ChangeRule = narrowing(
    "variable-maximum-decreased",
    "variable-maximum-increased",
    "the greatest number is lower",
    FIX,
);

pub(super) const MAXIMUM_REMOVED: ChangeRule =
    widening("variable-maximum-removed", "variable-maximum-added", "the greatest number is gone");

pub(super) const MAXIMUM_INCREASED: ChangeRule =
    widening("variable-maximum-increased", "variable-maximum-decreased", "the greatest number is higher");

/// The rules of one bound: it appears, it is gone, it becomes higher, it becomes lower.
fn rules(keyword: Keyword) -> [&'static ChangeRule; 4] {
    match keyword {
        Keyword::MinLength => {
            [&MIN_LENGTH_ADDED, &MIN_LENGTH_REMOVED, &MIN_LENGTH_INCREASED, &MIN_LENGTH_DECREASED]
        }
        Keyword::MaxLength => {
            [&MAX_LENGTH_ADDED, &MAX_LENGTH_REMOVED, &MAX_LENGTH_INCREASED, &MAX_LENGTH_DECREASED]
        }
        Keyword::Minimum => [&MINIMUM_ADDED, &MINIMUM_REMOVED, &MINIMUM_INCREASED, &MINIMUM_DECREASED],
        _ => [&MAXIMUM_ADDED, &MAXIMUM_REMOVED, &MAXIMUM_INCREASED, &MAXIMUM_DECREASED],
    }
}

/// States how one bound moved.
pub(super) fn compare<'a>(moved: &Moved<'_, 'a>, keyword: Keyword, changes: &mut Changes<'a>) {
    let [added, removed, increased, decreased] = rules(keyword);
    let (name, key) = (moved.name(), keyword.key());
    let (rule, message) = match (moved.before.bound(keyword), moved.after.bound(keyword)) {
        (None, Some(new)) => (added, format!("`{key}` of variable `{name}` is {new} from now on")),
        (Some(old), None) => (removed, format!("`{key}` of variable `{name}` is gone, it was {old}")),
        (Some(old), Some(new)) => {
            let rule = if new.exact() > old.exact() { increased } else { decreased };
            (rule, format!("`{key}` of variable `{name}` is {new} instead of {old}"))
        }
        (None, None) => return,
    };
    moved.break_of(changes.report(rule, moved.at(keyword), message));
}
