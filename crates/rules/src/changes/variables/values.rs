//! Which values a variable allows.

use std::collections::BTreeMap;

use pack::digest::canonical;
use pack::json::Node;
use pack::model::Variable;
use regex::Regex;
use serde_json::{Map, Value, json};

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

    /// The constraints as a JSON Schema: a variable is a small schema, and compared as one.
    pub(super) fn schema(&self) -> Value {
        let mut schema = Map::new();
        if let Some(name) = self.kind.schema_type() {
            schema.insert("type".to_owned(), Value::from(name));
        }
        if let Some(list) = &self.enumeration {
            // The form of schemas does not allow an empty list; nothing is allowed either way.
            let (key, allowed) = match list.is_empty() {
                true => ("not", Value::Object(Map::new())),
                false => ("enum", list.values().cloned().collect()),
            };
            schema.insert(key.to_owned(), allowed);
        }
        if let Some(pattern) = self.pattern {
            schema.insert("pattern".to_owned(), Value::from(pattern));
        }
        let least = if self.nonempty { 1.0 } else { 0.0 };
        let shortest = self.min_length.unwrap_or_default().max(least).ceil();
        let limits = [
            ("minLength", Some(shortest).filter(|shortest| *shortest > 0.0)),
            ("maxLength", self.max_length.map(f64::floor).filter(|longest| *longest >= 0.0)),
            ("minimum", self.minimum),
            ("maximum", self.maximum),
        ];
        for (keyword, limit) in limits {
            schema.extend(limit.map(|limit| (keyword.to_owned(), number_value(limit))));
        }
        if self.max_length.is_some_and(|longest| longest < 0.0) {
            schema.insert("allOf".to_owned(), json!([{ "not": { "type": "string" } }]));
        }
        Value::Object(schema)
    }
}

/// Whole numbers are written without a fraction.
fn number_value(number: f64) -> Value {
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    if is_whole { Value::from(number as i64) } else { Value::from(number) }
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

    /// The word of JSON Schema; none for types that it does not know, which allow everything.
    fn schema_type(self) -> Option<&'static str> {
        Some(match self {
            Kind::String => "string",
            Kind::Number => "number",
            Kind::Integer => "integer",
            Kind::Boolean => "boolean",
            Kind::Object => "object",
            Kind::Array => "array",
            Kind::Unknown(_) => return None,
        })
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
