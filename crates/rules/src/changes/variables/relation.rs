//! How the sets of values that two declarations allow relate.

use serde_json::Value;

use super::values::Constraints;
use crate::subset::{Budget, Inclusion, Names, Reason};

/// How what NEW allows relates to what OLD allows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Relation {
    /// Both allow the same values.
    Equal,
    /// NEW allows only some of them; this one it refuses, where it is not too large to be built.
    Narrower(Option<Value>),
    /// NEW allows all of them, and more.
    Wider,
    /// Each allows something that the other refuses; NEW refuses this, where it is not too large to be built.
    Overlapping(Option<Value>),
    /// It could not be decided.
    Unknown(Reason),
}

/// Relates two declarations as the schemas that they are.
pub(crate) fn relate(before: &Constraints<'_>, after: &Constraints<'_>, budget: &Budget) -> Relation {
    relate_schemas(&before.schema(), &after.schema(), budget)
}

/// The shortest text that a declaration allows and that is not empty.
pub(crate) fn shortest_text(constraints: &Constraints<'_>, budget: &Budget) -> Option<Value> {
    let schema = Constraints { nonempty: true, ..constraints.clone() }.schema();
    match budget.includes(&schema, &Value::Bool(false), Names::Any) {
        Inclusion::Fails(value) => Some(value),
        Inclusion::Holds | Inclusion::Vast | Inclusion::Undecided(_) => None,
    }
}

/// Relates two schemas.
pub(super) fn relate_schemas(before: &Value, after: &Value, budget: &Budget) -> Relation {
    let back = budget.includes(after, before, Names::Any);
    let refused = match budget.includes(before, after, Names::Any) {
        Inclusion::Fails(value) => Some(value),
        Inclusion::Vast => None,
        Inclusion::Undecided(reason) => return Relation::Unknown(reason),
        Inclusion::Holds => {
            return match back {
                Inclusion::Holds => Relation::Equal,
                Inclusion::Fails(_) | Inclusion::Vast => Relation::Wider,
                Inclusion::Undecided(reason) => Relation::Unknown(reason),
            };
        }
    };
    // A value that is refused now settles it, whatever else is newly allowed.
    match back {
        Inclusion::Holds => Relation::Narrower(refused),
        _ => Relation::Overlapping(refused),
    }
}

#[cfg(test)]
mod tests {
    use pack::Document;
    use pack::model::Variable;

    use super::*;

    fn check(left: &str, right: &str, equal: bool) {
        let read = |text: &str| Document::parse(text.as_bytes()).0.expect("JSON");
        let (left_document, right_document) = (read(left), read(right));
        let relation = relate(
            &Constraints::of(Variable(left_document.root())),
            &Constraints::of(Variable(right_document.root())),
            &Budget::default(),
        );
        assert_eq!(relation == Relation::Equal, equal, "{left} and {right}: {relation:?}");
    }

    #[test]
    fn equal_sets_are_equal_however_they_are_written() {
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
        check(
            r#"{"type": "string", "validation": {"pattern": "^[a-c]{2,}$", "max_length": 3}}"#,
            r#"{"type": "string", "validation": {"pattern": "^[abc]{2,3}$"}}"#,
            true,
        );
        check(r#"{"type": "string"}"#, r#"{"type": "string", "validation": {"min_length": 0}}"#, true);
        check(r#"{"type": "string"}"#, r#"{"type": "string", "validation": {"min_length": 1}}"#, false);
        check(
            r#"{"type": "string", "validation": {"enum": []}}"#,
            r#"{"type": "number", "validation": {"enum": []}}"#,
            true,
        );
    }
}
