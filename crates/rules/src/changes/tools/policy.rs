//! Tool policies: whether the model may call tools, how often, and which ones are blocked.

use std::collections::BTreeSet;

use pack::json::Node;
use pack::number::Exact;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::PromptSide;
use crate::changes::value::{number, written};

pub(super) const CHOICE_CHANGED: ChangeRule = ChangeRule {
    id: "tool-policy-choice-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the model must call tools instead of may, or the other way round",
    why: "Every turn of the prompt takes another course: a call is forced, or no longer is.",
    fix: "Run the evals, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const TOOLS_DISABLED: ChangeRule = ChangeRule {
    id: "tool-policy-tools-disabled",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a prompt may no longer call its tools",
    why: "What the model did with tools in this prompt it can no longer do.",
    fix: "Publish a minor version, and say in the changelog what the prompt no longer does.",
    mirror: Mirror::Rule("tool-policy-tools-enabled"),
};

pub(super) const TOOLS_ENABLED: ChangeRule = ChangeRule {
    id: "tool-policy-tools-enabled",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a prompt may call its tools again",
    why: "The model may now act where it only answered before.",
    fix: "Make sure that hosts serve the tools in this prompt, and publish a minor version.",
    mirror: Mirror::Rule("tool-policy-tools-disabled"),
};

/// A limit of the policy that became lower.
const fn decreased(id: &'static str, mirror: &'static str, summary: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("pmm"),
        suggest: None,
        class: Class::Operations,
        certainty: Certainty::Proven,
        affected: &[Affected::User, Affected::Operator],
        safety: false,
        governance: false,
        summary,
        why: "Turns that needed the old limit are cut short before the model is done.",
        fix: "Check in the traces how many calls real turns take, and keep the limit above that.",
        mirror: Mirror::Rule(mirror),
    }
}

/// A limit of the policy that became higher.
const fn increased(id: &'static str, mirror: &'static str, summary: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("ppm"),
        suggest: None,
        class: Class::Operations,
        certainty: Certainty::Proven,
        affected: &[Affected::User, Affected::Operator],
        safety: false,
        governance: false,
        summary,
        why: "Turns may take longer and cost more than operators planned for.",
        fix: "Nothing has to be done beyond a patch version; tell operators about the higher cost of a turn.",
        mirror: Mirror::Rule(mirror),
    }
}

pub(super) const MAX_ROUNDS_DECREASED: ChangeRule = decreased(
    "tool-policy-max-rounds-decreased",
    "tool-policy-max-rounds-increased",
    "fewer rounds of tool calls per turn",
);

pub(super) const MAX_CALLS_DECREASED: ChangeRule = decreased(
    "tool-policy-max-calls-decreased",
    "tool-policy-max-calls-increased",
    "fewer tool calls per turn",
);

pub(super) const MAX_ROUNDS_INCREASED: ChangeRule = increased(
    "tool-policy-max-rounds-increased",
    "tool-policy-max-rounds-decreased",
    "more rounds of tool calls per turn",
);

pub(super) const MAX_CALLS_INCREASED: ChangeRule = increased(
    "tool-policy-max-calls-increased",
    "tool-policy-max-calls-decreased",
    "more tool calls per turn",
);

pub(super) const BLOCKLIST_CHANGED: ChangeRule = ChangeRule {
    id: "tool-policy-blocklist-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a policy blocks other tools that the prompt does not list itself",
    why: "Such an entry concerns tools that the host adds; whether it adds them is not visible in the pack.",
    fix: "Check which tools the hosts of this prompt add.",
    mirror: Mirror::Itself,
};

/// States how the policy of a prompt moved.
pub(super) fn compare<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    compare_choice(pair, changes);
    let rounds = (&MAX_ROUNDS_DECREASED, &MAX_ROUNDS_INCREASED);
    compare_limit(pair, rounds, "max_rounds", 5, "rounds of tool calls", changes);
    let calls = (&MAX_CALLS_DECREASED, &MAX_CALLS_INCREASED);
    compare_limit(pair, calls, "max_tool_calls_per_turn", 10, "tool calls per turn", changes);
    compare_blocklist(pair, changes);
}

/// The policy where the prompt has one, else the prompt, in which its defaults hold.
fn policy<'a>(prompt: &PromptSide<'a>) -> Node<'a> {
    prompt.prompt.get("tool_policy").unwrap_or(*prompt.prompt)
}

fn choice<'a>(prompt: &PromptSide<'a>) -> &'a str {
    prompt.prompt.get("tool_policy").and_then(|policy| policy.text("tool_choice")).unwrap_or("auto")
}

fn compare_choice<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (choice(pair.old), choice(pair.new));
    if old == new {
        return;
    }
    let key = pair.key();
    let spot = |prompt: &PromptSide<'a>| Spot::member(policy(prompt), "tool_choice", "auto");
    let at = At::spots(spot(pair.old), spot(pair.new));
    let has_tools = !pair.old.tools.is_empty() || !pair.new.tools.is_empty();
    match (old, new) {
        (_, "none") | ("none", _) if !has_tools => {}
        (_, "none") => {
            changes.report(&TOOLS_DISABLED, at, format!("prompt `{key}` may no longer call its tools"));
        }
        ("none", _) => {
            changes.report(&TOOLS_ENABLED, at, format!("prompt `{key}` may now call its tools (`{new}`)"));
        }
        _ => {
            let message = format!("the tool choice of prompt `{key}` is `{new}` instead of `{old}`");
            changes.report(&CHOICE_CHANGED, at, message);
        }
    }
}

fn compare_limit<'a>(
    pair: &PromptPair<'a>,
    (decreased, increased): (&'static ChangeRule, &'static ChangeRule),
    field: &'static str,
    default: i32,
    what: &str,
    changes: &mut Changes<'a>,
) {
    let limit = |prompt: &PromptSide<'a>| {
        number(prompt.prompt.get("tool_policy").and_then(|policy| policy.get(field)))
    };
    let counts = |prompt: &PromptSide<'a>| {
        limit(prompt).and_then(Node::as_exact).unwrap_or_else(|| Exact::parse(&default.to_string()))
    };
    let (old, new) = (counts(pair.old), counts(pair.new));
    if old == new {
        return;
    }
    let spot = |prompt: &PromptSide<'a>| Spot::member(policy(prompt), field, default);
    let rule = if new < old { decreased } else { increased };
    let shown = |prompt: &PromptSide<'a>| written(limit(prompt)).unwrap_or_else(|| default.to_string());
    let message =
        format!("prompt `{}` allows {} {what} instead of {}", pair.key(), shown(pair.new), shown(pair.old));
    changes.report(rule, At::spots(spot(pair.old), spot(pair.new)), message);
}

fn compare_blocklist<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let list =
        |prompt: &PromptSide<'a>| prompt.prompt.get("tool_policy").and_then(|policy| policy.get("blocklist"));
    let names = |prompt: &PromptSide<'a>| -> BTreeSet<&'a str> {
        list(prompt).into_iter().flat_map(Node::items).filter_map(Node::as_str).collect()
    };
    let listed = |name: &str| {
        [pair.old, pair.new].iter().any(|side| side.prompt.tools().any(|(listed, _)| listed == name))
    };
    let (old, new) = (names(pair.old), names(pair.new));
    let moved: Vec<String> = old
        .symmetric_difference(&new)
        .filter(|name| !listed(name))
        .map(|name| {
            let verb = if new.contains(name) { "blocks" } else { "no longer blocks" };
            format!("{verb} `{name}`")
        })
        .collect();
    if moved.is_empty() {
        return;
    }
    let message = format!("prompt `{}` {}", pair.key(), moved.join(", "));
    changes.report(&BLOCKLIST_CHANGED, At::either(list(pair.old), list(pair.new)), message);
}
