//! Makes a counterexample small, so that a reader sees the point.

use serde_json::{Map, Value};

/// How many smaller values are tried, and how many nodes all of them may have together.
const MAX_TRIES: usize = 400;
const MAX_NODES: usize = 40_000;

/// The smallest value that still separates, as far as single steps lead: members and items go first, then texts get
/// shorter and numbers simpler. The order of steps is fixed, so the result is always the same.
pub(super) fn shrink(value: Value, separates: &mut dyn FnMut(&Value) -> bool) -> Value {
    let mut value = value;
    let limit = MAX_TRIES.min(MAX_NODES / nodes(&value));
    let mut tries = 0;
    loop {
        let mut found = None;
        for smaller in smaller(&value) {
            tries += 1;
            if tries > limit {
                break;
            }
            if separates(&smaller) {
                found = Some(smaller);
                break;
            }
        }
        match found {
            Some(smaller) => value = smaller,
            None => return value,
        }
    }
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(members) => members.values().map(nodes).sum(),
        Value::String(text) => text.len() / 64,
        _ => 0,
    }
}

/// Values that are one step smaller.
fn smaller(value: &Value) -> Box<dyn Iterator<Item = Value> + '_> {
    match value {
        Value::Object(members) => Box::new(without_member(members).chain(with_smaller_member(members))),
        Value::Array(items) => Box::new(without_item(items).chain(with_smaller_item(items))),
        Value::String(text) => Box::new(smaller_texts(text).map(Value::String)),
        Value::Number(number) => {
            let large = number.as_f64().is_none_or(|number| number.abs() > 1.0);
            Box::new([0, 1].into_iter().filter(move |_| large).map(Value::from))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn without_member(members: &Map<String, Value>) -> impl Iterator<Item = Value> + '_ {
    members.keys().map(|name| {
        let mut fewer = members.clone();
        fewer.remove(name);
        Value::Object(fewer)
    })
}

fn with_smaller_member(members: &Map<String, Value>) -> impl Iterator<Item = Value> + '_ {
    members.iter().flat_map(|(name, member)| {
        smaller(member).map(|member| {
            let mut changed = members.clone();
            changed.insert(name.clone(), member);
            Value::Object(changed)
        })
    })
}

fn without_item(items: &[Value]) -> impl Iterator<Item = Value> + '_ {
    (0..items.len()).rev().map(|at| {
        let mut fewer = items.to_vec();
        fewer.remove(at);
        Value::Array(fewer)
    })
}

fn with_smaller_item(items: &[Value]) -> impl Iterator<Item = Value> + '_ {
    items.iter().enumerate().flat_map(move |(at, item)| {
        smaller(item).map(move |item| {
            let mut changed = items.to_vec();
            changed[at] = item;
            Value::Array(changed)
        })
    })
}

fn smaller_texts(text: &str) -> impl Iterator<Item = String> + '_ {
    let length = text.chars().count();
    let lengths = [0, length / 2, length.saturating_sub(1)];
    lengths
        .into_iter()
        .filter(move |shorter| *shorter < length)
        .map(|shorter| text.chars().take(shorter).collect())
}
