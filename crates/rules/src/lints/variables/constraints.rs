//! Whether a value fits the type and the constraints of its variable.

use std::collections::BTreeSet;

use pack::Node;
use pack::digest::canonical_node;
use pack::model::Variable;
use regex::{Regex, RegexBuilder};

use crate::pattern;
use crate::wording::quoted;

/// The most memory that one pattern may take when it is compiled.
const MAX_COMPILED: usize = 1 << 20;

/// A lower and an upper bound that exclude every value, at their places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reversed<'a> {
    pub(super) lower: Node<'a>,
    pub(super) upper: Node<'a>,
}

/// The bounds among `pairs` of keywords in `schema` that exclude every value.
pub(super) fn reversed<'a>(schema: Node<'a>, pairs: &[(&str, &str)]) -> Vec<Reversed<'a>> {
    let bounds = pairs.iter().filter_map(|(lower, upper)| {
        let reversed = Reversed { lower: schema.get(lower)?, upper: schema.get(upper)? };
        (reversed.lower.as_f64()? > reversed.upper.as_f64()?).then_some(reversed)
    });
    bounds.collect()
}

/// The keywords that a variable type reads, besides `enum`; none for an unknown type, which may read any.
pub(super) fn keywords_of(type_name: &str) -> Option<&'static [&'static str]> {
    Some(match type_name {
        "string" => &["pattern", "min_length", "max_length"],
        "number" => &["minimum", "maximum"],
        "boolean" | "object" | "array" => &[],
        _ => return None,
    })
}

/// What a variable asks of its values, as far as it can be judged.
pub(super) struct Constraints<'a> {
    type_name: Option<&'a str>,
    validation: Option<Node<'a>>,
    pattern: Option<(&'a str, Regex)>,
    members: Option<BTreeSet<String>>,
}

impl<'a> Constraints<'a> {
    pub(super) fn of(variable: Variable<'a>) -> Self {
        let validation = variable.get("validation");
        let pattern = validation.and_then(|validation| validation.text("pattern"));
        let members =
            validation.and_then(|validation| validation.get("enum")).filter(|list| !list.is_empty());
        Constraints {
            type_name: variable.type_name(),
            validation,
            pattern: pattern.and_then(|text| Some((text, compiled(text)?))),
            members: members.map(|list| list.items().map(|member| canonical_node(member)).collect()),
        }
    }

    /// Why the variable refuses `value`; none where it does not, or where that cannot be judged.
    pub(super) fn refuse(&self, value: Node<'_>) -> Option<String> {
        let reason = self.refuse_member(value);
        let is_listed = || match &self.members {
            Some(members) => members.contains(&canonical_node(value)),
            None => true,
        };
        reason.or_else(|| (!value.is_null() && !is_listed()).then(|| "is not in its `enum`".to_owned()))
    }

    /// Like [`Constraints::refuse`], for a member of the `enum` itself.
    pub(super) fn refuse_member(&self, value: Node<'_>) -> Option<String> {
        if value.is_null() {
            return None;
        }
        match self.type_name? {
            name @ ("string" | "number" | "boolean" | "object" | "array")
                if value.json_type().name() != name =>
            {
                Some(format!("is {}, and its type is `{name}`", value.json_type().with_article()))
            }
            "string" => self.refuse_text(value.as_str()?),
            "number" => self.refuse_number(value.as_f64()?),
            _ => None,
        }
    }

    fn refuse_text(&self, text: &str) -> Option<String> {
        if let Some((written, pattern)) = &self.pattern
            // Dialects differ on which characters beyond ASCII `\w` and its kin hold.
            && (text.is_ascii() || !written.contains('\\'))
            && !pattern.is_match(text)
            && !pattern.is_match(text.trim_end_matches('\n'))
        {
            return Some(format!("does not match its pattern {}", quoted(written)));
        }
        self.refuse_size(text.chars().count() as f64, ("min_length", "max_length"), "characters")
    }

    fn refuse_number(&self, number: f64) -> Option<String> {
        self.refuse_size(number, ("minimum", "maximum"), "")
    }

    fn refuse_size(&self, size: f64, (lower, upper): (&str, &str), unit: &str) -> Option<String> {
        let validation =
            self.validation.filter(|validation| reversed(*validation, &[(lower, upper)]).is_empty())?;
        let unit = if size == 1.0 { unit.trim_end_matches('s') } else { unit };
        let measured = if unit.is_empty() { "is".to_owned() } else { format!("has {size} {unit},") };
        let (least, most) = (validation.get(lower), validation.get(upper));
        if let Some(bound) = least.filter(|bound| bound.as_f64().is_some_and(|least| size < least)) {
            return Some(format!("{measured} under its `{lower}` {}", bound.source()));
        }
        let bound = most.filter(|bound| bound.as_f64().is_some_and(|most| size > most))?;
        Some(format!("{measured} over its `{upper}` {}", bound.source()))
    }
}

/// The pattern, where all dialects read it alike and so does ours.
fn compiled(text: &str) -> Option<Regex> {
    let portable = pattern::judge(text).names(false).is_empty() && !has_own_syntax(text);
    portable.then(|| RegexBuilder::new(text).size_limit(MAX_COMPILED).build().ok()).flatten()
}

/// Whether the pattern holds what only our engine reads as syntax: classes inside classes and operators on them.
fn has_own_syntax(text: &str) -> bool {
    let (mut escaped, mut in_class) = (false, false);
    let nested = text.chars().any(|character| {
        let nested = in_class && !escaped && character == '[';
        in_class = if escaped { in_class } else { character == '[' || (in_class && character != ']') };
        escaped = character == '\\' && !escaped;
        nested
    });
    nested || ["&&", "--", "~~", "{,"].iter().any(|operator| text.contains(operator))
}
