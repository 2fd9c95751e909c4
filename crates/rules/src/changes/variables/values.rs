//! Which values a variable allows.

use pack::digest::canonical;
use pack::json::{JsonType, Node};
use pack::model::Variable;
use regex::Regex;

/// Whether the variable allows `value`: its type, its enumeration, its pattern, its limits.
///
/// What cannot be judged (an unknown type, a pattern of another dialect) counts as allowed.
pub(crate) fn accepts(variable: Variable<'_>, value: Node<'_>) -> bool {
    has_type(variable.type_name(), value)
        && variable.get("validation").is_none_or(|rules| obeys(rules, value))
}

fn has_type(type_name: Option<&str>, value: Node<'_>) -> bool {
    match type_name {
        Some("string") => value.json_type() == JsonType::String,
        Some("number") => value.json_type() == JsonType::Number,
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some("boolean") => value.json_type() == JsonType::Boolean,
        Some("object") => value.json_type() == JsonType::Object,
        Some("array") => value.json_type() == JsonType::Array,
        _ => true,
    }
}

fn obeys(rules: Node<'_>, value: Node<'_>) -> bool {
    let listed = |list: Node<'_>| {
        let value = canonical(&value.to_value());
        list.items().any(|item| canonical(&item.to_value()) == value)
    };
    rules.get("enum").filter(|list| list.is_array()).is_none_or(listed)
        && value.as_str().is_none_or(|text| obeys_text_rules(rules, text))
        && value.as_f64().is_none_or(|number| {
            let limit = |key| rules.get(key).and_then(Node::as_f64);
            limit("minimum").is_none_or(|least| number >= least)
                && limit("maximum").is_none_or(|most| number <= most)
        })
}

fn obeys_text_rules(rules: Node<'_>, text: &str) -> bool {
    let limit = |key| rules.get(key).and_then(Node::as_f64);
    let length = text.chars().count() as f64;
    let pattern = rules.text("pattern").and_then(|pattern| Regex::new(pattern).ok());
    limit("min_length").is_none_or(|least| length >= least)
        && limit("max_length").is_none_or(|most| length <= most)
        && pattern.is_none_or(|pattern| pattern.is_match(text))
}
