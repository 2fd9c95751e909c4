//! Every field of the workflow, of the agents and of what came with spec 1.6: removing, adding or changing it is seen
//! by exactly one rule, unless it stands in [`SEVERAL`] or [`SILENT`].

use std::collections::BTreeSet;

use pack::Document;
use rules::{DiffOptions, Version, diff};
use serde_json::{Value, json};

/// Rules that come on top of the one that names the change.
const ON_TOP: [&str; 3] = ["runtime-floor-raised", "runtime-floor-lowered", "step-vendor-kind-added"];

/// Edits that several rules see, and why.
const SEVERAL: [(&str, &str); 22] = [
    ("/agents/members", "every agent comes or goes"),
    ("/agents/members/desk/governance", "every field of the pack takes the place of the agent's"),
    ("/agents/members/desk/governance/approved_environments", "the pack's list takes its place"),
    ("/agents/members/desk/governance/foreseeable_misuse", "the pack's list takes its place"),
    ("/agents/members/desk/governance/independent_of", "the pack's demand takes its place"),
    ("/agents/members/desk/input_modes/0", "one goes and another comes"),
    ("/agents/members/desk/output_modes/0", "one goes and another comes"),
    ("/agents/members/desk/governance/approved_environments/0", "one goes and another comes"),
    ("/agents/members/desk/governance/foreseeable_misuse/0", "one goes and another comes"),
    ("/agents/members/desk/governance/independent_of/axes/0", "one goes and another comes"),
    ("/agents/members/desk/input_modes", "the default takes the place of the list"),
    ("/agents/members/desk/output_modes", "the default takes the place of the list"),
    ("/agents/members/desk/tags/0", "one goes and another comes"),
    ("/agents/members/other/tags/0", "one goes and another comes"),
    ("/metadata/governance/approved_environments/0", "one goes and another comes"),
    ("/metadata/governance/foreseeable_misuse/0", "one goes and another comes"),
    ("/metadata/governance/independent_of/axes/0", "one goes and another comes"),
    ("/prompts/desk/provider", "an optional provider that nothing named before is a risk of its own"),
    ("/workflow/engine", "every limit comes or goes"),
    ("/workflow/engine/budget", "every limit comes or goes"),
    ("/workflow/states", "every state comes or goes"),
    ("/workflow/states/ask/on_event", "every event comes or goes"),
];

/// Edits that no rule sees, and why.
const SILENT: [(&str, &str); 2] = [
    (
        "/agents/members/desk/governance/independent_of/enforcement",
        "`advisory` is what counts where nothing is said",
    ),
    ("/agents/members/desk/governance/requires_ai_disclosure", "the agent inherits the same from the pack"),
];

/// A pack in which every field of these sections says something.
#[expect(clippy::too_many_lines, reason = "one pack that holds every field, nothing else")]
pub(crate) fn maximal() -> Value {
    let governance = json!({
        "vocabularies": { "acme": "https://acme.example/terms#" },
        "intended_purpose": "Answers questions.",
        "foreseeable_misuse": ["Giving advice."],
        "autonomy_level": "acts_with_approval",
        "accountable_owner": "acme:Owner",
        "operator_role": "acme:Deployer",
        "risk_classification": "acme:Limited",
        "intended_deployment_contexts": ["acme:Support"],
        "capabilities": ["acme:Answering"],
        "approved_environments": ["staging"],
        "requires_ai_disclosure": true,
        "independent_of": { "axes": ["model"], "enforcement": "strict" },
        "obligations": [{
            "id": "accuracy",
            "obligation": "acme:Accuracy",
            "controls": [{ "validator": "short" }],
            "applies_to": { "capability": "acme:Answering" },
            "note": "Measured.",
            "extensions": { "x": 1 }
        }],
        "reviews": [{
            "id": "yearly",
            "type": "acme:Audit",
            "cadence": "P1Y",
            "owner": "quality",
            "satisfies": ["accuracy"],
            "eval": "fair",
            "extensions": { "x": 1 }
        }],
        "extensions": { "x": 1 }
    });
    let mut of_agent = governance.to_string();
    // Other values than the pack's, so that nothing is the same where the agent's own field goes.
    for (from, to) in [
        ("acme:", "acme:My"),
        ("acts_with_approval", "acts_autonomously"),
        ("Answers", "Repeats"),
        ("Giving", "Taking"),
        ("model", "tools"),
        ("staging", "edge"),
        ("strict", "advisory"),
        ("{\"x\":1}", "{\"x\":2}"),
    ] {
        of_agent = of_agent.replace(from, to);
    }
    let mut of_agent: Value = serde_json::from_str(&of_agent).expect("JSON");
    for field in ["vocabularies", "obligations", "reviews"] {
        of_agent.as_object_mut().expect("an object").remove(field);
    }
    json!({
        "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
        "id": "desk",
        "name": "Desk",
        "version": "1.0.0",
        "description": "A desk.",
        "template_engine": { "version": "v1", "syntax": "{{variable}}" },
        "prompts": {
            "desk": {
                "id": "desk",
                "name": "Desk",
                "version": "1.0.0",
                "system_template": "Answer the question.",
                "provider": "spare",
                "tools": ["send"],
                "validators": [{ "id": "short", "type": "max_length", "fail_on_violation": true, "extensions": { "x": 1 } }],
                "evals": [{ "id": "fair", "type": "llm_judge", "trigger": "every_turn", "extensions": { "x": 1 } }],
                "extensions": { "x": 1 }
            },
            "other": { "id": "other", "name": "Other", "version": "1.0.0", "system_template": "Say goodbye." }
        },
        "tools": { "send": {
            "name": "send",
            "description": "Sends.",
            "action_scope": {
                "effect": "write",
                "reversibility": "compensable",
                "data_classes": ["pd:Name"],
                "extensions": { "x": 1 }
            },
            "extensions": { "x": 1 }
        } },
        "compositions": { "flow": {
            "version": 1,
            "steps": [{ "id": "one", "kind": "prompt", "prompt_task": "desk", "provider": "other" }],
            "extensions": { "x": 1 }
        } },
        "workflow": {
            "version": 1,
            "entry": "ask",
            "engine": {
                "timeout_sec": 30,
                "budget": { "max_total_visits": 9, "max_tool_calls": 9, "max_wall_time_sec": 9 }
            },
            "states": {
                "ask": {
                    "prompt_task": "desk",
                    "description": "Asks.",
                    "on_event": { "Done": "end", "Flow": "flow" },
                    "persistence": "persistent",
                    "orchestration": "hybrid",
                    "skills": "./skills",
                    "max_visits": 3,
                    "on_max_visits": "end",
                    "control": "agent",
                    "artifacts": { "ticket": { "type": "string", "description": "A ticket.", "mode": "append" } },
                    "extensions": { "x": 1 }
                },
                "flow": { "orchestration": "composition", "composition": "flow", "on_event": { "Ready": "end" } },
                "end": { "prompt_task": "other", "terminal": true }
            }
        },
        "agents": {
            "entry": "desk",
            "members": {
                "desk": {
                    "description": "A desk.",
                    "tags": ["desk"],
                    "input_modes": ["image/png"],
                    "output_modes": ["image/png"],
                    "state": "ask",
                    "governance": of_agent,
                    "extensions": { "x": 1 }
                },
                "other": { "tags": ["other"] }
            }
        },
        "requires": { "providers": ["other", { "key": "spare", "role": "llm", "required": false }] },
        "metadata": { "governance": governance }
    })
}

/// Whether these sections judge what stands there.
fn is_judged(pointer: &str) -> bool {
    const ROOTS: [&str; 4] = ["/workflow", "/agents", "/metadata/governance", "/tools/send/action_scope"];
    let own = ROOTS
        .iter()
        .any(|root| pointer.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    let last = pointer.rsplit('/').next().unwrap_or_default();
    own || matches!(last, "extensions" | "provider" | "fail_on_violation")
        || pointer == "/prompts/desk/validators/0/id"
}

/// Every place, the containers before what they hold.
fn pointers(value: &Value, pointer: String, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    for (step, child) in children {
        let pointer = format!("{pointer}/{step}");
        found.push(pointer.clone());
        pointers(child, pointer, found);
    }
}

fn removed(pack: &Value, pointer: &str) -> Value {
    let mut pack = pack.clone();
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
    match pack.pointer_mut(parent).expect("a place in the pack") {
        Value::Object(members) => {
            members.remove(last);
        }
        Value::Array(items) => {
            items.remove(last.parse().expect("a position"));
        }
        _ => panic!("{pointer} is in no container"),
    }
    pack
}

/// Other words that are allowed where any word is not.
const WORDS: [(&str, &str); 11] = [
    ("/autonomy_level", "suggests"),
    ("/control", "user"),
    ("/effect", "read"),
    ("/metadata/governance/independent_of/enforcement", "advisory"),
    ("/enforcement", "strict"),
    ("/mode", "replace"),
    ("/cadence", "P2Y"),
    ("/orchestration", "external"),
    ("/reversibility", "reversible"),
    ("/satisfies/0", "honesty"),
    ("/data_classes/0", "pd:Mail"),
];

/// The pack with another value of the same type; nothing for containers.
fn changed(pack: &Value, pointer: &str) -> Option<Value> {
    let word = WORDS.iter().find(|(end, _)| pointer.ends_with(end)).map(|(_, word)| *word);
    let value = match pack.pointer(pointer)? {
        Value::String(text) => json!(word.map_or(format!("{text}x"), str::to_owned)),
        Value::Number(number) => json!(number.as_u64()? + 1),
        Value::Bool(flag) => json!(!flag),
        _ => return None,
    };
    let mut pack = pack.clone();
    *pack.pointer_mut(pointer)? = value;
    Some(pack)
}

fn rules_between(old: &Value, new: &Value) -> Vec<String> {
    let document = |value: &Value| Document::parse(value.to_string().as_bytes()).0.expect("JSON");
    let (old, new) = (document(old), document(new));
    let version = |document| Version { document, path: "desk.pack.json", tree: None };
    let changes = diff(version(&old), version(&new), DiffOptions::default()).changes;
    changes.into_iter().map(|change| change.rule).filter(|rule| !ON_TOP.contains(&rule.as_str())).collect()
}

#[test]
fn every_field_of_workflow_and_governance_is_seen_once() {
    let pack = maximal();
    let mut all = Vec::new();
    pointers(&pack, String::new(), &mut all);
    let mut mistakes = BTreeSet::new();
    let mut unused: BTreeSet<&str> = SEVERAL.iter().chain(&SILENT).map(|(pointer, _)| *pointer).collect();
    for pointer in all.iter().filter(|pointer| is_judged(pointer)) {
        let without = removed(&pack, pointer);
        let mut edits =
            vec![("removed", rules_between(&pack, &without)), ("added", rules_between(&without, &pack))];
        edits.extend(changed(&pack, pointer).map(|other| ("changed", rules_between(&pack, &other))));
        for (edit, rules) in edits {
            let listed = match rules.len() {
                0 => SILENT.iter().any(|(known, _)| known == pointer),
                1 => continue,
                _ => SEVERAL.iter().any(|(known, _)| known == pointer),
            };
            if listed {
                unused.remove(pointer.as_str());
            } else {
                mistakes.insert(format!("{pointer} {edit}: seen by {rules:?}"));
            }
        }
    }
    mistakes.extend(unused.into_iter().map(|pointer| format!("{pointer} is listed for nothing")));
    assert!(
        mistakes.is_empty(),
        "{} mistakes:\n{}",
        mistakes.len(),
        mistakes.into_iter().collect::<Vec<_>>().join("\n")
    );
}
