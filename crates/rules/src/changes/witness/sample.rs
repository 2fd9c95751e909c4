//! Small values that a variable allows.

use std::collections::BTreeMap;

use pack::digest::canonical;
use serde_json::{Map, Value};

use crate::changes::side::VariableSide;
use crate::changes::variables::{Constraints, listed, number_value};
use crate::subset::is_marked;

/// Texts for patterns that say nothing of their own accord.
const TEXTS: [&str; 19] = [
    "",
    "a",
    "A",
    "0",
    "1",
    "aa",
    "en",
    "EN",
    "a1",
    "A1",
    "abc",
    "ABC",
    "123",
    "a-b",
    "a_b",
    "en-US",
    "a@b.cc",
    "2026-01-01",
    "https://a.bc",
];

/// The longest text that is made up.
const MAX_LENGTH: f64 = 10_000.0;

/// Values around the borders of what the constraints allow, the smallest first.
pub(super) fn values(side: &VariableSide<'_>, constraints: &[&Constraints<'_>]) -> Vec<Value> {
    let mut found: BTreeMap<(usize, bool, String), Value> = BTreeMap::new();
    let mut add = |value: Value| {
        let text = canonical(&value);
        // Of equally short values the one that reads like a word comes first.
        let is_odd = !text.trim_start_matches('"').starts_with(|c: char| c.is_ascii_lowercase());
        found.insert((text.chars().count(), is_odd, text), value);
    };
    let own = [side.variable.get("default"), side.variable.get("example")];
    own.into_iter().flatten().map(|node| node.to_value()).for_each(&mut add);
    for text in TEXTS {
        add(Value::from(text));
    }
    for value in [
        Value::from(false),
        Value::from(0),
        Value::from(0.5),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ] {
        add(value);
    }
    for rules in constraints {
        let members = rules.enumeration.iter().flat_map(BTreeMap::values);
        members.filter(|value| !is_marked(value)).cloned().for_each(&mut add);
        rules.pattern.and_then(listed).into_iter().flatten().map(Value::from).for_each(&mut add);
        for bound in [rules.min_length, rules.max_length].into_iter().flatten().map(|bound| bound.number) {
            for length in [bound - 1.0, bound, bound + 1.0] {
                if (1.0..=MAX_LENGTH).contains(&length) {
                    add(Value::from("a".repeat(length as usize)));
                }
            }
        }
        for bound in [rules.minimum, rules.maximum].into_iter().flatten() {
            bound.neighbours().into_iter().for_each(&mut add);
            let bound = bound.number;
            for number in
                [bound - 1.0, bound - 0.5, bound, bound + 0.5, bound + 1.0, bound.ceil(), bound.floor()]
            {
                add(number_value(number));
            }
        }
    }
    found.into_values().collect()
}

/// Values in the order of their size, with one more among them; of equally large ones it comes last.
pub(super) fn among(mut values: Vec<Value>, more: Option<Value>) -> Vec<Value> {
    let size = |value: &Value| canonical(value).chars().count();
    if let Some(value) = more {
        let at = values.iter().position(|other| size(other) > size(&value));
        values.insert(at.unwrap_or(values.len()), value);
    }
    values
}

/// A value with the parts that paths read.
pub(super) fn with_parts(value: Value, paths: impl Iterator<Item = String>) -> Value {
    let mut value = value;
    for path in paths {
        let keys: Vec<&str> = path.split('.').skip(1).collect();
        insert(&mut value, &keys);
    }
    value
}

fn insert(value: &mut Value, keys: &[&str]) {
    let Some((key, rest)) = keys.split_first() else {
        if value.is_null() {
            *value = Value::from("a");
        }
        return;
    };
    let index = key.parse::<usize>().ok().filter(|index| *index < 1000 && !value.is_object());
    if let Some(index) = index {
        if !value.is_array() {
            *value = Value::Array(Vec::new());
        }
        if let Value::Array(items) = value {
            while items.len() <= index {
                items.push(Value::Null);
            }
            insert(&mut items[index], rest);
        }
        return;
    }
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(members) = value {
        insert(members.entry((*key).to_owned()).or_insert(Value::Null), rest);
    }
}
