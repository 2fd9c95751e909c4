//! When the loop of an agent step ends, and what is declared around a step: retries and evals.

use pack::json::Node;
use pack::model::Step;

use super::graph::CompositionPair;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::{by_limit, sorted, written};

pub(super) const TERMINATION_TIGHTENED: ChangeRule = ChangeRule {
    id: "step-termination-tightened",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "the loop of an agent step ends earlier",
    why: "Runs that needed more turns are cut short before the model is done.",
    fix: "Check in the traces how many turns real runs take, and publish a minor version.",
    mirror: Mirror::Rule("step-termination-relaxed"),
};

pub(super) const TERMINATION_RELAXED: ChangeRule = ChangeRule {
    id: "step-termination-relaxed",
    summary: "the loop of an agent step may go on longer",
    why: "A run may take longer and cost more than operators planned for.",
    fix: "Tell operators about the higher cost of a run, and publish a minor version.",
    mirror: Mirror::Rule("step-termination-tightened"),
    ..TERMINATION_TIGHTENED
};

pub(super) const RETRY_CHANGED: ChangeRule = ChangeRule {
    id: "step-retry-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a step is tried again more or less often",
    why: "Failing runs cost more or give up earlier; runs that succeed at once are the same.",
    fix: "Tell operators; a patch version is enough.",
    mirror: Mirror::Itself,
};

pub(super) const EVAL_CHANGED: ChangeRule = ChangeRule {
    id: "step-eval-changed",
    summary: "other evals are attached to a step",
    why: "Operators see other results for the step, and judging costs another amount; the run itself is the same.",
    ..RETRY_CHANGED
};

/// States that the loop of an agent step ends at another point.
///
/// Another tool that ends it is both: the old end is gone, a new one is there.
pub(super) fn compare_termination<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    if new.kind() != Some("agent") {
        return;
    }
    let end = |step: Step<'a>, field| step.get("termination").and_then(|end| end.get(field));
    let (before, after) = (end(old, "max_steps"), end(new, "max_steps"));
    let moves = by_limit(after, before);
    if moves.is_ne() {
        let tightened = moves.is_lt();
        let rule = if tightened { &TERMINATION_TIGHTENED } else { &TERMINATION_RELAXED };
        let does = if tightened { "may take fewer turns" } else { "may take more turns" };
        changes.report(rule, At::either(before, after), format!("{} {does}", pair.step(new)));
    }
    let (before, after) = (end(old, "tool_called"), end(new, "tool_called"));
    let name = |tool: Option<Node<'a>>| tool.and_then(Node::as_str);
    let now = name(before).map(|name| pair.tool_now(name));
    if now == name(after) {
        return;
    }
    let at = At::either(before, after);
    if let Some(tool) = name(after) {
        let message = format!("{} now ends when `{tool}` is called", pair.step(new));
        changes.report(&TERMINATION_TIGHTENED, at.clone(), message);
    }
    if let Some(tool) = name(before) {
        let message = format!("{} no longer ends when `{tool}` is called", pair.step(new));
        changes.report(&TERMINATION_RELAXED, at, message);
    }
}

/// States what moved in the modifiers of a step.
pub(super) fn compare_modifiers<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let modifier = |step: Step<'a>, field| step.get("modifiers").and_then(|modifiers| modifiers.get(field));
    let (before, after) = (modifier(old, "retry"), modifier(new, "retry"));
    if written(before) != written(after) {
        let message = format!("{} is tried again more or less often", pair.step(new));
        changes.report(&RETRY_CHANGED, At::either(before, after), message);
    }
    let (before, after) = (modifier(old, "eval"), modifier(new, "eval"));
    if sorted(before) != sorted(after) {
        let message = format!("other evals are attached to {}", pair.step(new));
        changes.report(&EVAL_CHANGED, At::either(before, after), message);
    }
}
