//! What tools take: the JSON Schema of their arguments (catalogue 3.4 and 4).
//!
//! The comparison itself is [`subset::compare`]'s. Here each difference gets its rule, its place, and its words.

use ::pack::Pointer;
use ::pack::json::{JsonType, Node};
use ::pack::model::Tool;
use serde_json::{Value, json};

use crate::change::{Bump, Bumps, Certainty, ChangeRule, Witness};
use crate::changes::pack::unknown::CHANGED as UNKNOWN_CHANGED;
use crate::changes::report::{At, Changes};
use crate::subset::{self, Budget, Difference, Kind, Reason};

mod rules;

/// The rules on parameters, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &rules::REQUIRED_ADDED,
    &rules::OPTIONAL_ADDED,
    &rules::REMOVED,
    &rules::RENAMED,
    &rules::BECAME_REQUIRED,
    &rules::BECAME_OPTIONAL,
    &rules::TYPE_NARROWED,
    &rules::TYPE_WIDENED,
    &rules::TYPE_CHANGED,
    &rules::ENUM_ADDED,
    &rules::ENUM_VALUE_REMOVED,
    &rules::ENUM_REMOVED,
    &rules::ENUM_VALUE_ADDED,
    &rules::CONST_CHANGED,
    &rules::CONSTRAINT_TIGHTENED,
    &rules::CONSTRAINT_RELAXED,
    &rules::PATTERN_CHANGED,
    &rules::FORMAT_CHANGED,
    &rules::CLOSED,
    &rules::OPENED,
    &rules::ADDED,
    &rules::GONE,
    &rules::COMBINATOR_NARROWED,
    &rules::COMBINATOR_WIDENED,
    &rules::UNDECIDABLE,
    &rules::DEFAULT_CHANGED,
    &rules::DESCRIPTION_CHANGED,
];

fn rule(kind: Kind) -> &'static ChangeRule {
    match kind {
        Kind::RequiredAdded => &rules::REQUIRED_ADDED,
        Kind::OptionalAdded => &rules::OPTIONAL_ADDED,
        Kind::Removed => &rules::REMOVED,
        Kind::Renamed => &rules::RENAMED,
        Kind::BecameRequired => &rules::BECAME_REQUIRED,
        Kind::BecameOptional => &rules::BECAME_OPTIONAL,
        Kind::TypeNarrowed => &rules::TYPE_NARROWED,
        Kind::TypeWidened => &rules::TYPE_WIDENED,
        Kind::TypeChanged => &rules::TYPE_CHANGED,
        Kind::EnumAdded => &rules::ENUM_ADDED,
        Kind::EnumRemoved => &rules::ENUM_REMOVED,
        Kind::EnumValueRemoved => &rules::ENUM_VALUE_REMOVED,
        Kind::EnumValueAdded => &rules::ENUM_VALUE_ADDED,
        Kind::ConstChanged => &rules::CONST_CHANGED,
        Kind::ConstraintTightened => &rules::CONSTRAINT_TIGHTENED,
        Kind::ConstraintRelaxed => &rules::CONSTRAINT_RELAXED,
        Kind::PatternChanged => &rules::PATTERN_CHANGED,
        Kind::FormatChanged => &rules::FORMAT_CHANGED,
        Kind::Closed => &rules::CLOSED,
        Kind::Opened => &rules::OPENED,
        Kind::ParamsAdded => &rules::ADDED,
        Kind::ParamsRemoved => &rules::GONE,
        Kind::CombinatorNarrowed => &rules::COMBINATOR_NARROWED,
        Kind::CombinatorWidened => &rules::COMBINATOR_WIDENED,
        Kind::Undecidable => &rules::UNDECIDABLE,
        Kind::DefaultChanged => &rules::DEFAULT_CHANGED,
        Kind::DescriptionChanged => &rules::DESCRIPTION_CHANGED,
        Kind::UnknownChanged => &UNKNOWN_CHANGED,
    }
}

/// One tool and its schemas on both sides.
struct Pair<'a> {
    key: &'a str,
    old: Option<Node<'a>>,
    new: Option<Node<'a>>,
    /// The schema of NEW, as a validator takes it.
    target: Option<Value>,
}

/// States how the arguments that a tool takes moved.
pub(super) fn compare<'a>((old, new): (Tool<'a>, Tool<'a>), budget: &Budget, changes: &mut Changes<'a>) {
    let parameters = |tool: Tool<'a>| tool.parameters().filter(|parameters| !parameters.is_null());
    let (old_node, new_node) = (parameters(old), parameters(new));
    let arguments = |node| of_objects(subset::value_of(node));
    let (source, target) = (old_node.map(arguments), new_node.map(arguments));
    let comparison = budget.compare(source.as_ref(), target.as_ref());
    let pair = Pair { key: new.name_key(), old: old_node, new: new_node, target };
    for difference in &comparison.differences {
        report(&pair, difference, changes);
    }
}

/// The schema of the objects that `schema` takes: a call sends an object, whatever else its schema would allow.
fn of_objects(mut schema: Value) -> Value {
    let object = || Value::from("object");
    match &mut schema {
        Value::Bool(true) => return json!({ "type": "object" }),
        Value::Object(keywords) => match keywords.get_mut("type") {
            None => drop(keywords.insert("type".to_owned(), object())),
            Some(types) => {
                if types.as_array().is_some_and(|types| types.contains(&object())) {
                    *types = object();
                }
            }
        },
        _ => {}
    }
    schema
}

fn report<'a>(pair: &Pair<'a>, difference: &Difference, changes: &mut Changes<'a>) {
    let find = |schema: Option<Node<'a>>, pointer: &Option<Pointer>| {
        schema.zip(pointer.as_ref()).map(|(schema, pointer)| below(schema, pointer))
    };
    let (old, new) = (find(pair.old, &difference.old), find(pair.new, &difference.new));
    let rule = rule(difference.kind);
    let message = message(pair.key, difference, old, new);
    let draft = changes.report(rule, At::either(old, new), message);
    match (&difference.witness, difference.reason) {
        (Some(value), _) => {
            if matches!(difference.kind, Kind::Removed | Kind::Renamed) {
                draft.bumps(Bumps::table("MMM"));
            }
            draft.proven().witness(witness(value, pair.target.as_ref()));
        }
        (None, Some(reason)) => {
            draft.possible(reason.as_str());
        }
        // A break that no argument shows is not proven by the packs alone.
        (None, None) if rule.certainty == Certainty::Proven && rule.bumps.wire == Bump::Major => {
            draft.possible("no-witness");
        }
        (None, None) => {}
    }
}

/// The value that a pointer below a schema names; the nearest one above where the text has none.
fn below<'a>(schema: Node<'a>, pointer: &Pointer) -> Node<'a> {
    let mut node = schema;
    for token in pointer.tokens() {
        let next = match token.parse().ok().filter(|_| node.is_array()) {
            Some(at) => node.items().nth(at),
            None => node.get(&token),
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

fn witness(value: &Value, target: Option<&Value>) -> Witness {
    let refusal = target.and_then(|target| subset::refusal(target, value));
    Witness {
        kind: "tool-args".to_owned(),
        input: value.clone(),
        old_result: "accepted".to_owned(),
        new_result: refusal.unwrap_or_else(|| "refused".to_owned()),
    }
}

/// The difference in words.
fn message(tool: &str, difference: &Difference, old: Option<Node<'_>>, new: Option<Node<'_>>) -> String {
    let name = &difference.name;
    let subject = subject(difference);
    match difference.kind {
        Kind::RequiredAdded => format!("{subject} of tool `{tool}` is new and has to be sent"),
        Kind::OptionalAdded => format!("{subject} of tool `{tool}` is new and may be sent"),
        Kind::Removed => format!("{subject} of tool `{tool}` is no longer declared"),
        Kind::Renamed => {
            let before = difference.old.as_ref().map(path).unwrap_or_default();
            format!("parameter `{before}` of tool `{tool}` is now called `{}`", path_of(difference))
        }
        Kind::BecameRequired => format!("parameter `{name}` of tool `{tool}` has to be sent from now on"),
        Kind::BecameOptional => format!("parameter `{name}` of tool `{tool}` may be left out from now on"),
        Kind::Closed => {
            format!("{subject} of tool `{tool}` no longer allow{} undeclared names", plural(&subject))
        }
        Kind::Opened => format!("{subject} of tool `{tool}` now allow{} undeclared names", plural(&subject)),
        Kind::ParamsAdded => format!("tool `{tool}` declares its parameters, and no longer takes any object"),
        Kind::ParamsRemoved => {
            format!("tool `{tool}` no longer declares its parameters, and takes any object")
        }
        Kind::EnumValueRemoved => {
            format!("{subject} of tool `{tool}` no longer allow{} {}", plural(&subject), listed(old, new))
        }
        Kind::EnumValueAdded => {
            format!("{subject} of tool `{tool}` also allow{} {}", plural(&subject), listed(new, old))
        }
        Kind::CombinatorNarrowed | Kind::CombinatorWidened if name.is_empty() => {
            let less = if difference.kind == Kind::CombinatorNarrowed {
                "no longer allow"
            } else {
                "now also allow"
            };
            format!("{subject} of tool `{tool}` {less} some values")
        }
        Kind::Undecidable => {
            let reason = difference.reason.map_or("budget", Reason::as_str);
            format!(
                "whether {subject} of tool `{tool}` still allow{} the same could not be decided ({reason})",
                plural(&subject)
            )
        }
        _ => moved(name, &format!("{subject} of tool `{tool}`"), old, new),
    }
}

/// One keyword that is set, gone, or other than it was.
fn moved(keyword: &str, subject: &str, old: Option<Node<'_>>, new: Option<Node<'_>>) -> String {
    let shown = |node: Node<'_>| match node.json_type() {
        JsonType::Number => shortened(node.source()),
        _ => shortened(&node.to_value().to_string()),
    };
    match (old, new) {
        (Some(old), Some(new)) => {
            format!("`{keyword}` of {subject} is {} instead of {}", shown(new), shown(old))
        }
        (None, Some(new)) => format!("`{keyword}` of {subject} is {} from now on", shown(new)),
        (Some(old), None) => format!("`{keyword}` of {subject} is gone, it was {}", shown(old)),
        (None, None) => format!("`{keyword}` of {subject} changed"),
    }
}

/// Values of one list that the other lacks.
fn listed(own: Option<Node<'_>>, other: Option<Node<'_>>) -> String {
    let values = |node: Option<Node<'_>>| -> Vec<Value> {
        match node.map(Node::to_value) {
            Some(Value::Array(values)) => values,
            Some(value) => vec![value],
            None => Vec::new(),
        }
    };
    let others = values(other);
    let missing = values(own).into_iter().filter(|value| !others.contains(value));
    shortened(&missing.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "))
}

/// The most characters of a value in a message.
const MAX_SHOWN: usize = 80;

fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_SHOWN {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(MAX_SHOWN).collect::<String>())
}

/// What the difference is about: a parameter by its path, or the arguments as a whole.
fn subject(difference: &Difference) -> String {
    let path = path_of(difference);
    if path.is_empty() { "the arguments".to_owned() } else { format!("parameter `{path}`") }
}

fn plural(subject: &str) -> &'static str {
    if subject.starts_with("the ") { "" } else { "s" }
}

fn path_of(difference: &Difference) -> String {
    difference.new.as_ref().or(difference.old.as_ref()).map(path).unwrap_or_default()
}

/// The path of a parameter as a reader would write it: `order.lines[].sku`.
fn path(pointer: &Pointer) -> String {
    let mut path = String::new();
    let mut tokens = pointer.tokens();
    while let Some(token) = tokens.next() {
        match &*token {
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                let Some(name) = tokens.next() else { break };
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&name);
            }
            "items" | "prefixItems" => path.push_str("[]"),
            "additionalProperties" => path.push_str(".*"),
            _ => {}
        }
    }
    path
}
