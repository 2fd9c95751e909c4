//! What is too large to be built, and what a run may take as a whole.

use serde_json::{Value, json};

use super::within;
use crate::subset::{Budget, Inclusion, Names, Reason};

fn check(source: &Value, target: &Value, expected: Inclusion) {
    assert_eq!(within(source, target), expected, "{source} within {target}");
}

#[test]
fn values_too_large_to_be_built_are_known_to_exist() {
    let text = |least: u64| json!({"type": "string", "minLength": least});
    let (low, high) = (text(1 << 40), text((1 << 40) + 1));
    check(&low, &high, Inclusion::Vast);
    check(&high, &low, Inclusion::Holds);
    let list = |least: u64, items: Value| json!({"type": "array", "minItems": least, "items": items});
    check(&list(100_000, json!({})), &list(100_001, json!({})), Inclusion::Vast);
    check(&list(1, low.clone()), &list(1, high.clone()), Inclusion::Vast);
    let member = |of: &Value| json!({"type": "object", "properties": {"a": of}, "required": ["a"]});
    check(&member(&low), &member(&high), Inclusion::Vast);
    let open = |least: u64| json!({"type": "object", "additionalProperties": {}, "minProperties": least});
    check(&open(1_000_000), &open(1_000_001), Inclusion::Vast);
}

#[test]
fn what_is_too_large_does_not_hide_that_there_is_nothing() {
    let never = json!({"type": "array", "minItems": 100_000, "items": false});
    check(&never, &json!({"type": "string"}), Inclusion::Holds);
    let huge = json!({"type": "string", "minLength": 1_u64 << 40});
    let both = json!({"type": "object", "properties": {"a": huge, "b": false}, "required": ["a", "b"]});
    check(&both, &json!({"type": "string"}), Inclusion::Holds);
    let pair = json!({"type": "array", "prefixItems": [huge, false], "minItems": 2});
    check(&pair, &json!({"type": "string"}), Inclusion::Holds);
    let limited = json!({"type": "object", "minProperties": 5_000, "propertyNames": {"maxLength": 1}});
    let answer = within(&limited, &json!({"type": "string"}));
    assert_eq!(answer, Inclusion::Undecided(Reason::Budget), "there are not that many names of one letter");
}

/// Whether `d` follows from `c` takes a deterministic automaton of thousands of states.
fn exploding(letter: char, tail: usize) -> Value {
    json!({"type": "string", "pattern": format!("^(a|b)*{letter}(a|b){{{tail}}}$")})
}

#[test]
fn questions_of_one_run_share_what_it_may_take() {
    let budget = Budget::new(100_000, 50_000);
    let small = [json!({"type": "string", "pattern": "^a+$"}), json!({"type": "string", "pattern": "^a*$"})];
    assert_eq!(budget.includes(&small[0], &small[1], Names::Any), Inclusion::Holds);
    for tail in 11..14 {
        budget.includes(&exploding('a', tail), &exploding('b', tail), Names::Any);
    }
    let spent = Inclusion::Undecided(Reason::Budget);
    assert_eq!(budget.includes(&small[0], &small[1], Names::Any), spent, "nothing is left");
    assert_eq!(budget.includes(&small[0], &small[0], Names::Any), Inclusion::Holds, "equal is equal");
    let other = Budget::new(100_000, 50_000);
    assert_eq!(other.includes(&small[0], &small[1], Names::Any), Inclusion::Holds, "another run");
}

#[test]
fn a_run_without_steps_decides_nothing() {
    let budget = Budget::new(0, 50_000);
    let [low, high] = [0, 1].map(|least| json!({"type": "integer", "minimum": least}));
    assert_eq!(budget.includes(&low, &high, Names::Any), Inclusion::Undecided(Reason::Budget));
    let comparison = budget.compare(Some(&low), Some(&high));
    assert_eq!(comparison.verdict, crate::subset::Verdict::Undecidable(Reason::Budget));
    assert_eq!(comparison.differences.len(), 1, "{comparison:?}");
}
