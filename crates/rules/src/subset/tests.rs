//! What is decided, keyword by keyword, and what is said where nothing can be.

use serde_json::{Value, json};

use super::{Inclusion, Names, Reason, includes};

mod compare;
mod limits;

fn within(source: &Value, target: &Value) -> Inclusion {
    includes(source, target, Names::Declared)
}

/// Neither schema allows what the other refuses.
fn check_equal(left: Value, right: Value) {
    assert_eq!(within(&left, &right), Inclusion::Holds, "{left} within {right}");
    assert_eq!(within(&right, &left), Inclusion::Holds, "{right} within {left}");
}

/// The first schema allows strictly less.
fn check_narrower(narrow: Value, wide: Value) {
    assert_eq!(within(&narrow, &wide), Inclusion::Holds, "{narrow} within {wide}");
    let back = within(&wide, &narrow);
    assert!(matches!(back, Inclusion::Fails(_)), "{wide} within {narrow}: {back:?}");
}

fn check_apart(left: Value, right: Value) {
    for (source, target) in [(&left, &right), (&right, &left)] {
        let answer = within(source, target);
        assert!(matches!(answer, Inclusion::Fails(_)), "{source} within {target}: {answer:?}");
    }
}

fn check_witness(source: Value, target: Value, witness: Value) {
    assert_eq!(within(&source, &target), Inclusion::Fails(witness), "{source} within {target}");
}

fn check_undecided(source: Value, target: Value, reason: Reason) {
    assert_eq!(within(&source, &target), Inclusion::Undecided(reason), "{source} within {target}");
}

/// The rewrites that must say nothing.
fn rewrites() -> Vec<(Value, Value)> {
    vec![
        (
            json!({"properties": {"a": {"type": "string", "minLength": 1}}}),
            json!({"properties": {"a": {"$ref": "#/$defs/name"}}, "$defs": {"name": {"type": "string", "minLength": 1}}}),
        ),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!({"type": ["string", "null"]})),
        (json!({"const": 3}), json!({"enum": [3.0]})),
        (
            json!({"type": "object", "properties": {"x": {"type": "string"}}}),
            json!({"type": "object", "patternProperties": {"^x$": {"type": "string"}}}),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "additionalProperties": false}),
            json!({"type": "object", "patternProperties": {"^[ab]$": {"type": "null"}}, "additionalProperties": false}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^(a|b)$": {"type": "null"}}, "additionalProperties": false}),
            json!({"type": "object", "patternProperties": {"^[ab]$": {"type": "null"}}, "additionalProperties": false}),
        ),
        (
            json!({"allOf": [{"type": "object"}, {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]}]}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}),
        ),
        (
            json!({"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}),
            json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}),
        ),
        (
            json!({"not": {"not": {"type": "string", "minLength": 2}}}),
            json!({"type": "string", "minLength": 2}),
        ),
        (json!({"type": "number", "multipleOf": 1}), json!({"type": "integer"})),
        (json!({"type": "string", "pattern": "^(a|b)$"}), json!({"enum": ["a", "b"]})),
        (json!({"type": "integer", "exclusiveMinimum": 4}), json!({"type": "integer", "minimum": 5})),
        (json!({"enum": [1, 2], "maximum": 5}), json!({"enum": [2, 1]})),
        (json!({"type": "object", "additionalProperties": true}), json!({"type": "object"})),
        (json!({"type": "string", "minLength": 0}), json!({"type": "string"})),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": ["a", "a"]}),
            json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
        ),
        (
            json!({"type": "object", "anyOf": [{"required": ["a"]}, {"type": "string"}], "properties": {"a": {}}}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {}}}),
        ),
    ]
}

#[test]
fn equivalent_rewrites_are_equal() {
    for (left, right) in rewrites() {
        check_equal(left, right);
    }
}

#[test]
fn types() {
    check_narrower(json!({"type": "integer"}), json!({"type": "number"}));
    check_narrower(json!({"type": "string"}), json!({"type": ["string", "null"]}));
    check_narrower(json!(false), json!({"type": "null"}));
    check_narrower(json!({"type": "null"}), json!(true));
    check_narrower(json!({"const": 1.0}), json!({"type": "integer"}));
    check_apart(json!({"type": "string"}), json!({"type": "boolean"}));
    check_witness(json!({"type": "number"}), json!({"type": "integer"}), json!(0.5));
}

#[test]
fn constants() {
    check_narrower(json!({"enum": ["a"]}), json!({"enum": ["b", "a"]}));
    check_narrower(json!({"enum": [true, false]}), json!({"type": ["boolean", "null"]}));
    check_equal(json!({"enum": [true, false, null]}), json!({"type": ["boolean", "null"]}));
    check_equal(json!({"const": {"a": [1, 2.0]}}), json!({"enum": [{"a": [1.0, 2]}]}));
    check_narrower(json!({"const": {"a": 1, "b": 2}}), json!({"type": "object", "required": ["a"]}));
    check_narrower(json!({"type": "boolean", "not": {"const": true}}), json!({"type": "boolean"}));
    check_apart(json!({"const": 1}), json!({"const": 2}));
    check_witness(json!({"type": "array"}), json!({"not": {"const": []}}), json!([]));
    check_narrower(json!({"type": "array", "not": {"enum": [[], [null]]}}), json!({"type": "array"}));
    check_equal(
        json!({"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": false,
               "not": {"enum": [{}, {"a": true}]}}),
        json!({"const": {"a": false}}),
    );
}

#[test]
fn numbers() {
    check_narrower(json!({"type": "number", "minimum": 2}), json!({"type": "number", "minimum": 1}));
    check_narrower(json!({"type": "number", "exclusiveMaximum": 2}), json!({"type": "number", "maximum": 2}));
    check_equal(
        json!({"type": "integer", "exclusiveMaximum": 2.5}),
        json!({"type": "integer", "maximum": 2}),
    );
    check_narrower(
        json!({"type": "number", "multipleOf": 0.3}),
        json!({"type": "number", "multipleOf": 0.1}),
    );
    check_narrower(json!({"type": "integer", "multipleOf": 6}), json!({"type": "integer", "multipleOf": 3}));
    check_equal(
        json!({"type": "number", "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
        json!({"type": "integer", "multipleOf": 6}),
    );
    check_apart(json!({"type": "number", "multipleOf": 2}), json!({"type": "number", "multipleOf": 3}));
    check_equal(json!({"type": "integer", "minimum": 1, "maximum": 5, "multipleOf": 3}), json!({"const": 3}));
    check_narrower(json!({"type": "number", "minimum": 1e300}), json!({"type": "number", "minimum": -1e300}));
    check_narrower(
        json!({"type": "number", "minimum": 0, "maximum": 1}),
        json!({"type": "number", "minimum": 0}),
    );
}

#[test]
fn numbers_beyond_the_range_are_said() {
    check_undecided(
        json!({"type": "number", "multipleOf": 1e300}),
        json!({"type": "number", "multipleOf": 1e-300}),
        Reason::NumberRange,
    );
}

#[test]
fn strings() {
    check_narrower(json!({"type": "string", "minLength": 2}), json!({"type": "string", "minLength": 1}));
    check_narrower(json!({"type": "string", "maxLength": 2}), json!({"type": "string"}));
    check_narrower(
        json!({"type": "string", "pattern": "^[a-c]+$"}),
        json!({"type": "string", "pattern": "^[a-z]+$"}),
    );
    check_equal(
        json!({"type": "string", "pattern": "^.{2,4}$"}),
        json!({"type": "string", "pattern": "^...?.?$"}),
    );
    check_equal(
        json!({"type": "string", "pattern": "^[ab]{3}$"}),
        json!({"type": "string", "pattern": "^[ab]+$", "minLength": 3, "maxLength": 3}),
    );
    check_equal(
        json!({"type": "string", "pattern": "a"}),
        json!({"type": "string", "pattern": "^[^a]*a(.|\\n)*$|a"}),
    );
    check_narrower(json!({"enum": ["ab", "cd"]}), json!({"pattern": "^..$"}));
    check_narrower(
        json!({"type": "string", "pattern": "^(?=.*[0-9])[a-z0-9]{4}$"}),
        json!({"type": "string", "pattern": "[0-9]"}),
    );
    check_apart(json!({"type": "string", "pattern": "^a"}), json!({"type": "string", "pattern": "b$"}));
    check_witness(
        json!({"type": "string", "maxLength": 5}),
        json!({"type": "string", "maxLength": 3}),
        json!("aaaa"),
    );
    check_witness(
        json!({"type": "string", "minLength": 1}),
        json!({"type": "string", "pattern": "^\\w*$"}),
        json!(" "),
    );
}

#[test]
fn objects_by_declaration() {
    let old = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    check_equal(
        old.clone(),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}),
    );
    check_narrower(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        old.clone(),
    );
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "additionalProperties": false});
    check_narrower(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
        closed.clone(),
    );
    check_equal(
        old.clone(),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
    );
    let any = includes(
        &old,
        &json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
        Names::Any,
    );
    assert!(matches!(any, Inclusion::Fails(_)), "{any:?}");
    check_witness(
        json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"x": {}}}}}),
        json!({"properties": {"a": {"required": ["x"]}}}),
        json!({"a": {}}),
    );
    check_apart(json!({"type": "object", "required": ["a"]}), json!({"type": "object", "required": ["b"]}));
}

#[test]
fn members_by_pattern_and_rest() {
    let open = json!({"type": "object", "additionalProperties": {"type": "string"}});
    check_narrower(
        json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}}),
        open.clone(),
    );
    check_narrower(
        json!({"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}),
        json!({"type": "object", "patternProperties": {"^x": {"type": "number"}}, "additionalProperties": false}),
    );
    check_narrower(
        json!({"type": "object", "patternProperties": {"^xy": {}}, "additionalProperties": false}),
        json!({"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false}),
    );
    check_equal(
        json!({"type": "object", "patternProperties": {"^(a|b)$": {"type": "null"}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "additionalProperties": false}),
    );
    check_narrower(
        json!({"type": "object", "additionalProperties": {}, "propertyNames": {"maxLength": 2}}),
        json!({"type": "object", "additionalProperties": {}, "propertyNames": {"maxLength": 3}}),
    );
    check_equal(
        json!({"type": "object", "additionalProperties": {}, "propertyNames": {"pattern": "^a$"}}),
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
    );
    check_witness(open.clone(), json!({"additionalProperties": {"minLength": 1}}), json!({"a": ""}));
}

#[test]
fn member_counts() {
    let map = |limits: Value| {
        let mut schema = json!({"type": "object", "additionalProperties": {"type": "null"}});
        schema.as_object_mut().expect("an object").extend(limits.as_object().cloned().expect("limits"));
        schema
    };
    check_narrower(map(json!({"minProperties": 2})), map(json!({"minProperties": 1})));
    check_narrower(map(json!({"maxProperties": 1})), map(json!({"maxProperties": 2})));
    check_witness(map(json!({"minProperties": 1})), map(json!({"minProperties": 3})), json!({"a": null}));
    check_narrower(
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "minProperties": 2}),
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}),
    );
    check_equal(
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "minProperties": 2}),
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "required": ["a", "b"]}),
    );
}

#[test]
fn dependencies() {
    let base = json!({"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}});
    let with = |name: &str, value: Value| {
        let mut schema = base.clone();
        schema.as_object_mut().expect("an object").insert(name.to_owned(), value);
        schema
    };
    check_narrower(with("dependentRequired", json!({"a": ["b"]})), base.clone());
    check_equal(with("dependentRequired", json!({"a": ["b"]})), with("dependencies", json!({"a": ["b"]})));
    check_equal(
        with("dependentRequired", json!({"a": ["b"]})),
        with("if", json!({"required": ["a"]}))
            .as_object()
            .cloned()
            .map(|mut schema| {
                schema.insert("then".to_owned(), json!({"required": ["b"]}));
                Value::Object(schema)
            })
            .expect("a schema"),
    );
    check_narrower(
        with("dependentSchemas", json!({"a": {"required": ["b"], "properties": {"b": {"minimum": 3}}}})),
        with("dependentRequired", json!({"a": ["b"]})),
    );
}

#[test]
fn arrays() {
    let items = |schema: Value| json!({"type": "array", "items": schema});
    check_narrower(items(json!({"type": "integer"})), items(json!({"type": "number"})));
    check_narrower(json!({"type": "array", "minItems": 2}), json!({"type": "array", "minItems": 1}));
    check_narrower(json!({"type": "array", "maxItems": 2}), json!({"type": "array", "maxItems": 3}));
    check_equal(json!({"type": "array", "maxItems": 0}), items(json!(false)));
    check_equal(
        json!({"type": "array", "items": [{"type": "null"}], "additionalItems": false}),
        json!({"type": "array", "prefixItems": [{"type": "null"}], "items": false}),
    );
    check_equal(
        json!({"type": "array", "prefixItems": [{}, false]}),
        json!({"type": "array", "maxItems": 1}),
    );
    check_narrower(json!({"type": "array", "uniqueItems": true}), json!({"type": "array"}));
    check_equal(
        json!({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true}),
        json!({"enum": [[], [1], [2], [1, 2], [2, 1]]}),
    );
    check_narrower(
        json!({"type": "array", "prefixItems": [{"enum": [1, 2]}, {"const": 1}], "minItems": 2, "items": false, "uniqueItems": true}),
        json!({"const": [2, 1.0]})
            .as_object()
            .map(|_| json!({"type": "array", "items": {"type": "integer"}}))
            .expect("a schema"),
    );
    check_equal(
        json!({"type": "array", "prefixItems": [{"enum": [1, 2]}, {"const": 1}], "minItems": 2, "items": false, "uniqueItems": true}),
        json!({"const": [2, 1]}),
    );
}

#[test]
fn contained_items() {
    let contains = |min: u64, max: Option<u64>| {
        let mut schema = json!({"type": "array", "contains": {"const": 1}, "minContains": min});
        if let Some(max) = max {
            schema["maxContains"] = json!(max);
        }
        schema
    };
    check_narrower(contains(2, None), contains(1, None));
    check_narrower(contains(1, Some(2)), contains(1, Some(3)));
    check_equal(contains(0, None), json!({"type": "array"}));
    check_narrower(contains(2, None), json!({"type": "array", "minItems": 2}));
    check_equal(
        json!({"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 1}, "maxItems": 1}),
        json!({"const": [1]}),
    );
    check_narrower(
        json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
        json!({"type": "array", "contains": {"type": "string"}}),
    );
}

#[test]
fn logic() {
    check_narrower(json!({"allOf": [{"minimum": 1}, {"type": "integer"}]}), json!({"type": "integer"}));
    check_narrower(json!({"anyOf": [{"const": 1}, {"const": 2}]}), json!({"enum": [1, 2, 3]}));
    check_equal(
        json!({"oneOf": [{"type": "integer"}, {"minimum": 2}]}),
        json!({"anyOf": [
            {"type": "integer", "exclusiveMaximum": 2},
            {"type": "number", "minimum": 2, "not": {"multipleOf": 1}},
            {"not": {"type": "number"}},
        ]}),
    );
    check_equal(
        json!({"not": {"type": "string"}}),
        json!({"type": ["null", "boolean", "number", "array", "object"]}),
    );
    check_equal(
        json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "integer"}}),
        json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}),
    );
    let union = |last: Value| {
        let mut branches: Vec<Value> = (0..12)
            .map(|at| json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": at}, "x": {"type": "integer"}}}))
            .collect();
        branches.push(last);
        json!({"anyOf": branches})
    };
    check_narrower(
        union(
            json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": 20}, "y": {"maxLength": 2, "type": "string"}}}),
        ),
        union(
            json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": 20}, "y": {"maxLength": 3, "type": "string"}}}),
        ),
    );
}

#[test]
fn recursion() {
    let tree = |extra: Value| {
        json!({
            "$ref": "#/$defs/node",
            "$defs": {"node": {"type": "object", "required": ["value"], "properties": {
                "value": extra, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}},
        })
    };
    check_equal(tree(json!({"type": "integer"})), tree(json!({"type": "integer"})));
    check_narrower(tree(json!({"type": "integer"})), tree(json!({"type": "number"})));
    let unrolled = json!({
        "type": "object", "required": ["value"], "properties": {
            "value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    });
    check_equal(tree(json!({"type": "integer"})), unrolled);
    // Nothing finite satisfies it.
    check_equal(
        json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}),
        json!(false),
    );
    check_undecided(json!({"$ref": "#"}), json!({"type": "string"}), Reason::Budget);
}

#[test]
fn references() {
    check_equal(
        json!({"$ref": "#name", "definitions": {"x": {"$anchor": "name", "type": "null"}}}),
        json!({"type": "null"}),
    );
    check_equal(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/x", "type": "string"}}, "definitions": {"x": {"type": "null"}}}),
        json!({"properties": {"a": {"type": "null"}}}),
    );
    check_undecided(
        json!({"type": "string"}),
        json!({"$ref": "https://example.com/x.json"}),
        Reason::RemoteRef,
    );
    check_equal(
        json!({"$ref": "https://example.com/x.json", "title": "x"}),
        json!({"$ref": "https://example.com/x.json"}),
    );
    check_undecided(json!({"$ref": "#/$defs/gone"}), json!({"type": "string"}), Reason::RemoteRef);
}

#[test]
fn what_cannot_be_decided_says_why() {
    check_undecided(
        json!({"type": "string", "pattern": "^(a+)\\1$"}),
        json!({"type": "string", "pattern": "^aa"}),
        Reason::NonRegularPattern,
    );
    // The same pattern on both sides cancels, and an example proves the narrowing.
    check_narrower(
        json!({"type": "string", "pattern": "^(a+)\\1$", "maxLength": 3}),
        json!({"type": "string", "pattern": "^(a+)\\1$", "examples": ["aaaa"]}),
    );
    check_undecided(
        json!({"type": "string"}),
        json!({"type": "string", "pattern": "[^]"}),
        Reason::NonRegularPattern,
    );
    check_undecided(
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "anyOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}], "unevaluatedProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "number"}}, "anyOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}], "unevaluatedProperties": false}),
        Reason::Unevaluated,
    );
    check_undecided(
        json!({"type": "number"}),
        json!({"type": "number", "minimum": 3, "exclusiveMinimum": true}),
        Reason::Dialect,
    );
    check_undecided(
        json!({"$schema": "https://example.com/mine", "type": "number"}),
        json!({"type": "number", "minimum": 3}),
        Reason::Dialect,
    );
    check_undecided(
        json!({"type": "string"}),
        json!({"$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x"}}}),
        Reason::DynamicRef,
    );
}

#[test]
fn unevaluated_is_decided_where_it_is_static() {
    check_equal(
        json!({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false}),
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
    );
    check_narrower(
        json!({"allOf": [{"properties": {"a": {"type": "integer"}}}], "properties": {"b": {}}, "unevaluatedProperties": false}),
        json!({"properties": {"a": {"type": "number"}, "b": {}}, "additionalProperties": false}),
    );
}
