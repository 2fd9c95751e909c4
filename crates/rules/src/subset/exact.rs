//! Schemas as generic JSON, without numbers that it would round.
//!
//! A number that neither a double nor a 64-bit integer holds stands as a marked text, which says what it denotes.
//! Whatever depends on it is undecided with the reason `number-range`: two of them are equal only where they denote
//! one number.

use pack::digest::canonical_node;
use pack::json::{JsonType, Node};
use pack::number::is_rounded;
use serde_json::Value;

/// What marked texts start with. A text of the pack that starts so is marked too, so that none passes for a number.
const MARK: char = '\0';

/// The value of a node, every number that would be rounded marked.
pub fn value_of(node: Node<'_>) -> Value {
    match node.json_type() {
        JsonType::Object => {
            Value::Object(node.members().map(|(key, node)| (key.to_owned(), value_of(node))).collect())
        }
        JsonType::Array => Value::Array(node.children().map(value_of).collect()),
        JsonType::Number if is_rounded(node.source()) => marked(node),
        JsonType::String if node.as_str().is_some_and(|text| text.starts_with(MARK)) => marked(node),
        _ => node.to_value(),
    }
}

fn marked(node: Node<'_>) -> Value {
    Value::String(format!("{MARK}{}", canonical_node(node)))
}

/// Whether a value is marked, or holds one that is.
pub fn is_marked(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with(MARK),
        Value::Array(items) => items.iter().any(is_marked),
        Value::Object(members) => members.values().any(is_marked),
        _ => false,
    }
}

/// The value with its marked texts as people may read them.
pub fn unmarked(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.strip_prefix(MARK).unwrap_or(text)),
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, member)| (key.clone(), unmarked(member))).collect()
        }
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use pack::Document;
    use serde_json::json;

    use super::*;

    fn value(text: &str) -> Value {
        value_of(Document::parse(text.as_bytes()).0.expect("JSON").root())
    }

    #[test]
    fn only_numbers_that_would_be_rounded_are_marked() {
        let plain = r#"{"a": [1, 2.5, "text", null, {"b": true}], "c": 1e22}"#;
        assert_eq!(value(plain), serde_json::from_str::<Value>(plain).expect("JSON"));
        assert!(!is_marked(&value(plain)));
        assert_eq!(value("[1e400]"), value("[10e399]"));
        assert_ne!(value("[1e400]"), value("[1e500]"));
        assert!(is_marked(&value(r#"{"a": [9999999999999999999999]}"#)));
    }

    #[test]
    fn no_text_passes_for_a_number() {
        let Value::String(mark) = value("1e400") else { panic!("a marked text") };
        let text = value(&json!(mark).to_string());
        assert_ne!(text, Value::String(mark));
        assert!(is_marked(&text));
    }
}
