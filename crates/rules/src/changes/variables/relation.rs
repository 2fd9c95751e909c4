//! How the sets of values that two declarations allow relate.

use serde_json::Value;

use super::values::Constraints;
use crate::subset::{Inclusion, Names, Reason, includes};

/// How what NEW allows relates to what OLD allows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Relation {
    /// Both allow the same values.
    Equal,
    /// NEW allows only some of them; this one it refuses.
    Narrower(Value),
    /// NEW allows all of them, and more.
    Wider,
    /// Each allows something that the other refuses; NEW refuses this.
    Overlapping(Value),
    /// It could not be decided.
    Unknown(Reason),
}

/// Relates two declarations as the schemas that they are.
pub(crate) fn relate(before: &Constraints<'_>, after: &Constraints<'_>) -> Relation {
    relate_schemas(&before.schema(), &after.schema())
}

/// Relates two schemas.
pub(super) fn relate_schemas(before: &Value, after: &Value) -> Relation {
    let forth = includes(before, after, Names::Any);
    match (forth, includes(after, before, Names::Any)) {
        (Inclusion::Holds, Inclusion::Holds) => Relation::Equal,
        (Inclusion::Fails(value), Inclusion::Holds) => Relation::Narrower(value),
        (Inclusion::Holds, Inclusion::Fails(_)) => Relation::Wider,
        (Inclusion::Fails(value), Inclusion::Fails(_)) => Relation::Overlapping(value),
        // A value that is refused now settles it, whatever else is newly allowed.
        (Inclusion::Fails(value), Inclusion::Undecided(_)) => Relation::Overlapping(value),
        (Inclusion::Undecided(reason), _) | (_, Inclusion::Undecided(reason)) => Relation::Unknown(reason),
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
