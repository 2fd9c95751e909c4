//! Guardrails: which of them block an answer, which only observe, and what they check.
//!
//! From spec 1.7 on every enabled validator blocks; before, only those with `fail_on_violation`.

use pack::model::Validator;
use pack::spec::SpecVersion;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::Side;
use crate::changes::value::{is_reordered, written};

pub(super) const BLOCKING_ADDED: ChangeRule = ChangeRule {
    id: "validator-blocking-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "a new guardrail blocks answers",
    why: "Answers that callers received before may now be refused; which ones depends on what the model says.",
    fix: "Let the validator observe first, look at what it would have blocked, then let it block in a minor version.",
    mirror: Mirror::Rule("validator-blocking-removed"),
};

pub(super) const BLOCKING_ENABLED: ChangeRule = ChangeRule {
    id: "validator-blocking-enabled",
    summary: "a guardrail that was off or only observed now blocks answers",
    mirror: Mirror::Rule("validator-blocking-disabled"),
    ..BLOCKING_ADDED
};

pub(super) const BLOCKING_REMOVED: ChangeRule = ChangeRule {
    id: "validator-blocking-removed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: false,
    summary: "a guardrail that blocked answers is gone",
    why: "No caller breaks, but answers that the guardrail held back now reach users: operators lose a protection.",
    fix: "Keep the guardrail, or acknowledge the finding with the reason why nothing has to be held back.",
    mirror: Mirror::Rule("validator-blocking-added"),
};

pub(super) const BLOCKING_DISABLED: ChangeRule = ChangeRule {
    id: "validator-blocking-disabled",
    summary: "a guardrail that blocked answers is off or only observes",
    mirror: Mirror::Rule("validator-blocking-enabled"),
    ..BLOCKING_REMOVED
};

pub(super) const ADVISORY_ADDED: ChangeRule = ChangeRule {
    id: "validator-advisory-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a guardrail now observes answers without blocking them",
    why: "Operators see violations that nobody recorded before; callers receive the same answers.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("validator-advisory-removed"),
};

pub(super) const ADVISORY_REMOVED: ChangeRule = ChangeRule {
    id: "validator-advisory-removed",
    summary: "a guardrail that observed answers is gone or off",
    why: "Operators no longer see its violations, and alerts on them stay silent; callers receive the same answers.",
    fix: "Tell operators which alerts lose their source; a patch version is enough.",
    mirror: Mirror::Rule("validator-advisory-added"),
    ..ADVISORY_ADDED
};

pub(super) const PARAMS_CHANGED: ChangeRule = ChangeRule {
    id: "validator-params-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the parameters of a guardrail changed",
    why: "The guardrail holds back other answers than before; parameters belong to the runtime, so nobody can say here whether it got stricter.",
    fix: "Run recorded answers through the new parameters; publish a minor version if more of them are held back.",
    mirror: Mirror::Itself,
};

pub(super) const MESSAGE_CHANGED: ChangeRule = ChangeRule {
    id: "validator-message-changed",
    summary: "the text that users read when a guardrail blocks changed",
    why: "Users read another text in place of a blocked answer; code that searches for the old text finds nothing.",
    fix: "Nothing has to be done beyond a patch version; programs should go by the validator, not by its text.",
    ..PARAMS_CHANGED
};

pub(super) const ORDER_CHANGED: ChangeRule = ChangeRule {
    id: "validator-order-changed",
    summary: "the guardrails of a prompt run in another order",
    why: "The first guardrail that blocks decides which text a user reads, so another order may show another text.",
    fix: "Put the guardrail whose text users should read first; a patch version is enough.",
    ..PARAMS_CHANGED
};

/// What a validator does with an answer that it does not like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Force {
    Off,
    Observes,
    Blocks,
}

fn force(side: &Side<'_>, validator: Validator<'_>) -> Force {
    let blocks = enforces_all(side) || validator.flag("fail_on_violation") == Some(true);
    match validator.flag("enabled") {
        Some(false) => Force::Off,
        _ if blocks => Force::Blocks,
        _ => Force::Observes,
    }
}

fn enforces_all(side: &Side<'_>) -> bool {
    side.spec >= SpecVersion::V1_7
}

/// States which guardrails of a prompt came, went or changed.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    for validator in &pair.validators.added {
        let rule = match force(comparison.new, *validator) {
            Force::Off => continue,
            Force::Observes => &ADVISORY_ADDED,
            Force::Blocks => &BLOCKING_ADDED,
        };
        let does = if rule.id == BLOCKING_ADDED.id { "blocks" } else { "observes" };
        let message = format!("{} is new in prompt `{}` and {does} answers", name(*validator), pair.key());
        changes.report(rule, At::added(**validator), message);
    }
    for validator in &pair.validators.removed {
        let rule = match force(comparison.old, *validator) {
            Force::Off => continue,
            Force::Observes => &ADVISORY_REMOVED,
            Force::Blocks => &BLOCKING_REMOVED,
        };
        let did = if rule.id == BLOCKING_REMOVED.id { "blocked" } else { "observed" };
        let message =
            format!("{}, which {did} answers of prompt `{}`, is gone", name(*validator), pair.key());
        changes.report(rule, At::removed(**validator), message);
    }
    for (old, new) in pair.validators.pairs() {
        compare_force(comparison, pair, (old, new), changes);
        compare_content(pair, old, new, changes);
    }
    compare_order(pair, changes);
}

fn compare_force<'a>(
    comparison: &Comparison<'a>,
    pair: &PromptPair<'a>,
    (old, new): (Validator<'a>, Validator<'a>),
    changes: &mut Changes<'a>,
) {
    let (before, after) = (force(comparison.old, old), force(comparison.new, new));
    let (rule, does) = match (before, after) {
        // An observing validator that only the newer spec lets block is `validator-observing-enforced`.
        (Force::Observes, Force::Blocks) if new.flag("fail_on_violation") != Some(true) => return,
        (Force::Off | Force::Observes, Force::Blocks) => (&BLOCKING_ENABLED, "now blocks answers"),
        (Force::Blocks, Force::Off) => (&BLOCKING_DISABLED, "is off and blocked answers before"),
        (Force::Blocks, Force::Observes) => (&BLOCKING_DISABLED, "only observes and blocked answers before"),
        (Force::Off, Force::Observes) => (&ADVISORY_ADDED, "now observes answers"),
        (Force::Observes, Force::Off) => (&ADVISORY_REMOVED, "is off and observed answers before"),
        _ => return,
    };
    let is_switched = before == Force::Off || after == Force::Off;
    let spot = |validator: Validator<'a>| match is_switched {
        true => Spot::member(*validator, "enabled", true),
        false => Spot::member(*validator, "fail_on_violation", false),
    };
    let message = format!("{} of prompt `{}` {does}", name(new), pair.key());
    changes.report(rule, At::spots(spot(old), spot(new)), message);
}

fn compare_content<'a>(
    pair: &PromptPair<'a>,
    old: Validator<'a>,
    new: Validator<'a>,
    changes: &mut Changes<'a>,
) {
    for (rule, field, what) in
        [(&PARAMS_CHANGED, "params", "parameters"), (&MESSAGE_CHANGED, "message", "message")]
    {
        if written(old.get(field)) != written(new.get(field)) {
            let message = format!("the {what} of {} of prompt `{}` changed", name(new), pair.key());
            changes.report(rule, At::member(*old, *new, field), message);
        }
    }
}

/// The order of validators that are off means nothing.
fn compare_order<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let is_on = |validator: &Validator<'_>| validator.flag("enabled") != Some(false);
    let running = pair.validators.pairs().filter(|(old, new)| is_on(old) && is_on(new));
    if is_reordered(running.map(|(_, new)| new.position())) {
        let message = format!("the guardrails of prompt `{}` run in another order", pair.key());
        changes.report(&ORDER_CHANGED, At::member(*pair.old.prompt, *pair.new.prompt, "validators"), message);
    }
}

fn name(validator: Validator<'_>) -> String {
    let name = validator.text("id").or_else(|| validator.text("type")).unwrap_or_default();
    format!("guardrail `{name}`")
}
