//! Compositions that come, go, change their name, or say something about themselves as a whole.

use super::graph::CompositionPair;
use super::reached;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Scope};
use crate::changes::value::written;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "composition-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new composition",
    why: "States can run one more step graph; nothing that callers use changes.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("composition-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "composition-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a composition is gone",
    why: "A run that entered it does something else or fails: callers no longer get the output that it promised.",
    fix: "Keep the composition and let no new state use it; remove it in the next major version.",
    mirror: Mirror::Rule("composition-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "composition-renamed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a composition has another name",
    why: "The states of the pack follow, but a host that runs a composition by name, or traces that are stored under it, go by the old name.",
    fix: "Keep the name, or offer the composition under both names until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const VERSION_CHANGED: ChangeRule = ChangeRule {
    id: "composition-version-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a composition is written in another version of its format",
    why: "A runtime reads the steps by this number: one that does not know it may refuse the pack.",
    fix: "Make sure that the runtimes of this pack know the version, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const ENGINE_CHANGED: ChangeRule = ChangeRule {
    id: "composition-engine-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the engine settings of a composition changed",
    why: "Budgets, telemetry or scheduling of the runtime move; the steps and what they hand on stay.",
    fix: "Tell operators; a patch version is enough.",
    mirror: Mirror::Itself,
};

/// States which compositions came, went or changed their name.
pub(super) fn compare<'a>(
    comparison: &Comparison<'a>,
    scope: &dyn Fn(&str, &str) -> Scope<'a>,
    changes: &mut Changes<'a>,
) {
    let compositions = &comparison.compositions;
    for composition in &compositions.added {
        let name = composition.key().unwrap_or_default();
        changes.scope(scope(name, name));
        changes.report(&ADDED, At::added(**composition), format!("new composition `{name}`"));
    }
    for composition in &compositions.removed {
        let name = composition.key().unwrap_or_default();
        changes.scope(scope(name, name));
        let draft =
            changes.report(&REMOVED, At::removed(**composition), format!("composition `{name}` is gone"));
        draft.witness(reached::witness(comparison.old.pack, comparison.new.pack, name));
    }
    for (old, new) in &compositions.renamed {
        let (old_name, new_name) = (old.key().unwrap_or_default(), new.key().unwrap_or_default());
        changes.scope(scope(old_name, new_name));
        let message = format!("composition `{old_name}` is now called `{new_name}`");
        changes.report(&RENAMED, At::both(**old, **new), message);
    }
}

/// States what the composition says about itself as a whole.
pub(super) fn compare_pair<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*pair.old, *pair.new);
    for (rule, field) in [(&VERSION_CHANGED, "version"), (&ENGINE_CHANGED, "engine")] {
        if written(old.get(field)) != written(new.get(field)) {
            let message = format!("`{field}` of composition `{}` changed", pair.key());
            changes.report(rule, At::member(old, new, field), message);
        }
    }
}
