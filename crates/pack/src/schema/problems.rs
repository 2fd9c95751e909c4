//! Turns validation errors into problems that name the innermost value and what to do.

use std::collections::BTreeMap;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::{ANNOTATED, since_of};
use crate::json::{Document, JsonType, Node};
use crate::pointer::Pointer;
use crate::similar::Guesser;
use crate::spec::SpecVersion;

/// One thing that the schema of the declared version refuses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemaProblem {
    /// The innermost value, or the unknown member.
    pub pointer: Pointer,
    /// What kind of break it is.
    pub kind: SchemaProblemKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The kinds of [`SchemaProblem`]; each is a lint of the group `schema`, the last one of `portability`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaProblemKind {
    /// Required fields of an object are absent.
    MissingField,
    /// The JSON type differs.
    WrongType,
    /// The value is outside an enumeration.
    UnlistedValue,
    /// The text breaks its pattern.
    PatternMismatch,
    /// A number, length or count is beyond its limit.
    OutOfBounds,
    /// A closed object has no such key in any version.
    UnknownField,
    /// A closed object has that key in a later version only.
    NewerField,
    /// A union value shows no form, or two.
    FormMismatch,
    /// A custom media block fits several of the five shapes.
    AmbiguousMedia,
}

pub(super) struct Problems<'a> {
    document: &'a Document,
    version: SpecVersion,
    derived: &'a Value,
    missing: BTreeMap<Pointer, Vec<String>>,
    found: Vec<SchemaProblem>,
    guesser: Guesser,
}

impl<'a> Problems<'a> {
    pub(super) fn new(document: &'a Document, version: SpecVersion, derived: &'a Value) -> Self {
        Problems {
            document,
            version,
            derived,
            missing: BTreeMap::new(),
            found: Vec::new(),
            guesser: Guesser::default(),
        }
    }

    pub(super) fn finish(mut self) -> Vec<SchemaProblem> {
        for (pointer, mut fields) in std::mem::take(&mut self.missing) {
            fields.sort();
            fields.dedup();
            let names = quoted_list(&fields);
            let what = describe(&pointer);
            let message = if fields.len() == 1 {
                format!("{what} lacks the required field {names}")
            } else {
                format!("{what} lacks the required fields {names}")
            };
            self.report(SchemaProblemKind::MissingField, pointer, message, None);
        }
        self.found.sort();
        self.found.dedup();
        self.found
    }

    fn report(&mut self, kind: SchemaProblemKind, pointer: Pointer, message: String, help: Option<String>) {
        self.found.push(SchemaProblem { pointer, kind, message, help });
    }

    pub(super) fn add(&mut self, error: &ValidationError<'_>) {
        let pointer = Pointer::parse(error.instance_path().as_str());
        let Some(node) = self.document.at(&pointer) else { return };
        match error.kind() {
            Kind::Required { property } => {
                let field = property.as_str().unwrap_or_default().to_owned();
                self.missing.entry(pointer).or_default().push(field);
            }
            Kind::AdditionalProperties { unexpected } => {
                let object = Pointer::parse(error.schema_path().as_str()).parent().unwrap_or_default();
                unexpected.iter().for_each(|key| self.unexpected(&object, &pointer, key));
            }
            Kind::Type { kind } => {
                let message =
                    format!("{} must be {}, not {}", describe(&pointer), expected_type(kind), article(node));
                self.report(SchemaProblemKind::WrongType, pointer, message, None);
            }
            Kind::Enum { options } => self.unlisted(node, pointer, &listed(options)),
            Kind::Constant { expected_value } => self.unlisted(node, pointer, &listed(expected_value)),
            Kind::Pattern { pattern } => self.pattern(node, pointer, pattern),
            Kind::OneOfNotValid { context } | Kind::AnyOf { context } => {
                self.union(node, pointer, error, Some(context))
            }
            Kind::OneOfMultipleValid { .. } => self.union(node, pointer, error, None),
            other => {
                let message = format!("{} {}", describe(&pointer), limit(other));
                self.report(SchemaProblemKind::OutOfBounds, pointer, message, None);
            }
        }
    }

    fn unexpected(&mut self, object: &Pointer, pointer: &Pointer, key: &str) {
        let at = pointer.join(key);
        if let Some(since) = since_of(object, key) {
            let message =
                format!("`{key}` came with spec {since}, and this pack is judged by {}", self.version);
            let help = format!("name spec {since} or later in `$schema`");
            return self.report(SchemaProblemKind::NewerField, at, message, Some(help));
        }
        let properties = self.derived.pointer(object.as_str()).and_then(|schema| schema.get("properties"));
        let known: Vec<&str> = properties
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_str())
            .collect();
        let present = self.document.at(pointer);
        let absent =
            known.iter().copied().filter(|known| present.is_none_or(|node| node.get(known).is_none()));
        let help = match (key, self.guesser.closest(key, absent)) {
            ("dir", _) if known.contains(&"path") => Some("did you mean `path`?".to_owned()),
            (_, Some(near)) => Some(format!("did you mean `{near}`?")),
            _ if known.len() <= 16 => Some(format!("the fields are {}", quoted_list(&known))),
            _ => None,
        };
        let message = format!("{} has no field `{key}`", describe(pointer));
        self.report(SchemaProblemKind::UnknownField, at, message, help);
    }

    fn unlisted(&mut self, node: Node<'_>, pointer: Pointer, options: &[String]) {
        if let [only] = options {
            let message = format!("{} must be {only}, not {}", describe(&pointer), shown(node));
            return self.report(SchemaProblemKind::UnlistedValue, pointer, message, None);
        }
        let words = options.iter().map(|option| option.trim_matches('"'));
        let help = match node.as_str().and_then(|word| self.guesser.closest(word, words)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the values are {}", options.join(", ")),
        };
        let message = format!("{} may not be {}", describe(&pointer), shown(node));
        self.report(SchemaProblemKind::UnlistedValue, pointer, message, Some(help));
    }

    fn pattern(&mut self, node: Node<'_>, pointer: Pointer, pattern: &str) {
        let message = format!("{} may not be {}", describe(&pointer), shown(node));
        let help = match pattern_in_words(pattern) {
            Some(words) => format!("write {words}"),
            None => format!("it must match `{pattern}`"),
        };
        self.report(SchemaProblemKind::PatternMismatch, pointer, message, Some(help));
    }

    /// Reports the errors of the branch that the author meant; `context` is absent when several branches fit.
    fn union(
        &mut self,
        node: Node<'_>,
        pointer: Pointer,
        error: &ValidationError<'_>,
        context: Option<&Vec<Vec<ValidationError<'static>>>>,
    ) {
        let at = Pointer::parse(error.schema_path().as_str()).parent().unwrap_or_default();
        let union =
            ANNOTATED.pointer(at.as_str()).and_then(|schema| schema.get("x-union")).and_then(Value::as_str);
        let meant = match union {
            Some("step") => self.step(node, &pointer),
            Some("predicate") => predicate(node),
            Some("skill") => skill(node),
            Some("provider") => Meant::of_type(node, 1, "a provider key or an object"),
            Some("termination") => {
                Meant::Form("needs `max_steps` or `tool_called`, or it never ends".to_owned())
            }
            Some("control") => control(node),
            _ if context.is_none() => {
                let message = format!("{} fits several of the five media shapes", describe(&pointer));
                let help = "add a `validation_params` object: only the generic shape has one".to_owned();
                return self.report(SchemaProblemKind::AmbiguousMedia, pointer, message, Some(help));
            }
            _ => Meant::Branch(media(node)),
        };
        match meant {
            Meant::Branch(index) => {
                for error in context.and_then(|context| context.get(index)).into_iter().flatten() {
                    self.add(error);
                }
            }
            Meant::Form(message) => {
                let message = format!("{} {message}", describe(&pointer));
                self.report(SchemaProblemKind::FormMismatch, pointer, message, None);
            }
            Meant::Type(expected) => {
                let message = format!("{} must be {expected}, not {}", describe(&pointer), article(node));
                self.report(SchemaProblemKind::WrongType, pointer, message, None);
            }
            Meant::Reported => {}
        }
    }

    fn step(&mut self, node: Node<'_>, pointer: &Pointer) -> Meant {
        const KINDS: [&str; 5] = ["prompt", "agent", "tool", "branch", "parallel"];
        let Some(kind) = node.get("kind") else { return Meant::Reported };
        let Some(word) = kind.as_str() else { return Meant::Reported };
        match KINDS.iter().position(|known| *known == word) {
            Some(index) => Meant::Branch(index),
            None if word.contains('.') && self.version >= SpecVersion::V1_8 => Meant::Branch(KINDS.len()),
            None => {
                let options: Vec<String> = KINDS.iter().map(|kind| format!("\"{kind}\"")).collect();
                self.unlisted(kind, pointer.join("kind"), &options);
                Meant::Reported
            }
        }
    }
}

/// Which branch of a union the author meant.
enum Meant {
    Branch(usize),
    /// No branch: the text goes on "`x` …".
    Form(String),
    /// The value has a type that no branch has.
    Type(&'static str),
    /// Another problem says it already.
    Reported,
}

impl Meant {
    fn of_type(node: Node<'_>, index: usize, expected: &'static str) -> Meant {
        if node.is_object() { Meant::Branch(index) } else { Meant::Type(expected) }
    }
}

fn predicate(node: Node<'_>) -> Meant {
    const FORMS: [&str; 5] = ["op", "exists", "all_of", "any_of", "not"];
    if !node.is_object() {
        return Meant::Type("an object");
    }
    let shown: Vec<usize> = (0..FORMS.len()).filter(|index| node.get(FORMS[*index]).is_some()).collect();
    match shown[..] {
        [index] => Meant::Branch(index),
        [] if node.get("value").is_some() => Meant::Branch(0),
        [] => Meant::Form(
            "is no predicate: it needs one of `op`, `exists`, `all_of`, `any_of`, `not`".to_owned(),
        ),
        [first, second, ..] => Meant::Form(format!(
            "has both `{}` and `{}`: a predicate has one form",
            FORMS[first], FORMS[second]
        )),
    }
}

fn skill(node: Node<'_>) -> Meant {
    if !node.is_object() {
        return Meant::Type("a path or an object");
    }
    let inline = ["name", "instructions"].into_iter().find(|key| node.get(key).is_some());
    match (node.get("path"), inline) {
        (Some(_), None) => Meant::Branch(1),
        (None, Some(_)) => Meant::Branch(2),
        (Some(_), Some(key)) => {
            Meant::Form(format!("has both `path` and `{key}`: a skill is a path or stands inline"))
        }
        (None, None) if node.get("dir").is_some() => Meant::Branch(1),
        (None, None) => Meant::Form(
            "is no skill: it needs a `path`, or `name`, `description` and `instructions`".to_owned(),
        ),
    }
}

fn control(node: Node<'_>) -> Meant {
    const FORMS: [&str; 4] = ["field", "validator", "eval", "external"];
    if !node.is_object() {
        return Meant::Reported;
    }
    let shown: Vec<&str> = FORMS.into_iter().filter(|form| node.get(form).is_some()).collect();
    Meant::Form(match shown[..] {
        [] => "needs one of `field`, `validator`, `eval`, `external`".to_owned(),
        [_] => return Meant::Reported,
        [first, second, ..] => format!("has both `{first}` and `{second}`: a control names one thing"),
    })
}

/// The shape of a custom media block, by the keys that only one shape has; the generic one else.
fn media(node: Node<'_>) -> usize {
    const KEYS: [&[&str]; 4] = [
        &["default_detail", "require_caption", "max_images_per_msg"],
        &["max_duration_sec"],
        &[],
        &["max_pages", "extraction_mode"],
    ];
    KEYS.iter().position(|keys| keys.iter().any(|key| node.get(key).is_some())).unwrap_or(KEYS.len())
}

/// Names the value at `pointer` as a person would: by its own key, with its owner where that helps.
fn describe(pointer: &Pointer) -> String {
    let tokens: Vec<_> = pointer.tokens().collect();
    match &tokens[..] {
        [] => "the pack".to_owned(),
        [only] => format!("`{only}`"),
        [list @ .., last] if is_position(last) && list.last().is_some_and(|owner| is_position(owner)) => {
            let list = list.iter().fold(Pointer::root(), |list, token| list.join(token));
            format!("item {last} of {}", describe(&list))
        }
        [.., owner, last] if is_position(last) => format!("item {last} of `{owner}`"),
        [.., owner, last] if is_position(owner) => format!("`{last}`"),
        [.., owner, last] => format!("`{last}` of `{owner}`"),
    }
}

fn is_position(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_digit())
}

fn quoted_list(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn listed(options: &Value) -> Vec<String> {
    match options {
        Value::Array(options) => options.iter().map(Value::to_string).collect(),
        one => vec![one.to_string()],
    }
}

/// The value as it stands in the text, shortened.
fn shown(node: Node<'_>) -> String {
    match node.json_type() {
        JsonType::Object | JsonType::Array => article(node).to_owned(),
        _ if node.source().chars().count() > 60 => {
            format!("`{}…`", node.source().chars().take(57).collect::<String>())
        }
        _ => format!("`{}`", node.source()),
    }
}

fn article(node: Node<'_>) -> &'static str {
    node.json_type().with_article()
}

fn expected_type(kind: &TypeKind) -> String {
    let word = |name: &str| match name {
        "integer" => "a whole number".to_owned(),
        "null" => "null".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        other => format!("a {other}"),
    };
    match kind {
        TypeKind::Single(one) => word(&one.to_string()),
        TypeKind::Multiple(several) => {
            several.iter().map(|one| word(&one.to_string())).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn limit(kind: &Kind) -> String {
    match kind {
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::MinLength { limit: 1 } => "may not be empty".to_owned(),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} {}", plural(*limit, "item")),
        Kind::MinProperties { limit } => {
            format!("must have at least {limit} {}", if *limit == 1 { "entry" } else { "entries" })
        }
        Kind::UniqueItems => "may not hold the same item twice".to_owned(),
        other => format!("breaks the limit `{}`", other.keyword()),
    }
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

fn pattern_in_words(pattern: &str) -> Option<&'static str> {
    Some(match pattern {
        "^[a-z][a-z0-9-]*$" => "lower-case letters, digits and hyphens, a letter first",
        "^[a-z][a-z0-9_-]*$" => "lower-case letters, digits, `_` and `-`, a letter first",
        "^[a-zA-Z_][a-zA-Z0-9_]*$" => "letters, digits and `_`, no digit first",
        "^[a-z]{2}$" => "two lower-case letters of ISO 639-1, such as `en`",
        "^[a-z0-9_]+$" => "lower-case letters, digits and `_`",
        "^[a-zA-Z0-9_-]+$" => "letters, digits, `_` and `-`",
        "^[a-zA-Z_:][a-zA-Z0-9_:]*$" => "letters, digits, `_` and `:`, no digit first",
        _ if pattern.starts_with("^v?") => "a semantic version such as `1.2.0`",
        _ if pattern.starts_with("^P") => "an ISO 8601 duration in whole numbers, such as `P3M`",
        _ => return None,
    })
}
