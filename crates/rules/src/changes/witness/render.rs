//! Renders a prompt as the strictest client does, to show that a call works with one version and fails with another.
//!
//! Values for undeclared names are dropped. A required value is missing where it is absent or empty, whatever its
//! default. What is supplied has to obey the variable's rules. A placeholder that nothing fills stays in the text,
//! and that is a failure too. Logic is left alone: no client renders it. What the runtime supplies is there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use pack::template::{Class, Form, Placeholder, Syntax};
use serde_json::Value;

use crate::changes::side::PromptSide;
use crate::changes::text::{is_badly_spaced, normal_body, read};
use crate::changes::variables::Constraints;

/// The values of one call, by variable name.
pub(super) type Call = BTreeMap<String, Value>;

/// Why a call does not render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// The variable, or the body of the placeholder.
    pub(super) subject: String,
    /// The first name of a placeholder that is a path.
    pub(super) root: String,
    /// What is wrong.
    pub(super) message: String,
}

impl Failure {
    fn of(subject: &str, message: String) -> Failure {
        let root = subject.split('.').next().unwrap_or(subject).to_owned();
        Failure { subject: subject.to_owned(), root, message }
    }
}

/// Renders the text for one model (none: the base text).
///
/// # Errors
/// Everything that keeps the call from rendering, in order. None where the text is beyond the budget.
pub(super) fn render(
    prompt: &PromptSide<'_>,
    syntax: &Syntax,
    model: Option<&str>,
    call: &Call,
) -> Option<Result<String, Vec<Failure>>> {
    let mut failures = Vec::new();
    let values = values(prompt, call, &mut failures);
    let mut seen: BTreeSet<String> = failures.iter().map(|failure| failure.subject.clone()).collect();
    let mut rendered = String::new();
    for text in pieces(prompt, model)? {
        let mut at = 0;
        for placeholder in read(text, syntax, Some(prompt.names)) {
            let Some(value) = filled(prompt, syntax, &placeholder, &values) else { continue };
            rendered.push_str(&text[at..placeholder.span.start as usize]);
            at = placeholder.span.end as usize;
            match value {
                Ok(value) => rendered.push_str(&written(&value)),
                // A missing value is said once, not again for each of its placeholders.
                Err(failure) if !seen.insert(failure.subject.clone()) => {}
                Err(failure) => failures.push(failure),
            }
        }
        rendered.push_str(&text[at..]);
    }
    Some(if failures.is_empty() { Ok(rendered) } else { Err(failures) })
}

/// The expanded pieces of the text for one model, in order.
fn pieces<'p>(prompt: &'p PromptSide<'_>, model: Option<&str>) -> Option<Vec<&'p str>> {
    let base = prompt.texts.base.as_ref();
    let model = model.and_then(|model| prompt.texts.overrides.get(model));
    let texts = match model {
        None => vec![base],
        Some(own) => vec![own.prefix.as_ref(), own.replacement.as_ref().or(base), own.suffix.as_ref()],
    };
    texts.into_iter().flatten().map(|text| text.expanded.as_deref()).collect()
}

/// What each declared variable holds; a variable that nothing fills is absent.
fn values<'p>(
    prompt: &'p PromptSide<'_>,
    call: &'p Call,
    failures: &mut Vec<Failure>,
) -> BTreeMap<&'p str, Cow<'p, Value>> {
    let mut values = BTreeMap::new();
    for side in prompt.variables.iter().rev() {
        let (name, variable) = (side.name(), side.variable);
        let supplied = call.get(name).filter(|value| !value.is_null());
        let is_empty = supplied.and_then(Value::as_str) == Some("");
        match supplied {
            _ if side.is_must() && (supplied.is_none() || is_empty) => {
                failures.push(Failure::of(name, format!("required variable `{name}` is missing")));
            }
            Some(value) if Constraints::of(variable).accept(value) => {
                values.insert(name, Cow::Borrowed(value));
            }
            Some(value) => {
                failures.push(Failure::of(
                    name,
                    format!("variable `{name}` does not allow {}", shortened(value)),
                ));
            }
            None if side.is_auto() => {
                values.insert(name, Cow::Owned(Value::from("…")));
            }
            None if side.has_usable_default() => {
                let default = variable.default_value().map(|default| default.to_value());
                values.extend(default.map(|default| (name, Cow::Owned(default))));
            }
            None => {}
        }
    }
    failures.reverse();
    values
}

/// What takes the place of a placeholder; none where it is left alone without harm.
fn filled(
    prompt: &PromptSide<'_>,
    syntax: &Syntax,
    placeholder: &Placeholder<'_>,
    values: &BTreeMap<&str, Cow<'_, Value>>,
) -> Option<Result<Value, Failure>> {
    let body = normal_body(placeholder, &BTreeMap::new());
    let left = |body: &str| {
        let message = format!("placeholder `{}{body}{}` stays in the text", syntax.open(), syntax.close());
        Some(Err(Failure::of(body, message)))
    };
    if is_badly_spaced(placeholder, syntax) {
        return left(&format!(" {} ", placeholder.body));
    }
    match prompt.names.classify(placeholder) {
        Class::Variable(name) => {
            let path = match &placeholder.form {
                Form::Path(path) => path.rest.as_slice(),
                _ => &[],
            };
            let value = values.get(name).and_then(|value| part(value, path));
            value.map_or_else(|| left(&body), |value| Some(Ok(value.clone())))
        }
        Class::Artifact(_) | Class::Runtime(_) => Some(Ok(Value::from("…"))),
        Class::None if placeholder.form == Form::Logic => None,
        Class::Fragment(_) | Class::Undeclared(_) | Class::None => left(&body),
    }
}

/// The part of a value that a path names. What the runtime supplies has every part.
fn part<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    let mut value = value;
    for key in path {
        value = match value {
            Value::Object(members) => members.get(*key)?,
            Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
            Value::String(text) if text == "…" => value,
            _ => return None,
        };
    }
    Some(value)
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value as messages show it.
fn shortened(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return format!("`{text}`");
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("`{start}…` ({} characters)", text.chars().count())
}
