//! Schemas that are made to take forever: each question about them ends, by counting steps and not by the clock.

use pack::Document;
use rules::subset::{Inclusion, Names, Reason, includes};
use rules::{Change, DiffOptions, Version, diff};
use serde_json::{Map, Value, json};

/// Answers whatever it is given, without the clock having a say; the test runner's patience is the limit.
fn answers(source: &Value, target: &Value) -> [Inclusion; 2] {
    [includes(source, target, Names::Declared), includes(target, source, Names::Declared)]
}

#[test]
fn deep_nesting_ends() {
    let nested = |depth: usize, leaf: Value| {
        (0..depth)
            .fold(leaf, |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}))
    };
    for depth in [20, 35, 60] {
        let [forth, back] =
            answers(&nested(depth, json!({"minimum": 1})), &nested(depth, json!({"minimum": 0})));
        assert!(
            matches!(forth, Inclusion::Holds | Inclusion::Undecided(Reason::Budget)),
            "{depth}: {forth:?}"
        );
        assert!(
            matches!(back, Inclusion::Fails(_) | Inclusion::Undecided(Reason::Budget)),
            "{depth}: {back:?}"
        );
    }
    let tangled = |leaf: Value| {
        (0..24).fold(leaf, |inner, at| match at % 3 {
            0 => json!({"anyOf": [{"type": "null"}, {"type": "array", "items": inner, "minItems": 1}]}),
            1 => json!({"oneOf": [{"type": "boolean"}, {"type": "object", "required": ["a"], "properties": {"a": inner}}]}),
            _ => json!({"allOf": [{"not": {"type": "string"}}, {"if": {"type": "array"}, "then": {"contains": inner.clone()}, "else": inner}]}),
        })
    };
    for leaf in [json!({"minimum": 1}), json!({"maxLength": 3})] {
        answers(&tangled(json!({"type": "number"})), &tangled(leaf));
    }
    let mut deep = json!({"type": "string"});
    for _ in 0..400 {
        deep = json!({ "not": deep });
    }
    assert_eq!(answers(&deep, &json!({}))[0], Inclusion::Undecided(Reason::Budget));
}

#[test]
fn huge_constants_end() {
    let words =
        |from: usize, to: usize| -> Value { (from..to).map(|at| json!(format!("word {at}"))).collect() };
    let old = json!({"enum": words(0, 20_000)});
    let new = json!({"enum": words(1, 20_001)});
    let [forth, back] = answers(&old, &new);
    assert_eq!(forth, Inclusion::Fails(json!("word 0")));
    assert_eq!(back, Inclusion::Fails(json!("word 20000")));
    let open = json!({"type": "string"});
    assert_eq!(answers(&old, &open)[0], Inclusion::Holds);
    assert!(matches!(answers(&old, &open)[1], Inclusion::Fails(_)));
}

#[test]
fn exploding_patterns_end() {
    let patterns = [
        ("^(a{900}){900}$", "^a*$"),
        ("^(.*a.{22}){3}$", "^(.*b.{21}){3}$"),
        ("^((a+)+)+$", "^(a|aa)+$"),
        ("(\\p{L}{1,60}\\d){1,20}", "(\\w{1,50}-){1,30}"),
        ("^(x+x+)+y$", "^x*y$"),
    ];
    for (left, right) in patterns {
        let typed = |pattern: &str| json!({"type": "string", "pattern": pattern, "maxLength": 3000});
        for answer in answers(&typed(left), &typed(right)) {
            assert!(!matches!(answer, Inclusion::Undecided(Reason::Dialect)), "{left} and {right}");
        }
    }
}

#[test]
fn ten_thousand_members_end() {
    let object = |form: &dyn Fn(usize) -> Value| {
        let members: Map<String, Value> = (0..10_000).map(|at| (format!("p{at}"), form(at))).collect();
        let names: Vec<&String> = members.keys().collect();
        json!({"type": "object", "properties": members, "required": names, "additionalProperties": false})
    };
    let old = object(&|at| json!({"type": "integer", "minimum": at}));
    let one = object(&|at| json!({"type": "integer", "minimum": if at == 7_777 { at + 1 } else { at }}));
    let all = object(&|at| json!({"type": "integer", "minimum": at + 1}));
    assert!(matches!(includes(&old, &one, Names::Declared), Inclusion::Fails(_)));
    assert_eq!(includes(&one, &old, Names::Declared), Inclusion::Holds);
    let every = includes(&all, &old, Names::Declared);
    assert!(matches!(every, Inclusion::Holds | Inclusion::Undecided(Reason::Budget)), "{every:?}");
}

#[test]
fn many_branches_end() {
    let union = |keyword: &str, offset: usize| {
        let branches: Vec<Value> = (0..60)
            .map(|at| {
                json!({"type": "object", "required": ["kind"], "properties": {
                "kind": {"const": at}, "x": {"type": "integer", "maximum": at + offset}}})
            })
            .collect();
        json!({ keyword: branches })
    };
    for keyword in ["anyOf", "oneOf"] {
        let [forth, back] = answers(&union(keyword, 0), &union(keyword, 1));
        assert!(
            matches!(forth, Inclusion::Holds | Inclusion::Undecided(Reason::Budget)),
            "{keyword} {forth:?}"
        );
        assert!(
            matches!(back, Inclusion::Fails(_) | Inclusion::Undecided(Reason::Budget)),
            "{keyword} {back:?}"
        );
    }
    let choices: Vec<Value> = (0..40)
        .map(|at| json!({"anyOf": [{"multipleOf": at + 2}, {"minimum": at}, {"maximum": -at}]}))
        .collect();
    answers(&json!({ "allOf": choices }), &json!({"type": "number", "multipleOf": 3}));
    let pairs: Vec<Value> = (0..200)
        .map(|at| json!({"anyOf": [{"required": [format!("a{at}")]}, {"required": [format!("b{at}")]}]}))
        .collect();
    answers(&json!({"type": "object", "allOf": pairs}), &json!({"maxProperties": 199}));
    answers(&json!({"type": "object", "maxProperties": 3}), &json!({"not": {"allOf": pairs}}));
}

#[test]
fn long_values_end() {
    answers(
        &json!({"type": "string", "maxLength": 100_000}),
        &json!({"type": "string", "maxLength": 50_000}),
    );
    answers(&json!({"type": "array", "minItems": 10_000_000}), &json!({"type": "array", "minItems": 1}));
    answers(
        &json!({"type": "array", "contains": {"const": 1}, "minContains": 100_000}),
        &json!({"type": "array", "contains": {"const": 2}}),
    );
    answers(
        &json!({"type": "array", "uniqueItems": true, "minItems": 5_000}),
        &json!({"type": "array", "maxItems": 6_000}),
    );
    answers(
        &json!({"type": "object", "additionalProperties": {}, "minProperties": 1_000_000}),
        &json!({"type": "object", "maxProperties": 3}),
    );
}

/// Every pair costs as much as one question may: all of them together take no more than one run may.
#[test]
fn hundreds_of_exploding_patterns_end() {
    const COUNT: usize = 200;
    let pattern =
        |letter: char, at: usize| json!({"pattern": format!("^(a|b)*{letter}(a|b){{{}}}$", 14 + at % 3)});
    let pack = |letter: char| {
        let named = |at: usize| (format!("p{at}"), pattern(letter, at));
        let of_one: Map<String, Value> = (0..COUNT).map(named).collect();
        let tool = |parameters: Value| json!({"description": "Does it.", "parameters": {"type": "object", "properties": parameters}});
        let mut tools: Map<String, Value> =
            (0..COUNT).map(|at| (format!("t{at}"), tool(json!({"p": pattern(letter, at)})))).collect();
        tools.insert("all".to_owned(), tool(Value::Object(of_one)));
        let variables: Vec<Value> = (0..COUNT)
            .map(|at| json!({"name": format!("v{at}"), "type": "string", "validation": pattern(letter, at)}))
            .collect();
        json!({"id": "large", "version": "1.0.0", "tools": tools,
            "prompts": {"ask": {"id": "ask", "system_template": "Hello.", "variables": variables, "tools": ["all"]}}})
    };
    let changes = changes(&pack('a'), &pack('b'));
    let about = |start: &str| changes.iter().filter(|change| change.rule.starts_with(start)).count();
    assert_eq!((about("tool-param-"), about("variable-pattern-")), (2 * COUNT, COUNT));
    assert_eq!(changes.len(), 3 * COUNT, "nothing else changed");
    let last = changes.iter().filter(|change| change.reason.as_deref() == Some("budget")).count();
    assert!(last > 2 * COUNT, "only the first ones are decided, and {last} are not");
}

fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let [old, new] =
        [old, new].map(|pack| Document::parse(pack.to_string().as_bytes()).0.expect("a value is JSON"));
    let version = |document| Version { document, path: "a.pack.json", tree: None };
    diff(version(&old), version(&new), DiffOptions::default()).changes
}
