//! Every field of guardrails, evals, pipelines, media, skills, compositions and providers counts.
//!
//! In a pack that uses all of them, removing, adding or changing one field gives one finding. Where it gives none or
//! several, the table says why.

use std::collections::BTreeSet;
use std::fs;

use pack::{Document, Pointer};
use rules::{DiffOptions, Version, diff};
use serde_json::Value;

use crate::fixture::root;

/// The parts that are walked through.
const PARTS: [&str; 9] = [
    "/prompts/answer/parameters",
    "/prompts/answer/validators",
    "/prompts/answer/evals",
    "/prompts/answer/pipeline",
    "/prompts/answer/media",
    "/evals",
    "/skills",
    "/compositions/resolve",
    "/requires",
];

/// What an edit does to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Remove,
    Add,
    Change,
}
use Edit::{Add, Change, Remove};

/// How many findings an edit gives instead of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Several,
}
use Gives::{Nothing, Several};

/// An edit that does not give exactly one finding.
struct Listed {
    /// The pointer; `*` stands for one token, `**` at the end for any number.
    place: &'static str,
    edits: &'static [Edit],
    gives: Gives,
    why: &'static str,
}

const fn row(place: &'static str, edits: &'static [Edit], gives: Gives, why: &'static str) -> Listed {
    Listed { place, edits, gives, why }
}

const LISTED: &[Listed] = &[
    row("/prompts/answer/parameters", &[Remove, Add], Several, "each parameter is judged for itself"),
    row("/prompts/answer/validators", &[Remove, Add], Several, "each guardrail is a loss of its own"),
    row(
        "/prompts/answer/validators/0/enabled",
        &[Remove, Add],
        Nothing,
        "a guardrail is on where nothing is said",
    ),
    row(
        "/prompts/answer/validators/*/type",
        &[Remove, Add, Change],
        Several,
        "a guardrail of another type is another guardrail",
    ),
    row("/prompts/answer/evals", &[Remove, Add], Several, "each eval is judged for itself"),
    row(
        "/prompts/answer/evals/1",
        &[Remove, Add],
        Several,
        "the eval of the pack with the same id takes its place",
    ),
    row(
        "/prompts/answer/evals/*/id",
        &[Remove, Add, Change],
        Several,
        "an eval with another id is another eval",
    ),
    row("/prompts/answer/pipeline/stages", &[Remove, Add], Several, "each stage is judged for itself"),
    row(
        "/prompts/answer/pipeline/stages/*",
        &[Change],
        Several,
        "another stage takes the place of one that goes",
    ),
    row(
        "/prompts/answer/pipeline/middleware",
        &[Remove, Add],
        Several,
        "each middleware is judged for itself",
    ),
    row(
        "/prompts/answer/pipeline/middleware/*/type",
        &[Remove, Add, Change],
        Several,
        "another middleware takes the place of one that goes",
    ),
    row(
        "/prompts/answer/media/supported_types/*",
        &[Change],
        Several,
        "another type takes the place of one that goes",
    ),
    row(
        "/prompts/answer/media/*/allowed_formats/*",
        &[Change],
        Several,
        "another format takes the place of one that goes",
    ),
    row("/prompts/answer/media/*", &[Remove, Add], Several, "each setting of a type is judged for itself"),
    row(
        "/prompts/answer/media/examples/*/name",
        &[Remove, Add, Change],
        Several,
        "an example with another name is another example",
    ),
    row("/evals", &[Remove, Add], Several, "each eval is judged for itself"),
    row("/evals/0/enabled", &[Remove, Add], Nothing, "an eval is on where nothing is said"),
    row("/evals/*/id", &[Remove, Add, Change], Several, "an eval with another id is another eval"),
    row("/skills", &[Remove, Add], Several, "each skill is judged for itself"),
    row("/skills/0", &[Change], Several, "another path is another skill unless the files there are equal"),
    row(
        "/skills/*/path",
        &[Change],
        Several,
        "another path is another skill unless the files there are equal",
    ),
    row(
        "/compositions/resolve/output",
        &[Remove, Add],
        Nothing,
        "the last step gives the output where nothing is said",
    ),
    row(
        "/compositions/resolve/steps",
        &[Remove, Add],
        Several,
        "each step is judged for itself, and the output comes from one of them",
    ),
    row("/compositions/resolve/steps/4", &[Remove, Add], Several, "the last step gives the output"),
    row(
        "/compositions/resolve/steps/*/id",
        &[Remove, Add, Change],
        Several,
        "what still names the old id is another change each",
    ),
    row(
        "/compositions/resolve/steps/0/modifiers",
        &[Remove, Add],
        Several,
        "each modifier is judged for itself",
    ),
    row("/compositions/resolve/steps/3/branches", &[Remove, Add], Several, "each step is judged for itself"),
    row(
        "/compositions/resolve/steps/*/depends_on",
        &[Remove, Add],
        Nothing,
        "a step waits for the one before it where nothing is said",
    ),
    row("/compositions/resolve/steps/*/depends_on/*", &[Remove, Add], Nothing, "an empty list says nothing"),
    row(
        "/compositions/resolve/steps/4/termination",
        &[Remove, Add],
        Several,
        "each end of the loop is judged for itself",
    ),
    row(
        "/compositions/resolve/steps/4/termination/tool_called",
        &[Change],
        Several,
        "one end of the loop goes and another comes",
    ),
    row("/requires", &[Remove, Add], Several, "each provider is judged for itself"),
    row("/requires/providers", &[Remove, Add], Several, "each provider is judged for itself"),
    row("/requires/providers/0/key", &[Change], Several, "the primary model stays required without an entry"),
    row(
        "/requires/providers/*/role",
        &[Remove, Add],
        Nothing,
        "a provider is a language model where nothing is said",
    ),
    row(
        "/requires/providers/1/capabilities",
        &[Remove, Add],
        Several,
        "each capability is judged for itself",
    ),
    row(
        "/requires/providers/1/capabilities/modalities/*",
        &[Change],
        Several,
        "another modality takes the place of one that goes",
    ),
];

fn fits(pattern: &str, pointer: &str) -> bool {
    let (mut pattern, mut pointer) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (pattern.next(), pointer.next()) {
            (None, None) | (Some("**"), _) => return true,
            (Some("*"), Some(_)) => {}
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}

/// The fields below the parts, outermost first.
fn fields(pack: &Value) -> Vec<String> {
    let mut open: Vec<String> = PARTS.iter().map(|part| (*part).to_owned()).collect();
    let mut next = 0;
    while let Some(pointer) = open.get(next).cloned() {
        let value = pack.pointer(&pointer).unwrap_or_else(|| panic!("{pointer}: the pack lacks it"));
        match value {
            Value::Object(members) => {
                open.extend(members.keys().map(|key| format!("{pointer}/{}", escaped(key))))
            }
            Value::Array(items) => open.extend((0..items.len()).map(|at| format!("{pointer}/{at}"))),
            _ => {}
        }
        next += 1;
    }
    open
}

fn escaped(key: &str) -> String {
    let mut pointer = Pointer::root();
    pointer.push(key);
    pointer.to_string().split_off(1)
}

fn without(pack: &Value, pointer: &str) -> Value {
    let mut pack = pack.clone();
    let (parent, token) = pointer.rsplit_once('/').expect("a field has a parent");
    match pack.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&token.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            items.remove(token.parse().expect("a position"));
        }
        _ => panic!("{pointer}: no parent"),
    }
    pack
}

/// Another scalar of the same type.
fn changed(pack: &Value, pointer: &str) -> Option<Value> {
    let mut pack = pack.clone();
    let value = pack.pointer_mut(pointer).expect("a field that is there");
    *value = match &*value {
        Value::String(text) => Value::from(format!("{text}x")),
        Value::Bool(flag) => Value::from(!flag),
        Value::Number(number) => Value::from(number.as_f64().expect("a number") + 1.0),
        _ => return None,
    };
    Some(pack)
}

fn rules(old: &Value, new: &Value) -> Vec<String> {
    let document = |value: &Value| Document::parse(value.to_string().as_bytes()).0.expect("JSON");
    let (old, new) = (document(old), document(new));
    let version = |document| Version { document, path: "desk.pack.json", tree: None };
    let changes = diff(version(&old), version(&new), DiffOptions::default()).changes;
    let own = changes.into_iter().map(|change| change.rule);
    // The floor moves on top of whatever moved it.
    own.filter(|rule| !rule.starts_with("runtime-floor-")).collect()
}

#[test]
fn every_field_gives_one_finding() {
    let text = fs::read_to_string(root().join("changes/base-parts.pack.json")).expect("the pack");
    let pack: Value = serde_json::from_str(&text).expect("JSON");
    let (mut mistakes, mut needed) = (Vec::new(), BTreeSet::new());
    for pointer in fields(&pack) {
        let less = without(&pack, &pointer);
        let mut runs = vec![(Remove, rules(&pack, &less)), (Add, rules(&less, &pack))];
        runs.extend(changed(&pack, &pointer).map(|other| (Change, rules(&pack, &other))));
        for (edit, found) in runs {
            let listed = LISTED.iter().position(|row| row.edits.contains(&edit) && fits(row.place, &pointer));
            let fits = match (found.len(), listed.map(|row| LISTED[row].gives)) {
                (1, _) => true,
                (0, gives) => gives == Some(Nothing),
                (_, gives) => gives == Some(Several),
            };
            if found.len() != 1 {
                needed.extend(listed);
            }
            if !fits {
                mistakes.push(format!("{pointer} {edit:?}: {found:?}"));
            }
        }
    }
    for row in LISTED.iter().enumerate().filter(|(at, _)| !needed.contains(at)).map(|(_, row)| row) {
        mistakes.push(format!("{} is listed for nothing ({})", row.place, row.why));
    }
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}
