//! No edit of a pack passes without a word: in packs that use every field, each field gets values of other types, and
//! both directions must say something.

use std::collections::BTreeSet;
use std::fs;

use pack::Document;
use rules::{DiffOptions, Version, diff};
use serde_json::{Value, json};

use crate::completeness_workflow::maximal;
use crate::everything::newest;
use crate::fixture::{in_parallel, root};

fn document(value: &Value) -> Document {
    Document::parse(value.to_string().as_bytes()).0.expect("JSON")
}

fn is_silent(old: &Value, new: &Value) -> bool {
    let (old, new) = (document(old), document(new));
    let version = |document| Version { document, path: "desk.pack.json", tree: None };
    diff(version(&old), version(&new), DiffOptions::default()).changes.is_empty()
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

#[test]
fn values_of_other_types_are_never_silent() {
    let parts = fs::read_to_string(root().join("changes/base-parts.pack.json")).expect("the pack");
    let packs = [newest(), maximal(), serde_json::from_str(&parts).expect("JSON")];
    let places = packs.iter().flat_map(|pack| places(pack).into_iter().map(move |place| (pack, place)));
    let cases: Vec<(usize, &Value, String)> =
        places.enumerate().map(|(at, (pack, place))| (at, pack, place)).collect();
    let mistakes = std::sync::Mutex::new(BTreeSet::new());
    in_parallel(&cases, |(at, pack, place)| {
        let current = pack.pointer(place).expect("a visited place");
        let absent = without(pack, place);
        let others: Vec<Value> = values().into_iter().filter(|value| kind(value) != kind(current)).collect();
        for value in others.iter().cycle().skip(*at).take(rounds(1).min(others.len())) {
            let odd = with(pack, place, value);
            let mut said = Vec::new();
            if is_silent(pack, &odd) {
                said.push("set");
            }
            if is_silent(&odd, pack) {
                said.push("reset");
            }
            if is_silent(&absent, &odd) && !is_as_absent(place, value) {
                said.push("added");
            }
            if is_silent(&odd, &absent) && !is_as_absent(place, value) {
                said.push("removed");
            }
            if !said.is_empty() {
                mistakes.lock().expect("no panic").insert(format!("{place} {value} {said:?}"));
            }
        }
    });
    let mistakes = mistakes.into_inner().expect("no panic");
    assert!(
        mistakes.is_empty(),
        "{} silent edits:\n{}",
        mistakes.len(),
        mistakes.into_iter().collect::<Vec<_>>().join("\n")
    );
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
