//! Which spec version a pack names, and which one it needs.

use super::floor::floor;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};

pub(super) const SCHEMA_URL_CHANGED: ChangeRule = ChangeRule {
    id: "schema-url-changed",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "`$schema` names another schema",
    why: "The features that the pack uses need the same spec version as before; only validators and editors look at the address.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const FLOOR_RAISED: ChangeRule = ChangeRule {
    id: "runtime-floor-raised",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the pack needs a newer spec version",
    why: "A runtime that does not know the new feature refuses the pack or ignores what it says; callers and their inputs are untouched.",
    fix: "Tell consumers which runtime version they need; the key `runtime-floor` sets the bump where your runtimes are slow to follow.",
    mirror: Mirror::Rule("runtime-floor-lowered"),
};

pub(super) const FLOOR_LOWERED: ChangeRule = ChangeRule {
    id: "runtime-floor-lowered",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the pack runs on an older spec version",
    why: "More runtimes can load the pack; none loses anything.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("runtime-floor-raised"),
};

/// States that the pack names or needs another spec version.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (floor(comparison.old.pack), floor(comparison.new.pack));
    if old.version == new.version {
        compare_url(comparison, changes);
        return;
    }
    let spot = |floor: &super::floor::Floor<'a>| Spot::of(floor.node).value(floor.version.to_string());
    let at = At::spots(spot(&old), spot(&new));
    if new.version > old.version {
        let message =
            format!("{} needs spec {}: the pack ran on {} before", new.feature, new.version, old.version);
        changes.report(&FLOOR_RAISED, at, message);
    } else {
        let message =
            format!("the pack runs on spec {}: {} needed {}", new.version, old.feature, old.version);
        changes.report(&FLOOR_LOWERED, at, message);
    }
}

fn compare_url<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*comparison.old.pack, *comparison.new.pack);
    let (before, after) = (old.text("$schema"), new.text("$schema"));
    if before != after {
        let what = match (before, after) {
            (None, _) => "is set",
            (_, None) => "is no longer set",
            _ => "names another schema",
        };
        let message = format!("`$schema` {what}; the pack needs the same spec version as before");
        changes.report(&SCHEMA_URL_CHANGED, At::member(old, new, "$schema"), message);
    }
}
