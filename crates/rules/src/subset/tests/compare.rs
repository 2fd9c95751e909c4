//! Where two versions differ, and that both directions say so alike.

use serde_json::{Value, json};

use crate::subset::{Comparison, Kind, Verdict, compare};

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn mirror(kind: Kind) -> Vec<Kind> {
    match kind {
        Kind::RequiredAdded | Kind::OptionalAdded => vec![Kind::Removed],
        Kind::Removed => vec![Kind::RequiredAdded, Kind::OptionalAdded],
        Kind::BecameRequired => vec![Kind::BecameOptional],
        Kind::BecameOptional => vec![Kind::BecameRequired],
        Kind::TypeNarrowed => vec![Kind::TypeWidened],
        Kind::TypeWidened => vec![Kind::TypeNarrowed],
        Kind::EnumAdded => vec![Kind::EnumRemoved],
        Kind::EnumRemoved => vec![Kind::EnumAdded],
        Kind::EnumValueRemoved => vec![Kind::EnumValueAdded],
        Kind::EnumValueAdded => vec![Kind::EnumValueRemoved],
        Kind::ConstraintTightened => vec![Kind::ConstraintRelaxed],
        Kind::ConstraintRelaxed => vec![Kind::ConstraintTightened],
        Kind::Closed => vec![Kind::Opened],
        Kind::Opened => vec![Kind::Closed],
        Kind::ParamsAdded => vec![Kind::ParamsRemoved],
        Kind::ParamsRemoved => vec![Kind::ParamsAdded],
        Kind::CombinatorNarrowed => vec![Kind::CombinatorWidened],
        Kind::CombinatorWidened => vec![Kind::CombinatorNarrowed],
        same => vec![same],
    }
}

fn shown(comparison: &Comparison) -> Vec<(Kind, String)> {
    let at = |difference: &crate::subset::Difference| {
        difference.new.as_ref().or(difference.old.as_ref()).map(ToString::to_string).unwrap_or_default()
    };
    comparison.differences.iter().map(|difference| (difference.kind, at(difference))).collect()
}

/// Compares both ways: forward as expected, backward mirrored.
fn check(old: Option<&Value>, new: Option<&Value>, expected: &[(Kind, &str)]) -> Comparison {
    let forth = compare(old, new);
    let expected: Vec<(Kind, String)> = expected.iter().map(|(kind, at)| (*kind, (*at).to_owned())).collect();
    assert_eq!(shown(&forth), expected, "{old:?} to {new:?}: {forth:?}");
    let back = compare(new, old);
    assert_eq!(back.differences.len(), forth.differences.len(), "{old:?} to {new:?}: {forth:?} {back:?}");
    for difference in &forth.differences {
        let found = back.differences.iter().any(|other| {
            // What cannot be compared counts as narrowed, whichever way one looks.
            let incomparable =
                difference.kind == Kind::CombinatorNarrowed && forth.verdict == Verdict::Changed;
            (incomparable && other.kind == Kind::CombinatorNarrowed)
                || mirror(difference.kind).contains(&other.kind)
                    && other.old == difference.new
                    && other.new == difference.old
        });
        assert!(found, "no mirror of {difference:?} in {back:?}");
    }
    forth
}

fn check_both(old: Value, new: Value, expected: &[(Kind, &str)]) -> Comparison {
    check(Some(&old), Some(&new), expected)
}

#[test]
fn equivalent_rewrites_are_silent() {
    for (old, new) in super::rewrites() {
        let comparison = check_both(old, new, &[]);
        assert_eq!(comparison.verdict, Verdict::Equal);
    }
    check(None, Some(&json!({"type": "object"})), &[]);
    check(None, Some(&json!({})), &[]);
}

#[test]
fn parameters_come_and_go() {
    let old = object(json!({"a": {"type": "string"}}));
    let both = object(json!({"a": {"type": "string"}, "b": {"type": "integer"}}));
    let comparison = check_both(old.clone(), both.clone(), &[(Kind::OptionalAdded, "/properties/b")]);
    assert_eq!(comparison.verdict, Verdict::Widened);
    let comparison = compare(Some(&both), Some(&old));
    assert_eq!((comparison.verdict, &comparison.differences[0].witness), (Verdict::Narrowed, &None));
    let must = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]});
    let comparison = check_both(old.clone(), must, &[(Kind::RequiredAdded, "/properties/b")]);
    assert_eq!(comparison.differences[0].witness, Some(json!({})));
    let closed = |properties: Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
    let comparison = check_both(
        closed(json!({"a": {"type": "string"}, "b": {"type": "integer"}})),
        closed(json!({"a": {"type": "string"}})),
        &[(Kind::Removed, "/properties/b")],
    );
    assert_eq!(comparison.differences[0].witness, Some(json!({"b": 0})));
    check_both(
        object(json!({"a": {"type": "object", "properties": {"x": {}}}})),
        object(json!({"a": {"type": "object", "properties": {"x": {}, "y": {}}}})),
        &[(Kind::OptionalAdded, "/properties/a/properties/y")],
    );
    let patterns = |listed: Value| json!({"type": "object", "patternProperties": listed});
    check_both(
        object(json!({"x": {}})),
        patterns(json!({"^x": {}})),
        &[(Kind::OptionalAdded, "/patternProperties/^x")],
    );
    check_both(
        patterns(json!({"^x": {}})),
        patterns(json!({"^x": {}, "^xy": {"type": "null"}})),
        &[(Kind::ConstraintTightened, "/patternProperties/^xy")],
    );
    // What cannot be sent is no parameter.
    check_both(object(json!({"a": {}})), object(json!({"a": {}, "b": false})), &[]);
}

#[test]
fn renames_are_seen() {
    let old = object(json!({"number": {"type": "string", "pattern": "^[0-9]+$"}, "x": {"type": "integer"}}));
    let new = object(json!({"id": {"type": "string", "pattern": "^[0-9]+$"}, "x": {"type": "integer"}}));
    check_both(old, new, &[(Kind::Renamed, "/properties/id")]);
    check_both(
        object(json!({"a": {"type": "string"}, "b": {"type": "string"}})),
        object(json!({"c": {"type": "string"}})),
        &[
            (Kind::Removed, "/properties/a"),
            (Kind::Removed, "/properties/b"),
            (Kind::OptionalAdded, "/properties/c"),
        ],
    );
}

#[test]
fn obligations() {
    let with =
        |required: Value| json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": required});
    let comparison =
        check_both(with(json!([])), with(json!(["a"])), &[(Kind::BecameRequired, "/properties/a")]);
    assert_eq!(comparison.differences[0].witness, Some(json!({})));
    check_both(with(json!(["a", "b"])), with(json!(["b", "a"])), &[]);
    // Forced by another keyword.
    let forced = |required: Value| json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false, "minProperties": 1, "required": required});
    check_both(forced(json!([])), forced(json!(["a"])), &[]);
}

/// Two versions of a parameter, and what differs where below it.
type Row = (Value, Value, Vec<(Kind, &'static str)>);

fn rows() -> Vec<Row> {
    vec![
        (json!({"type": "number"}), json!({"type": "integer"}), vec![(Kind::TypeNarrowed, "/type")]),
        (json!({"type": ["string", "null"]}), json!({"type": "string"}), vec![(Kind::TypeNarrowed, "/type")]),
        (json!({"type": "string"}), json!({"type": "integer"}), vec![(Kind::TypeChanged, "/type")]),
        (json!({}), json!({"type": "integer"}), vec![(Kind::TypeNarrowed, "/type")]),
        (
            json!({"type": "string"}),
            json!({"type": "string", "enum": ["x"]}),
            vec![(Kind::EnumAdded, "/enum")],
        ),
        (json!({"enum": ["x", "y"]}), json!({"enum": ["y"]}), vec![(Kind::EnumValueRemoved, "/enum")]),
        (
            json!({"enum": ["x", "y"]}),
            json!({"enum": ["y", "z"]}),
            vec![(Kind::EnumValueRemoved, "/enum"), (Kind::EnumValueAdded, "/enum")],
        ),
        (json!({"const": "x"}), json!({"const": "y"}), vec![(Kind::ConstChanged, "/const")]),
        (json!({"const": 1}), json!({"const": 1.0}), vec![]),
        (
            json!({"type": "string", "maxLength": 5}),
            json!({"type": "string", "maxLength": 3}),
            vec![(Kind::ConstraintTightened, "/maxLength")],
        ),
        (json!({"type": "integer", "minimum": 5}), json!({"type": "integer", "exclusiveMinimum": 4}), vec![]),
        (
            json!({"type": "integer", "minimum": 5}),
            json!({"type": "integer", "exclusiveMinimum": 5}),
            vec![(Kind::ConstraintTightened, "/exclusiveMinimum")],
        ),
        (json!({"enum": ["xx"], "maxLength": 9}), json!({"enum": ["xx"], "maxLength": 3}), vec![]),
    ]
}

fn more_rows() -> Vec<Row> {
    vec![
        (
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string", "pattern": "^ab"}),
            vec![(Kind::ConstraintTightened, "/pattern")],
        ),
        (
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string", "pattern": "b$"}),
            vec![(Kind::PatternChanged, "/pattern")],
        ),
        (
            json!({"type": "string", "pattern": "^(a|b)$"}),
            json!({"type": "string", "pattern": "^[ab]$"}),
            vec![],
        ),
        (
            json!({"type": "string", "format": "date"}),
            json!({"type": "string", "format": "time"}),
            vec![(Kind::FormatChanged, "/format")],
        ),
        (
            json!({"type": "string", "default": "x", "title": "a"}),
            json!({"type": "string", "default": "y", "title": "b"}),
            vec![(Kind::DefaultChanged, "/default"), (Kind::DescriptionChanged, "/title")],
        ),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
            vec![(Kind::ConstraintTightened, "/items/minLength")],
        ),
        (
            json!({"type": "array", "uniqueItems": true}),
            json!({"type": "array"}),
            vec![(Kind::ConstraintRelaxed, "/uniqueItems")],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}),
            vec![(Kind::ConstraintTightened, "/anyOf/0/maxLength")],
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string"}]}),
            vec![(Kind::CombinatorNarrowed, "/anyOf")],
        ),
        (
            json!({"type": "integer", "not": {"const": 3}}),
            json!({"type": "integer", "not": {"enum": [3, 4]}}),
            vec![(Kind::CombinatorNarrowed, "/not")],
        ),
        // The branch allows more, so that values which fitted one branch alone now fit two.
        (
            json!({"oneOf": [{"type": "string"}, {"properties": {"c": {"type": "null"}}}, {"required": ["b"]}]}),
            json!({"oneOf": [{"type": "string"}, {"properties": {"c": {"type": "null"}}}, {}]}),
            vec![(Kind::CombinatorNarrowed, "/oneOf/2")],
        ),
    ]
}

#[test]
fn values_of_parameters() {
    let of = |schema: Value| object(json!({ "a": schema }));
    for (old, new, expected) in rows().into_iter().chain(more_rows()) {
        let expected: Vec<(Kind, String)> =
            expected.into_iter().map(|(kind, at)| (kind, format!("/properties/a{at}"))).collect();
        let expected: Vec<(Kind, &str)> = expected.iter().map(|(kind, at)| (*kind, at.as_str())).collect();
        check_both(of(old), of(new), &expected);
    }
}

#[test]
fn closing_and_opening() {
    let open = object(json!({"a": {}}));
    let closed = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    let comparison = check_both(open, closed, &[(Kind::Closed, "/additionalProperties")]);
    assert!(comparison.differences[0].witness.is_some());
    assert_eq!(comparison.verdict, Verdict::Narrowed);
}

#[test]
fn whole_schemas_come_and_go() {
    let comparison = check(None, Some(&object(json!({"a": {"type": "string"}}))), &[(Kind::ParamsAdded, "")]);
    assert!(comparison.differences[0].witness.is_some());
    check(None, Some(&object(json!({"a": {}}))), &[(Kind::OptionalAdded, "/properties/a")]);
}

#[test]
fn differences_that_mask_each_other_are_seen() {
    check_both(
        object(json!({"a": {"allOf": [{"minLength": 5}, {"pattern": "^[\\s\\S]{5}"}], "type": "string"}})),
        object(json!({"a": {"allOf": [{"minLength": 1}, {"pattern": "^[\\s\\S]"}], "type": "string"}})),
        &[
            (Kind::ConstraintRelaxed, "/properties/a/allOf/0/minLength"),
            (Kind::ConstraintRelaxed, "/properties/a/allOf/1/pattern"),
        ],
    );
}

#[test]
fn what_no_difference_explains_belongs_to_combinators() {
    check_both(
        object(json!({"a": {"anyOf": [{"const": 1}, {"const": 2}, {"const": 3}]}})),
        object(json!({"a": {"anyOf": [{"enum": [1, 2]}, {"const": 4}]}})),
        &[(Kind::CombinatorNarrowed, "/properties/a/anyOf")],
    );
}

#[test]
fn references_are_followed() {
    let of = |schema: Value| json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": schema}});
    check_both(
        of(json!({"type": "string"})),
        of(json!({"type": "string", "minLength": 2})),
        &[(Kind::ConstraintTightened, "/$defs/x/minLength")],
    );
    check_both(
        of(json!({"type": "string", "description": "x"})),
        object(json!({"a": {"type": "string", "description": "x"}})),
        &[],
    );
}

#[test]
fn what_is_undecided_is_said() {
    let of = |schema: Value| object(json!({ "a": schema }));
    let comparison = check_both(
        of(json!({"type": "string", "pattern": "^(?:(a+)\\1)$"})),
        of(json!({"type": "string", "pattern": "^(?:(a+)\\1b)$"})),
        &[(Kind::PatternChanged, "/properties/a/pattern")],
    );
    assert!(comparison.differences[0].reason.is_some() || comparison.differences[0].witness.is_some());
    check_both(
        of(json!({"$ref": "https://example.com/a.json"})),
        of(json!({"$ref": "https://example.com/b.json"})),
        &[(Kind::Undecidable, "/properties/a/$ref")],
    );
}

#[test]
fn many_differences_end() {
    let of = |offset: usize| {
        let members: serde_json::Map<String, Value> = (0..2_000)
            .map(|at| (format!("p{at}"), json!({"type": "integer", "minimum": at + offset})))
            .collect();
        object(Value::Object(members))
    };
    let comparison = compare(Some(&of(0)), Some(&of(1)));
    assert_eq!(comparison.differences.len(), 2_000);
}

#[test]
fn a_reference_that_leads_away_is_one_difference_whatever_it_replaces() {
    let local = json!({"type": "string", "minLength": 2, "pattern": "^a"});
    for reference in [
        json!({"$ref": "https://example.com/zip.json"}),
        json!({"$ref": "#/$defs/zip"}),
        json!({"$ref": "#/$defs/zip", "$comment": "The code."}),
        json!({"$dynamicRef": "#zip"}),
    ] {
        check_both(
            object(json!({"zip": local})),
            object(json!({"zip": reference})),
            &[(Kind::Undecidable, "/properties/zip")],
        );
    }
    // What stands beside a reference is compared for itself.
    let comparison = compare(
        Some(&object(json!({"zip": {"minLength": 2}}))),
        Some(&object(json!({"zip": {"$ref": "https://example.com/zip.json", "minLength": 2}}))),
    );
    assert_eq!(shown(&comparison), [(Kind::Undecidable, "/properties/zip/$ref".to_owned())]);
}

#[test]
fn limits_beyond_any_witness_are_still_tighter() {
    let cases = [
        (
            json!({"type": "string", "minLength": 1_000_000_000}),
            json!({"type": "string", "minLength": 1_000_000_001}),
            "minLength",
        ),
        (
            json!({"type": "string", "maxLength": 1_000_000_001}),
            json!({"type": "string", "maxLength": 1_000_000_000}),
            "maxLength",
        ),
        (
            json!({"type": "array", "minItems": 100_000}),
            json!({"type": "array", "minItems": 100_001}),
            "minItems",
        ),
        (
            json!({"type": "array", "maxItems": 100_001}),
            json!({"type": "array", "maxItems": 100_000}),
            "maxItems",
        ),
    ];
    for (old, new, keyword) in cases {
        let place = format!("/properties/a/{keyword}");
        let comparison = check_both(
            object(json!({"a": old})),
            object(json!({"a": new})),
            &[(Kind::ConstraintTightened, place.as_str())],
        );
        assert_eq!(comparison.verdict, Verdict::Narrowed);
        assert_eq!((&comparison.differences[0].witness, comparison.differences[0].reason), (&None, None));
    }
}
