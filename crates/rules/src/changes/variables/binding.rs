//! How the runtime fills a variable from its context.

use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::side::VariableSide;
use crate::changes::witness::Focus;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "variable-binding-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the runtime is asked to fill a variable in",
    why: "Callers need not send the value any more, but operators have to provide its source; whether theirs does is not visible in the pack.",
    fix: "Tell operators which context the pack reads.",
    mirror: Mirror::Waived(
        "swapped it is `variable-binding-removed`, or `variable-removed` for a new variable",
    ),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "variable-binding-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the runtime no longer fills a variable in",
    why: "Callers never sent the value, and nobody else provides it now.",
    fix: "Keep the binding, or give the variable a usable default and make it optional.",
    mirror: Mirror::Waived("swapped it is `variable-binding-added`"),
};

pub(super) const SOURCE_CHANGED: ChangeRule = ChangeRule {
    id: "variable-binding-source-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the runtime fills a variable from another place",
    why: "Where the host does not provide the new source, the variable is empty; whether it does is not visible in the pack.",
    fix: "Tell operators which context the pack reads, and let them provide both sources for a while.",
    mirror: Mirror::Itself,
};

pub(super) const FILTER_CHANGED: ChangeRule = ChangeRule {
    id: "variable-binding-filter-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator, Affected::User],
    safety: false,
    governance: false,
    summary: "what is done to a bound value changed",
    why: "The same context gives another value, so the model reads another text.",
    fix: "Run the evals with real context values, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// States how the binding moved.
pub(super) fn compare<'a>(old: &VariableSide<'a>, new: &VariableSide<'a>, changes: &mut Changes<'a>) {
    let name = new.name();
    let at = || At::member(*old.variable, *new.variable, "binding");
    match (old.is_auto(), new.is_auto()) {
        (false, true) => {
            changes.report(&ADDED, at(), format!("the runtime is asked to fill in variable `{name}`"));
        }
        (true, false) => {
            let message = format!("the runtime no longer fills in variable `{name}`");
            let draft = changes.report(&REMOVED, at(), message);
            draft.focus(Focus::Without(name));
            if !new.is_needed() {
                draft.bumps(Bumps::table("pmm"));
            }
        }
        (_, is_auto) => {
            compare_source(old, new, is_auto, changes);
            if text(old, "filter") != text(new, "filter") {
                let message = format!("what is done to the bound value of variable `{name}` changed");
                changes.report(&FILTER_CHANGED, member(old, new, "filter"), message);
            }
        }
    }
}

fn compare_source<'a>(
    old: &VariableSide<'a>,
    new: &VariableSide<'a>,
    is_auto: bool,
    changes: &mut Changes<'a>,
) {
    let source = |side: &VariableSide<'a>| (text(side, "kind"), text(side, "field"));
    if source(old) == source(new) {
        return;
    }
    let shown = |side: &VariableSide<'a>| match source(side) {
        (None, None) => "nothing".to_owned(),
        (Some(kind), None) => format!("`{kind}`"),
        (None, Some(field)) => format!("`{field}`"),
        (Some(kind), Some(field)) => format!("`{field}` of `{kind}`"),
    };
    let message = format!("variable `{}` is bound to {} instead of {}", new.name(), shown(new), shown(old));
    let draft = changes.report(&SOURCE_CHANGED, At::member(*old.variable, *new.variable, "binding"), message);
    match () {
        () if !is_auto => draft.bumps(Bumps::table("ppp")),
        () if !new.variable.is_required() => draft.bumps(Bumps::table("pmm")),
        () => draft,
    };
}

fn text<'a>(side: &VariableSide<'a>, key: &str) -> Option<&'a str> {
    side.variable.get("binding").and_then(|binding| binding.text(key))
}

fn member<'a>(old: &VariableSide<'a>, new: &VariableSide<'a>, key: &str) -> At<'a> {
    let node = |side: &VariableSide<'a>| -> Option<Node<'a>> { side.variable.get("binding")?.get(key) };
    At::either(node(old), node(new))
}
