//! Which values a variable allows, in a form that is equal where the sets of values are equal.

use std::collections::{BTreeMap, BTreeSet};

use pack::digest::canonical;
use pack::json::Node;
use pack::model::Variable;
use regex::Regex;
use serde_json::Value;

use super::pattern::listed;

/// What a declaration says about the values of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Constraints<'a> {
    /// The declared type.
    pub(super) kind: Kind<'a>,
    /// Allowed values by their canonical text.
    pub(crate) enumeration: Option<BTreeMap<String, Value>>,
    /// A regular expression, searched unanchored.
    pub(crate) pattern: Option<&'a str>,
    /// Fewest code points.
    pub(crate) min_length: Option<f64>,
    /// Most code points.
    pub(crate) max_length: Option<f64>,
    /// Least number.
    pub(crate) minimum: Option<f64>,
    /// Greatest number.
    pub(crate) maximum: Option<f64>,
    /// Whether the empty string counts as no value.
    pub(super) nonempty: bool,
}

/// The types whose values are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    String,
    Number,
    Integer,
    Boolean,
    Object,
    Array,
    /// Any other type, by its name.
    Unknown(&'a str),
}

/// The parts of a declaration that restrict values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Type,
    Enum,
    Pattern,
    MinLength,
    MaxLength,
    Minimum,
    Maximum,
}

impl Keyword {
    /// All of them, in the order in which they are reported.
    pub(super) const ALL: [Keyword; 7] = [
        Keyword::Type,
        Keyword::Enum,
        Keyword::Pattern,
        Keyword::MinLength,
        Keyword::MaxLength,
        Keyword::Minimum,
        Keyword::Maximum,
    ];

    /// The member of `validation`, or of the variable for its type.
    pub(super) fn key(self) -> &'static str {
        match self {
            Keyword::Type => "type",
            Keyword::Enum => "enum",
            Keyword::Pattern => "pattern",
            Keyword::MinLength => "min_length",
            Keyword::MaxLength => "max_length",
            Keyword::Minimum => "minimum",
            Keyword::Maximum => "maximum",
        }
    }
}

/// A set of values: two sets that are found equal are equal, and simple sets that are equal are found so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values<'a> {
    /// Exactly these, by their canonical text.
    Finite(BTreeSet<String>),
    /// Whatever these constraints allow; those that the type never reads are gone.
    Constrained(Box<Constraints<'a>>),
}

/// The widest range of whole numbers that is written out.
const MAX_RANGE: f64 = 256.0;

impl<'a> Constraints<'a> {
    /// Reads a declaration.
    pub(crate) fn of(variable: Variable<'a>) -> Constraints<'a> {
        let rules = variable.get("validation");
        let number = |key: &str| rules.and_then(|rules| rules.get(key)).and_then(Node::as_f64);
        let list = rules.and_then(|rules| rules.get("enum")).filter(|list| list.is_array());
        let values = |list: Node<'a>| {
            list.items().map(|item| (canonical(&item.to_value()), item.to_value())).collect()
        };
        Constraints {
            kind: Kind::of(variable.type_name().unwrap_or_default()),
            enumeration: list.map(values),
            pattern: rules.and_then(|rules| rules.text("pattern")).filter(|pattern| !pattern.is_empty()),
            min_length: number("min_length"),
            max_length: number("max_length"),
            minimum: number("minimum"),
            maximum: number("maximum"),
            nonempty: false,
        }
    }

    /// Whether both say the same about one keyword.
    pub(super) fn agrees(&self, other: &Constraints<'_>, keyword: Keyword) -> bool {
        match keyword {
            Keyword::Type => self.kind == other.kind,
            Keyword::Enum => match (&self.enumeration, &other.enumeration) {
                (Some(own), Some(others)) => own.keys().eq(others.keys()),
                (own, others) => own.is_none() && others.is_none(),
            },
            Keyword::Pattern => self.pattern == other.pattern,
            Keyword::MinLength | Keyword::MaxLength | Keyword::Minimum | Keyword::Maximum => {
                self.bound(keyword) == other.bound(keyword)
            }
        }
    }

    /// The limit that a keyword sets.
    pub(super) fn bound(&self, keyword: Keyword) -> Option<f64> {
        match keyword {
            Keyword::MinLength => self.min_length,
            Keyword::MaxLength => self.max_length,
            Keyword::Minimum => self.minimum,
            Keyword::Maximum => self.maximum,
            Keyword::Type | Keyword::Enum | Keyword::Pattern => None,
        }
    }

    /// The same constraints, but for one keyword, which is taken from `other`.
    pub(super) fn with(&self, keyword: Keyword, other: &Constraints<'a>) -> Constraints<'a> {
        let mut mixed = self.clone();
        match keyword {
            Keyword::Type => mixed.kind = other.kind,
            Keyword::Enum => mixed.enumeration.clone_from(&other.enumeration),
            Keyword::Pattern => mixed.pattern = other.pattern,
            Keyword::MinLength => mixed.min_length = other.min_length,
            Keyword::MaxLength => mixed.max_length = other.max_length,
            Keyword::Minimum => mixed.minimum = other.minimum,
            Keyword::Maximum => mixed.maximum = other.maximum,
        }
        mixed
    }

    /// Whether the value is allowed. What cannot be judged (an unknown type, a pattern of another dialect) is.
    pub(crate) fn accept(&self, value: &Value) -> bool {
        self.kind.accepts(value)
            && self.enumeration.as_ref().is_none_or(|list| list.contains_key(&canonical(value)))
            && value.as_str().is_none_or(|text| self.accept_text(text))
            && value.as_f64().is_none_or(|number| {
                self.minimum.is_none_or(|least| number >= least)
                    && self.maximum.is_none_or(|most| number <= most)
            })
    }

    fn accept_text(&self, text: &str) -> bool {
        let length = text.chars().count() as f64;
        let pattern = self.pattern.and_then(|pattern| Regex::new(pattern).ok());
        !(self.nonempty && text.is_empty())
            && self.min_length.is_none_or(|least| length >= least)
            && self.max_length.is_none_or(|most| length <= most)
            && pattern.is_none_or(|pattern| pattern.is_match(text))
    }

    /// The set of values that the constraints allow.
    pub(super) fn values(&self) -> Values<'a> {
        if let Some(list) = &self.enumeration {
            let rest = Constraints { enumeration: None, ..self.clone() };
            let allowed = list.iter().filter(|(_, value)| rest.accept(value));
            return Values::Finite(allowed.map(|(text, _)| text.clone()).collect());
        }
        if let Some(texts) = self.pattern.filter(|_| self.kind == Kind::String).and_then(listed) {
            let rest = Constraints { pattern: None, ..self.clone() };
            let texts = texts.into_iter().map(Value::from).filter(|text| rest.accept(text));
            return Values::Finite(texts.map(|text| canonical(&text)).collect());
        }
        let mut own = self.clone();
        if !matches!(self.kind, Kind::String | Kind::Unknown(_)) {
            (own.pattern, own.min_length, own.max_length, own.nonempty) = (None, None, None, false);
        }
        if !matches!(self.kind, Kind::Number | Kind::Integer | Kind::Unknown(_)) {
            (own.minimum, own.maximum) = (None, None);
        }
        if self.kind == Kind::Integer {
            own.minimum = own.minimum.map(f64::ceil);
            own.maximum = own.maximum.map(f64::floor);
        }
        let least = if own.nonempty { 1.0 } else { 0.0 };
        own.min_length = own.min_length.map(|length| length.max(least)).or(own.nonempty.then_some(least));
        own.min_length = own.min_length.filter(|length| *length > 0.0);
        own.nonempty = false;
        own.written_out().unwrap_or(Values::Constrained(Box::new(own)))
    }

    /// The values of a set that is finite, small and easily listed.
    fn written_out(&self) -> Option<Values<'a>> {
        let crossed = |low: Option<f64>, high: Option<f64>| matches!((low, high), (Some(low), Some(high)) if low > high);
        if matches!(self.kind, Kind::Unknown(_)) {
            return None;
        }
        if crossed(self.min_length, self.max_length) || crossed(self.minimum, self.maximum) {
            return Some(Values::Finite(BTreeSet::new()));
        }
        match (self.kind, self.minimum, self.maximum) {
            (Kind::Boolean, ..) => {
                Some(Values::Finite(BTreeSet::from(["true".to_owned(), "false".to_owned()])))
            }
            (Kind::Number, Some(least), Some(most)) if least == most => {
                Some(Values::Finite(BTreeSet::from([canonical(&Value::from(least))])))
            }
            (Kind::Integer, Some(least), Some(most)) if most - least <= MAX_RANGE && least.abs() < 9e15 => {
                let numbers = least as i64..=most as i64;
                Some(Values::Finite(numbers.map(|number| canonical(&Value::from(number))).collect()))
            }
            _ => None,
        }
    }
}

impl<'a> Kind<'a> {
    fn of(name: &'a str) -> Kind<'a> {
        match name {
            "string" => Kind::String,
            "number" => Kind::Number,
            "integer" => Kind::Integer,
            "boolean" => Kind::Boolean,
            "object" => Kind::Object,
            "array" => Kind::Array,
            other => Kind::Unknown(other),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match self {
            Kind::String => value.is_string(),
            Kind::Number => value.is_number(),
            Kind::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Kind::Boolean => value.is_boolean(),
            Kind::Object => value.is_object(),
            Kind::Array => value.is_array(),
            Kind::Unknown(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pack::Document;

    fn check(left: &str, right: &str, equal: bool) {
        let read = |text: &str| Document::parse(text.as_bytes()).0.expect("JSON");
        let (left_document, right_document) = (read(left), read(right));
        let left_values = Constraints::of(Variable(left_document.root())).values();
        let right_values = Constraints::of(Variable(right_document.root())).values();
        assert_eq!(left_values == right_values, equal, "{left} and {right}");
    }

    #[test]
    fn equal_sets_have_one_form() {
        let number = r#"{"type": "number", "validation": {"minimum": 1}}"#;
        check(number, r#"{"type": "number", "validation": {"minimum": 1.0, "min_length": 3}}"#, true);
        check(number, r#"{"type": "integer", "validation": {"minimum": 1}}"#, false);
        check(
            r#"{"type": "integer", "validation": {"minimum": 0.5, "maximum": 2}}"#,
            r#"{"type": "number", "validation": {"enum": [2, 1.0]}}"#,
            true,
        );
        check(
            r#"{"type": "boolean"}"#,
            r#"{"type": "boolean", "validation": {"enum": [false, true]}}"#,
            true,
        );
        check(
            r#"{"type": "string", "validation": {"enum": ["a", "bb"], "max_length": 1}}"#,
            r#"{"type": "string", "validation": {"enum": ["a"]}}"#,
            true,
        );
        check(
            r#"{"type": "string", "validation": {"pattern": "^(a|bb)$", "max_length": 1}}"#,
            r#"{"type": "string", "validation": {"enum": ["a"]}}"#,
            true,
        );
        check(r#"{"type": "string"}"#, r#"{"type": "string", "validation": {"min_length": 0}}"#, true);
        check(r#"{"type": "string"}"#, r#"{"type": "string", "validation": {"min_length": 1}}"#, false);
    }
}
