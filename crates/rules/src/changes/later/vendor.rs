//! Step kinds of vendors, which only some runtimes know.

use std::collections::BTreeMap;

use pack::json::Node;
use pack::model::Pack;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "step-vendor-kind-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the pack uses another vendor's kind of step",
    why: "A runtime that does not know the kind refuses the composition; which kinds it knows is not visible in the pack.",
    fix: "Tell consumers which runtime they need, or do the work with the kinds of the format.",
    mirror: Mirror::Rule("step-vendor-kind-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "step-vendor-kind-removed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "the pack no longer uses a vendor's kind of step",
    why: "More runtimes can run the pack; what the step did is done otherwise or not at all.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("step-vendor-kind-added"),
};

/// States which kinds of vendors came into use or went out of it.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (kinds(comparison.old.pack), kinds(comparison.new.pack));
    for (kind, node) in new.iter().filter(|(kind, _)| !old.contains_key(*kind)) {
        let message = format!("a step is of the kind `{kind}`, which only some runtimes know");
        changes.report(&ADDED, At::added(*node), message);
    }
    for (kind, node) in old.iter().filter(|(kind, _)| !new.contains_key(*kind)) {
        changes.report(&REMOVED, At::removed(*node), format!("no step is of the kind `{kind}` any more"));
    }
}

/// The kinds with a dot, and the first step of each.
fn kinds(pack: Pack<'_>) -> BTreeMap<&str, Node<'_>> {
    let mut kinds = BTreeMap::new();
    for node in pack.all_steps().filter_map(|step| step.get("kind")) {
        if let Some(kind) = node.as_str().filter(|kind| kind.contains('.')) {
            kinds.entry(kind).or_insert(node);
        }
    }
    kinds
}
