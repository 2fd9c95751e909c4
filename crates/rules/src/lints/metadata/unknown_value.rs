//! Flags values of open lists that the reference runtime refuses.

use pack::Node;
use pack::similar::closest;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::{listed, quoted};

pub(super) const LINT: Lint = Lint {
    id: "unknown-value",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a value that the schema allows and the reference runtime refuses",
    why: "These lists are open in the schema, but PromptKit loads a pack only with the values that the guide names.",
    fix: "Use a value of the list, unless every runtime of yours knows the other one.",
    example: r#""trigger": "every_message""#,
    check: Check::Pack(check),
};

pub(super) const TRIGGERS: [&str; 6] = [
    "every_turn",
    "on_session_complete",
    "on_conversation_complete",
    "on_workflow_step",
    "sample_turns",
    "sample_sessions",
];
const PERSISTENCE: [&str; 2] = ["persistent", "transient"];
const STRATEGIES: [&str; 3] = ["append", "replace", "barrier"];
const OPERATORS: [&str; 5] = ["gte", "lte", "gt", "lt", "eq"];

/// Signs that stand for an operator elsewhere.
const SIGNS: [(&str, &str); 6] =
    [(">=", "gte"), ("<=", "lte"), (">", "gt"), ("<", "lt"), ("=", "eq"), ("==", "eq")];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for eval in pack.pack.evals().chain(pack.pack.prompts().flat_map(|prompt| prompt.evals())) {
        report_unless_known("trigger", eval.get("trigger"), &TRIGGERS, findings);
        let operator = eval.get("threshold").and_then(|threshold| threshold.get("operator"));
        report_unless_known("threshold operator", operator, &OPERATORS, findings);
    }
    if let Some(workflow) = pack.pack.workflow() {
        for state in workflow.states() {
            report_unless_known("persistence", state.get("persistence"), &PERSISTENCE, findings);
        }
        if let Some(version) =
            workflow.get("version").filter(|version| version.as_i64().is_some_and(|n| n > 2))
        {
            let message = format!("workflow version {} is none that PromptKit knows", version.source());
            findings.report(version, message).help("the versions are 1 and 2");
        }
    }
    for step in pack.pack.all_steps() {
        let strategy = step.get("reduce").and_then(|reduce| reduce.get("strategy"));
        let plain = strategy.filter(|node| node.as_str().is_some_and(|name| !name.contains('.')));
        report_unless_known("reducer", plain, &STRATEGIES, findings);
    }
}

fn report_unless_known(what: &str, node: Option<Node<'_>>, known: &[&str], findings: &mut Findings<'_>) {
    let Some((node, value)) = node.and_then(|node| Some((node, node.as_str()?))) else { return };
    if known.contains(&value) {
        return;
    }
    let sign =
        SIGNS.iter().find(|(sign, name)| *sign == value && known.contains(name)).map(|(_, name)| *name);
    let near = sign.or_else(|| closest(value, known.iter().copied()));
    let draft = findings.report(node, format!("{what} {} is none that PromptKit knows", quoted(value)));
    match near {
        Some(near) => draft.suggest_for(node, Some(near)),
        None => draft.help(format!("the values are {}", listed(known.iter().copied()))),
    };
}
