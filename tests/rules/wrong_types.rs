//! No edit of a pack passes without a word: in packs that use every field, each field gets values of other types, and
//! both directions must say something.

use std::collections::BTreeSet;
use std::fs;

use pack::Document;
use rules::{Change, DiffOptions, Version, diff};
use serde_json::{Value, json};

use crate::completeness_workflow::maximal;
use crate::everything::newest;
use crate::fixture::{in_parallel, root};

/// Numbers that doubles round, in pairs, and as `serde_json` values: texts that stand for them.
const ROUNDED: [[&str; 2]; 4] = [
    ["1e400", "1e500"],
    ["9007199254740992", "9007199254740993"],
    ["1e20", "2e20"],
    ["-1e20", "100000000000000000001"],
];

fn rounded(number: &str) -> Value {
    Value::String(format!("number {number}"))
}

fn document(value: &Value) -> Document {
    let mut text = value.to_string();
    for number in ROUNDED.as_flattened() {
        text = text.replace(&rounded(number).to_string(), number);
    }
    Document::parse(text.as_bytes()).0.expect("JSON")
}

fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let (old, new) = (document(old), document(new));
    let version = |document| Version { document, path: "desk.pack.json", tree: None };
    diff(version(&old), version(&new), DiffOptions::default()).changes
}

fn is_silent(old: &Value, new: &Value) -> bool {
    changes(old, new).is_empty()
}

/// What is said of a place by `unknown-field-changed` and by another rule too.
fn said_twice(changes: &[Change]) -> Option<String> {
    let is_unknown = |change: &&Change| change.rule == "unknown-field-changed";
    let is_within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    changes.iter().filter(is_unknown).find_map(|unknown| {
        let place = unknown.place.to_string();
        let others = changes.iter().filter(|change| !is_unknown(change));
        // What the pack needs of a runtime follows from the other changes.
        let mut others = others.filter(|change| !change.rule.starts_with("runtime-floor-"));
        let other = others.find(|change| {
            let other = change.place.to_string();
            is_within(&place, &other) || is_within(&other, &place)
        });
        other.map(|other| format!("{} and {place}", other.rule))
    })
}

/// Every place of a value, with what holds it and the last token.
fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(pointer) = found.get(next).cloned() {
        match value.pointer(&pointer).expect("a visited place") {
            Value::Object(members) => {
                let keys = members.keys().map(|key| key.replace('~', "~0").replace('/', "~1"));
                found.extend(keys.map(|key| format!("{pointer}/{key}")));
            }
            Value::Array(items) => found.extend((0..items.len()).map(|at| format!("{pointer}/{at}"))),
            _ => {}
        }
        next += 1;
    }
    found.remove(0);
    found
}

fn with(pack: &Value, pointer: &str, value: &Value) -> Value {
    let mut pack = pack.clone();
    *pack.pointer_mut(pointer).expect("a visited place") = value.clone();
    pack
}

fn without(pack: &Value, pointer: &str) -> Value {
    let mut pack = pack.clone();
    let (parent, token) = pointer.rsplit_once('/').expect("a place below the root");
    match pack.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.remove(&token.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(items)) => drop(items.remove(token.parse().expect("a position"))),
        _ => panic!("{pointer}: no parent"),
    }
    pack
}

/// Values of every type, two of those that can be empty.
fn values() -> [Value; 9] {
    [
        json!(null),
        json!(true),
        json!(7),
        json!(1.5),
        json!("é"),
        json!([]),
        json!([7]),
        json!({}),
        json!({"zz": 1}),
    ]
}

/// How many values each place gets: one, and the next place another one, unless a longer run is asked for.
fn rounds(base: usize) -> usize {
    let factor = std::env::var("PACKHOUSE_ROUNDS").ok().and_then(|text| text.parse::<usize>().ok());
    base * factor.unwrap_or(1)
}

/// Whether the value means the same as none at the place.
fn is_as_absent(place: &str, value: &Value) -> bool {
    let is_empty_input = place.ends_with("/input") && *value == json!({});
    let is_unset = value.is_null() && (place.ends_with("/top_k") || place.ends_with("/example"));
    let is_any = place.contains("/parameters/properties/") && *value == json!(true);
    // Every agent of that pack declares vendor data of its own, which count instead.
    is_empty_input || is_unset || is_any || place == "/metadata/governance/extensions/acme.note"
}

fn kind(value: &Value) -> std::mem::Discriminant<Value> {
    std::mem::discriminant(value)
}

fn packs() -> [Value; 3] {
    let parts = fs::read_to_string(root().join("changes/base-parts.pack.json")).expect("the pack");
    [newest(), maximal(), serde_json::from_str(&parts).expect("JSON")]
}

/// A pack, a place in it, and the position of that place among all.
type Case<'p> = (usize, &'p Value, String);

/// Runs the check over every place of every pack, and fails with what it says of them.
fn check_places(check: impl Fn(&Case<'_>) -> Vec<String> + Sync) {
    let packs = packs();
    let places = packs.iter().flat_map(|pack| places(pack).into_iter().map(move |place| (pack, place)));
    let cases: Vec<Case<'_>> = places.enumerate().map(|(at, (pack, place))| (at, pack, place)).collect();
    let mistakes = std::sync::Mutex::new(BTreeSet::new());
    in_parallel(&cases, |case| mistakes.lock().expect("no panic").extend(check(case)));
    let mistakes = mistakes.into_inner().expect("no panic");
    let list = mistakes.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(mistakes.is_empty(), "{} mistakes:\n{list}", mistakes.len());
}

#[test]
fn values_of_other_types_are_told_and_told_once() {
    check_places(|(at, pack, place)| {
        let mut mistakes = Vec::new();
        let current = pack.pointer(place).expect("a visited place");
        let absent = without(pack, place);
        let others: Vec<Value> = values().into_iter().filter(|value| kind(value) != kind(current)).collect();
        for value in others.iter().cycle().skip(*at).take(rounds(1).min(others.len())) {
            let odd = with(pack, place, value);
            let mut said = Vec::new();
            let set = changes(pack, &odd);
            if set.is_empty() {
                said.push("set".to_owned());
            }
            said.extend(said_twice(&set));
            if is_silent(&odd, pack) {
                said.push("reset".to_owned());
            }
            if is_silent(&absent, &odd) && !is_as_absent(place, value) {
                said.push("added".to_owned());
            }
            if is_silent(&odd, &absent) && !is_as_absent(place, value) {
                said.push("removed".to_owned());
            }
            if !said.is_empty() {
                mistakes.push(format!("{place} {value} {said:?}"));
            }
        }
        mistakes
    });
}

#[test]
fn numbers_beyond_doubles_are_told_apart_everywhere() {
    check_places(|(at, pack, place)| {
        let absent = without(pack, place);
        let mut mistakes = Vec::new();
        for [one, two] in ROUNDED.iter().cycle().skip(*at).take(rounds(1).min(ROUNDED.len())) {
            let [low, high] = [one, two].map(|number| with(pack, place, &rounded(number)));
            for (old, new, what) in [
                (&low, &high, "raised"),
                (&high, &low, "lowered"),
                (pack, &low, "set"),
                (&high, pack, "reset"),
                (&absent, &low, "added"),
                (&high, &absent, "removed"),
            ] {
                let changes = changes(old, new);
                let is_nothing = matches!(what, "added" | "removed") && is_as_absent(place, &rounded(one));
                if changes.is_empty() && !is_nothing {
                    mistakes.push(format!("{place} {one} {two} {what}"));
                }
                mistakes
                    .extend(said_twice(&changes).map(|twice| format!("{place} {one} {two} {what}: {twice}")));
            }
        }
        mistakes
    });
}

/// A pack in which `bound` limits a variable, an argument, and stands for a cost.
fn bounded(bound: &str) -> Document {
    let pack = r#"{
        "id": "desk", "name": "Desk", "version": "1.0.0", "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "metadata": {"cost_estimate": {"avg_cost_usd": BOUND}},
        "tools": {"pay": {"name": "pay", "description": "Pays.", "parameters": {
            "type": "object", "properties": {"sum": {"type": "number", "maximum": BOUND}}}}},
        "prompts": {"ask": {"id": "ask", "name": "Ask", "version": "1.0.0", "system_template": "{{sum}}",
            "variables": [{"name": "sum", "type": "number", "validation": {"maximum": BOUND}}], "tools": ["pay"]}}
    }"#;
    Document::parse(pack.replace("BOUND", bound).as_bytes()).0.expect("JSON")
}

#[test]
fn numbers_that_doubles_round_are_told_apart() {
    let rules = |old: &str, new: &str| {
        let (old, new) = (bounded(old), bounded(new));
        let version = |document| Version { document, path: "desk.pack.json", tree: None };
        let report = diff(version(&old), version(&new), DiffOptions::default());
        report.changes.iter().map(|change| change.rule.clone()).collect::<BTreeSet<_>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    for equal in [["1e22", "10000000000000000000000"], ["9999999999999999999999", "9999999999999999999999.0"]]
    {
        assert_eq!(rules(equal[0], equal[1]), BTreeSet::new(), "{equal:?}");
    }
    assert_eq!(
        rules("1e22", "9999999999999999999999"),
        names(&["metadata-cost-changed", "tool-param-undecidable", "variable-maximum-decreased"])
    );
    assert_eq!(
        rules("1e400", "1e500"),
        names(&["metadata-cost-changed", "tool-param-undecidable", "variable-maximum-increased"])
    );
    let far = format!("1e{}", "9".repeat(31));
    assert!(rules(&far, &format!("1{}", "0".repeat(99))).contains("variable-maximum-decreased"));
    assert!(rules("1e400", &far).contains("variable-maximum-increased"));
    for [low, high] in
        [["9007199254740992", "9007199254740993"], ["9223372036854775807", "9223372036854775808"]]
    {
        assert!(rules(high, low).contains("variable-maximum-decreased"), "{high} -> {low}");
        assert!(rules(low, high).contains("variable-maximum-increased"), "{low} -> {high}");
    }
}

/// A pack whose limits are all `limit`; without one where it is empty.
fn limited(limit: &str) -> Document {
    let member = |name: &str| match limit {
        "" => "{}".to_owned(),
        _ => format!(r#"{{"{name}": {limit}}}"#),
    };
    let state = member("max_visits").replace(
        '}',
        if limit.is_empty() { r#""prompt_task": "ask"}"# } else { r#", "prompt_task": "ask"}"# },
    );
    let text = format!(
        r#"{{
        "id": "desk", "name": "Desk", "version": "1.0.0", "template_engine": {{"version": "v1", "syntax": "{{{{variable}}}}"}},
        "prompts": {{"ask": {{"id": "ask", "name": "Ask", "version": "1.0.0", "system_template": "Hello.",
            "parameters": {parameters}, "tool_policy": {policy},
            "media": {{"enabled": true, "supported_types": ["image"], "image": {image}}}}}}},
        "workflow": {{"version": 2, "entry": "start", "engine": {{"budget": {budget}}}, "states": {{"start": {state}}}}},
        "requires": {{"providers": [{{"key": "chat", "role": "llm", "capabilities": {capabilities}}}]}}
    }}"#,
        parameters = member("max_tokens"),
        policy = member("max_rounds"),
        image = member("max_size_mb"),
        budget = member("max_total_visits"),
        capabilities = member("min_context_tokens"),
    );
    Document::parse(text.as_bytes()).0.expect("JSON")
}

#[test]
fn limits_move_the_right_way_however_large_they_are() {
    let rules = |old: &str, new: &str| -> Vec<String> {
        let (old, new) = (limited(old), limited(new));
        let version = |document| Version { document, path: "desk.pack.json", tree: None };
        let report = diff(version(&old), version(&new), DiffOptions::default());
        let rules = report.changes.iter().map(|change| change.rule.clone());
        rules
            .filter(|rule| !rule.starts_with("runtime-floor-"))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    let lowered = [
        "budget-decreased",
        "media-limit-decreased",
        "parameter-max-tokens-decreased",
        "provider-capability-lowered",
        "state-max-visits-decreased",
        "tool-policy-max-rounds-decreased",
    ];
    let raised = [
        "budget-increased",
        "media-limit-increased",
        "parameter-max-tokens-increased",
        "provider-capability-raised",
        "state-max-visits-increased",
        "tool-policy-max-rounds-increased",
    ];
    for [low, high] in
        [["7", "8"], ["9007199254740992", "9007199254740993"], ["1e20", "2e20"], ["1e400", "1e500"]]
    {
        assert_eq!(rules(high, low), lowered, "{high} -> {low}");
        assert_eq!(rules(low, high), raised, "{low} -> {high}");
    }
    let added = [
        "budget-added",
        "media-limit-added",
        "parameter-max-tokens-decreased",
        "provider-capability-raised",
        "state-max-visits-added",
        "tool-policy-max-rounds-increased",
    ];
    for limit in ["1e16", "1e400"] {
        assert_eq!(rules("", limit), added, "none -> {limit}");
    }
}
