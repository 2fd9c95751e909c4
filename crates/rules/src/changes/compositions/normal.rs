//! Values of steps in a form that is equal where only names that moved with them, order or spelling differ.

use std::collections::BTreeMap;

use pack::digest::canonical;
use pack::json::Node;
use serde_json::{Map, Value};

use crate::subset::value_of;

/// New ids of renamed steps, by old id.
pub(super) type Renames<'a> = BTreeMap<&'a str, &'a str>;

/// The value with references to renamed steps written anew; nothing where it is absent, `null` or an empty block.
pub(super) fn value(node: Option<Node<'_>>, renamed: &Renames<'_>) -> Option<String> {
    let node = node.filter(|node| !node.is_null())?;
    let is_block = node.is_object() || node.is_array();
    (!is_block || !node.is_empty()).then(|| canonical(&followed(value_of(node), renamed)))
}

/// Writes the references in a value anew.
fn followed(value: Value, renamed: &Renames<'_>) -> Value {
    match value {
        _ if renamed.is_empty() => value,
        Value::String(text) => Value::String(reference(&text, renamed)),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| followed(item, renamed)).collect()),
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, value)| (key, followed(value, renamed)));
            Value::Object(members.collect())
        }
        scalar => scalar,
    }
}

/// Writes `${old.output.x}` as `${new.output.x}`.
fn reference(text: &str, renamed: &Renames<'_>) -> String {
    let mut pieces = text.split("${");
    let mut written = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let (step, rest) = piece.split_at(end.unwrap_or(piece.len()));
        written.push_str("${");
        written.push_str(renamed.get(step).copied().unwrap_or(step));
        written.push_str(rest);
    }
    written
}

/// A predicate without what has no effect: order and repeats of operands, double negation, groups of one.
pub(super) fn predicate(node: Option<Node<'_>>, renamed: &Renames<'_>) -> Option<String> {
    let node = node.filter(|node| !node.is_null())?;
    Some(canonical(&simplified(followed(value_of(node), renamed))))
}

fn simplified(value: Value) -> Value {
    let Value::Object(mut members) = value else { return value };
    for group in ["all_of", "any_of"] {
        if let Some(Value::Array(items)) = members.remove(group) {
            let mut items: Vec<Value> = items.into_iter().map(simplified).collect();
            items.sort_by_cached_key(canonical);
            items.dedup();
            if items.len() == 1 && members.is_empty() {
                return items.remove(0);
            }
            members.insert(group.to_owned(), Value::Array(items));
        }
    }
    if let Some(inner) = members.remove("not") {
        let inner = simplified(inner);
        match (members.is_empty(), only_negation(&inner)) {
            (true, Some(innermost)) => return innermost.clone(),
            _ => members.insert("not".to_owned(), inner),
        };
    }
    // Only these take the items of a list one by one.
    let is_among = matches!(members.get("op").and_then(Value::as_str), Some("in" | "not_in"));
    if let Some(Value::Array(allowed)) = members.get_mut("value").filter(|_| is_among) {
        allowed.sort_by_cached_key(canonical);
    }
    Value::Object(members)
}

/// What a predicate that says nothing but `not` negates.
fn only_negation(value: &Value) -> Option<&Value> {
    let only = |members: &Map<String, Value>| members.len() == 1;
    value.as_object().filter(|members| only(members))?.get("not")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let value = serde_json::from_str(text).expect("JSON");
        assert_eq!(canonical(&simplified(value)), expected);
    }

    #[test]
    fn predicates_lose_what_has_no_effect() {
        check(r#"{"not": {"not": {"path": "a", "exists": true}}}"#, r#"{"exists":true,"path":"a"}"#);
        check(
            r#"{"all_of": [{"path": "b"}, {"path": "a"}, {"path": "b"}]}"#,
            r#"{"all_of":[{"path":"a"},{"path":"b"}]}"#,
        );
        check(
            r#"{"any_of": [{"path": "a", "op": "in", "value": [2, 1]}]}"#,
            r#"{"op":"in","path":"a","value":[1,2]}"#,
        );
    }

    #[test]
    fn a_list_that_is_compared_as_a_whole_keeps_its_order() {
        let text = r#"{"op":"equals","path":"a","value":[2,1]}"#;
        check(text, text);
    }

    #[test]
    fn references_follow_renamed_steps() {
        let renamed = Renames::from([("a", "b")]);
        assert_eq!(
            reference("x ${a.output} ${ab.output} ${input.a}", &renamed),
            "x ${b.output} ${ab.output} ${input.a}"
        );
    }
}
