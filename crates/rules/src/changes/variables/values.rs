//! Which values a variable allows.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use pack::digest::{canonical, canonical_node};
use pack::json::Node;
use pack::model::Variable;
use pack::number::{Exact, is_rounded};
use regex::Regex;
use serde_json::{Map, Number, Value, json};

use crate::changes::value::EXACT;
use crate::subset::value_of;

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
    pub(crate) min_length: Option<Bound<'a>>,
    /// Most code points.
    pub(crate) max_length: Option<Bound<'a>>,
    /// Least number.
    pub(crate) minimum: Option<Bound<'a>>,
    /// Greatest number.
    pub(crate) maximum: Option<Bound<'a>>,
    /// Whether the empty string counts as no value.
    pub(super) nonempty: bool,
}

/// A limit, as it is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// The nearest double.
    pub(crate) number: f64,
    node: Node<'a>,
}

impl<'a> Bound<'a> {
    fn of(node: Node<'a>) -> Option<Bound<'a>> {
        Some(Bound { number: node.as_f64()?, node })
    }

    /// What the text denotes.
    pub(super) fn exact(self) -> Exact {
        Exact::parse(self.node.source())
    }

    /// The limit as JSON Schema takes it, after `rounded` has made a length of it.
    fn value(self, rounded: impl Fn(f64) -> f64) -> Value {
        match is_rounded(self.node.source()) || self.number.abs() >= EXACT {
            true => value_of(self.node),
            false => number_value(rounded(self.number)),
        }
    }

    /// The limit and the whole numbers beside it, where 64 bits hold them.
    pub(crate) fn neighbours(self) -> Vec<Value> {
        let Ok(limit) = self.node.source().parse::<i128>() else { return Vec::new() };
        let value = |number: i128| {
            i64::try_from(number).map(Value::from).or_else(|_| u64::try_from(number).map(Value::from)).ok()
        };
        [limit - 1, limit, limit + 1].into_iter().filter_map(value).collect()
    }

    /// How a number stands to the limit.
    fn cmp(self, number: &Number) -> Ordering {
        Exact::parse(&number.to_string()).cmp(&self.exact())
    }
}

impl PartialEq for Bound<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.exact() == other.exact()
    }
}

impl fmt::Display for Bound<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match is_rounded(self.node.source()) {
            true => formatter.write_str(self.node.source()),
            false => self.number.fmt(formatter),
        }
    }
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
        let number = |key: &str| rules.and_then(|rules| rules.get(key)).and_then(Bound::of);
        let list = rules.and_then(|rules| rules.get("enum")).filter(|list| list.is_array());
        let values =
            |list: Node<'a>| list.items().map(|item| (canonical_node(item), value_of(item))).collect();
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
    pub(super) fn bound(&self, keyword: Keyword) -> Option<Bound<'a>> {
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
            && value.as_number().is_none_or(|number| {
                self.minimum.is_none_or(|least| least.cmp(number).is_ge())
                    && self.maximum.is_none_or(|most| most.cmp(number).is_le())
            })
    }

    fn accept_text(&self, text: &str) -> bool {
        let length = text.chars().count() as f64;
        let pattern = self.pattern.and_then(|pattern| Regex::new(pattern).ok());
        !(self.nonempty && text.is_empty())
            && self.min_length.is_none_or(|least| length >= least.number)
            && self.max_length.is_none_or(|most| length <= most.number)
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
        let shortest = self.min_length.filter(|shortest| shortest.number > least);
        let longest = self.max_length.filter(|longest| longest.number >= 0.0);
        let limits = [
            ("minLength", shortest.map(|shortest| shortest.value(f64::ceil))),
            ("maxLength", longest.map(|longest| longest.value(f64::floor))),
            ("minimum", self.minimum.map(|least| least.value(|number| number))),
            ("maximum", self.maximum.map(|most| most.value(|number| number))),
        ];
        if self.nonempty {
            schema.insert("minLength".to_owned(), Value::from(1));
        }
        for (keyword, limit) in limits {
            schema.extend(limit.map(|limit| (keyword.to_owned(), limit)));
        }
        if self.max_length.is_some_and(|longest| longest.number < 0.0) {
            schema.insert("allOf".to_owned(), json!([{ "not": { "type": "string" } }]));
        }
        Value::Object(schema)
    }
}

/// Whole numbers are written without a fraction.
pub(crate) fn number_value(number: f64) -> Value {
    let is_whole = number.fract() == 0.0 && number.abs() < EXACT;
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
