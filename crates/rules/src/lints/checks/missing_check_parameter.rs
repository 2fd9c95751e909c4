//! Flags checks of a well-known type that lack what the type needs.

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "missing-check-parameter",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a validator or eval lacks a parameter that its type needs",
    why: "The check cannot run: runtimes skip it or fail, and the guardrail that readers see is not there.",
    fix: "Add the parameter to `params`.",
    example: r#"{ "type": "max_length", "params": { "limit": 500 } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let validators = pack.prompts().iter().flat_map(|prompt| prompt.prompt.validators());
    for check in validators.map(|validator| validator.0).chain(evals(pack).map(|eval| eval.0)) {
        let Some((kind, place)) = check.get("type").and_then(|node| Some((node.as_str()?, node))) else {
            continue;
        };
        let Some(need) = need(kind) else { continue };
        let params = check.get("params");
        let mut given = need.names.iter().filter_map(|name| params?.get(name)).peekable();
        let first = given.peek().copied();
        if given.any(|value| need.is_met(value) || is_placeholder(pack, value)) {
            continue;
        }
        let name = first.and_then(Node::key).unwrap_or(need.names[0]);
        let draft = match first {
            Some(value) => findings.report(value, format!("`{name}` of `{kind}` must be {}", need.value)),
            None => findings.report(
                params.unwrap_or(place),
                format!("the check `{kind}` needs `{}` in `params`", need.names.join("` or `")),
            ),
        };
        draft.help(format!("set `{name}` to {}", need.value));
    }
}

/// What a type needs: one of these parameters, with such a value.
struct Need {
    names: &'static [&'static str],
    value: &'static str,
    meets: fn(Node<'_>) -> bool,
}

impl Need {
    fn is_met(&self, value: Node<'_>) -> bool {
        (self.meets)(value)
    }
}

fn need(kind: &str) -> Option<Need> {
    let need = |names, value, meets| Some(Need { names, value, meets });
    match kind {
        "banned_words" => {
            need(&["words"], "a list of at least one word", |value| value.is_array() && !value.is_empty())
        }
        "length" | "max_length" => {
            let names = &["max", "max_characters", "max_chars", "max_tokens"];
            need(names, "a positive number", |value| value.as_f64().is_some_and(|number| number > 0.0))
        }
        "min_length" => {
            need(&["min", "min_characters", "min_chars"], "a number", |value| value.as_f64().is_some())
        }
        "regex" | "regex_match" => need(&["pattern"], "a regular expression", is_text),
        "json_schema" => need(&["schema"], "a JSON Schema", |value| {
            value.is_object() || value.as_bool().is_some() || is_text(value)
        }),
        _ => None,
    }
}

fn is_text(value: Node<'_>) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Whether a variable gives the value at run time.
fn is_placeholder(pack: &Facts<'_>, value: Node<'_>) -> bool {
    value.as_str().is_some_and(|text| text.contains(pack.syntax.open()))
}
