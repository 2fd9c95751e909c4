//! The reasoning over schemas against the `jsonschema` crate: random schemas, random instances.
//!
//! *Holds* has to survive every sampled instance that the source accepts and declares; a counterexample has to be
//! accepted by the source and refused by the target. `PACKHOUSE_ROUNDS` multiplies the number of rounds.

use std::collections::BTreeMap;

use rules::subset::{Inclusion, Kind, Names, Reason, Verdict, compare, includes};
use serde_json::{Map, Value, json};

/// A small generator; the same seed draws the same schemas on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'p, T>(&mut self, values: &'p [T]) -> &'p T {
        &values[self.below(values.len())]
    }
}

const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
const PATTERNS: [&str; 8] = ["^a", "b$", "^[ab]*$", "^.$", "^(a|b)$", "a.*b", "^\\w{2,}$", "\\d"];

fn scalar(dice: &mut Dice) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(-1),
        json!(1.5),
        json!(0.5),
        json!(""),
        json!("a"),
        json!("b"),
        json!("ab"),
        json!("c1"),
        json!("aab"),
    ];
    dice.pick(&values).clone()
}

fn instance(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 10 }) {
        0..=4 => scalar(dice),
        5..=6 => {
            let count = dice.below(4);
            Value::Array((0..count).map(|_| instance(dice, depth - 1)).collect())
        }
        _ => {
            let mut members = Map::new();
            for name in NAMES {
                if dice.one_in(2) {
                    members.insert(name.to_owned(), instance(dice, depth - 1));
                }
            }
            Value::Object(members)
        }
    }
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    if dice.one_in(14) {
        return json!(dice.one_in(2));
    }
    let mut schema = Map::new();
    if dice.below(3) > 0 {
        let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
        let first = *dice.pick(&types);
        let second = *dice.pick(&types);
        let named = if dice.one_in(3) && first != second { json!([first, second]) } else { json!(first) };
        schema.insert("type".to_owned(), named);
    }
    for _ in 0..dice.below(4) {
        keyword(dice, depth, &mut schema);
    }
    Value::Object(schema)
}

fn keyword(dice: &mut Dice, depth: usize, schema: &mut Map<String, Value>) {
    let small = dice.below(4);
    let (name, value) = match dice.below(if depth == 0 { 14 } else { 36 }) {
        0 => ("minimum", json!(small)),
        1 => ("maximum", json!(small)),
        2 => ("exclusiveMinimum", json!(small as f64 - 0.5)),
        3 => ("exclusiveMaximum", json!(small)),
        4 => ("multipleOf", dice.pick(&[json!(1), json!(2), json!(0.5), json!(3)]).clone()),
        5 => ("minLength", json!(small)),
        6 => ("maxLength", json!(small)),
        7 | 8 => ("pattern", json!(dice.pick(&PATTERNS))),
        9 => ("minItems", json!(small)),
        10 => ("maxItems", json!(small)),
        11 => ("uniqueItems", json!(true)),
        12 => ("required", json!([dice.pick(&NAMES)])),
        13 => return constants(dice, schema),
        14 => ("minProperties", json!(small)),
        15 => ("maxProperties", json!(small)),
        16..=18 => {
            let names: Vec<&str> = NAMES.into_iter().filter(|_| dice.one_in(2)).collect();
            let members: BTreeMap<&str, Value> =
                names.into_iter().map(|name| (name, self::schema(dice, depth - 1))).collect();
            ("properties", json!(members))
        }
        19 | 20 => ("additionalProperties", self::schema(dice, depth - 1)),
        21 => ("patternProperties", json!({ *dice.pick(&PATTERNS): self::schema(dice, depth - 1) })),
        22 => ("propertyNames", self::schema(dice, 0)),
        23 => ("dependentRequired", json!({ *dice.pick(&NAMES): [dice.pick(&NAMES)] })),
        24 => ("dependentSchemas", json!({ *dice.pick(&NAMES): self::schema(dice, depth - 1) })),
        25 => ("items", self::schema(dice, depth - 1)),
        26 => ("prefixItems", json!([self::schema(dice, depth - 1), self::schema(dice, depth - 1)])),
        27 => {
            if dice.one_in(2) {
                schema.insert("minContains".to_owned(), json!(dice.below(3)));
            }
            if dice.one_in(2) {
                schema.insert("maxContains".to_owned(), json!(dice.below(3)));
            }
            ("contains", self::schema(dice, depth - 1))
        }
        28 => ("allOf", branches(dice, depth)),
        29 => ("anyOf", branches(dice, depth)),
        30 => ("oneOf", branches(dice, depth)),
        31 => ("not", self::schema(dice, depth - 1)),
        32 => {
            schema.insert("then".to_owned(), self::schema(dice, depth - 1));
            schema.insert("else".to_owned(), self::schema(dice, depth - 1));
            ("if", self::schema(dice, depth - 1))
        }
        33 => ("unevaluatedProperties", json!(false)),
        34 => ("unevaluatedItems", json!(false)),
        _ => ("type", json!("object")),
    };
    schema.insert(name.to_owned(), value);
}

fn constants(dice: &mut Dice, schema: &mut Map<String, Value>) {
    if dice.one_in(2) {
        schema.insert("const".to_owned(), instance(dice, 1));
    } else {
        let count = 1 + dice.below(4);
        schema.insert("enum".to_owned(), (0..count).map(|_| instance(dice, 1)).collect());
    }
}

fn branches(dice: &mut Dice, depth: usize) -> Value {
    let count = 1 + dice.below(3);
    (0..count).map(|_| schema(dice, depth - 1)).collect()
}

/// A schema whose members and items may be itself again.
fn recursive(dice: &mut Dice) -> Value {
    let mut node = schema(dice, 1);
    if let Value::Object(members) = &mut node {
        let again = json!({"$ref": "#/$defs/node"});
        match dice.below(3) {
            0 => members.insert("items".to_owned(), again),
            1 => members.insert("properties".to_owned(), json!({"a": again, "b": schema(dice, 1)})),
            _ => members.insert("additionalProperties".to_owned(), again),
        };
    }
    let root = if dice.one_in(2) {
        json!({"$ref": "#/$defs/node"})
    } else {
        json!({"items": {"$ref": "#/$defs/node"}})
    };
    let mut root = root;
    root["$defs"] = json!({ "node": node });
    root
}

/// Another version of a schema: some node of it is drawn again, loosened or dropped.
fn edited(dice: &mut Dice, value: &Value, depth: usize) -> Value {
    let Value::Object(members) = value else { return schema(dice, depth) };
    if members.is_empty() || dice.one_in(5) {
        let mut more = members.clone();
        keyword(dice, depth, &mut more);
        return Value::Object(more);
    }
    let names: Vec<&String> = members.keys().collect();
    let name = (*dice.pick(&names)).clone();
    let mut changed = members.clone();
    match (name.as_str(), &members[&name]) {
        ("properties" | "patternProperties" | "dependentSchemas", Value::Object(inner))
            if !inner.is_empty() =>
        {
            let keys: Vec<&String> = inner.keys().collect();
            let key = (*dice.pick(&keys)).clone();
            let mut inner = inner.clone();
            if dice.one_in(4) {
                inner.remove(&key);
            } else {
                let next = edited(dice, &inner[&key], depth.saturating_sub(1));
                inner.insert(key, next);
            }
            changed.insert(name, Value::Object(inner));
        }
        ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(inner)) if !inner.is_empty() => {
            let mut inner = inner.clone();
            let at = dice.below(inner.len());
            inner[at] = edited(dice, &inner[at], depth.saturating_sub(1));
            changed.insert(name, Value::Array(inner));
        }
        ("items" | "additionalProperties" | "contains" | "not" | "if" | "then" | "else", inner) => {
            let inner = edited(dice, inner, depth.saturating_sub(1));
            changed.insert(name, inner);
        }
        ("minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems", _) => {
            changed.insert(name, json!(dice.below(5)));
        }
        _ => {
            changed.remove(&name);
        }
    }
    Value::Object(changed)
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).expect("a drawn schema is a schema")
}

/// The schemas that speak of one value, for judging which names are declared. Written apart from the engine on
/// purpose, and looser: what it keeps is declared.
fn restrict(places: &[&Value], value: &Value, constants: &mut bool) -> Value {
    let mut open: Vec<&Value> = places.to_vec();
    let mut all: Vec<&Map<String, Value>> = Vec::new();
    while let Some(next) = open.pop() {
        let Value::Object(schema) = next else { continue };
        all.push(schema);
        for name in ["allOf", "anyOf", "oneOf"] {
            open.extend(schema.get(name).and_then(Value::as_array).into_iter().flatten());
        }
        for name in ["not", "if", "then", "else"] {
            open.extend(schema.get(name));
        }
        open.extend(
            schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten().map(|(_, s)| s),
        );
        *constants |= schema.contains_key("enum") || schema.contains_key("const");
    }
    match value {
        Value::Array(items) => {
            let restricted = items.iter().enumerate().map(|(at, item)| {
                let mut inner: Vec<&Value> = all.iter().filter_map(|schema| schema.get("contains")).collect();
                for schema in &all {
                    let prefix = schema.get("prefixItems").and_then(Value::as_array);
                    inner.extend(prefix.and_then(|prefix| prefix.get(at)).or(schema.get("items")));
                }
                restrict(&inner, item, constants)
            });
            Value::Array(restricted.collect())
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                let mut inner: Vec<&Value> = Vec::new();
                let mut declared = false;
                for schema in &all {
                    let before = inner.len();
                    inner.extend(schema.get("properties").and_then(|properties| properties.get(name)));
                    for (pattern, form) in
                        schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
                    {
                        if validator(&json!({ "pattern": pattern })).is_valid(&json!(name)) {
                            inner.push(form);
                        }
                    }
                    declared |= inner.len() > before;
                    let rest = schema.get("additionalProperties").filter(|_| inner.len() == before);
                    declared |= rest.is_some_and(Value::is_object);
                    inner.extend(rest);
                }
                if declared {
                    kept.insert(name.clone(), restrict(&inner, member, constants));
                }
            }
            Value::Object(kept)
        }
        scalar => scalar.clone(),
    }
}

fn rounds(base: usize) -> usize {
    let factor = std::env::var("PACKHOUSE_ROUNDS").ok().and_then(|text| text.parse::<usize>().ok());
    base * factor.unwrap_or(1)
}

#[derive(Default, Debug)]
struct Tally {
    holds: usize,
    fails: usize,
    undecided: BTreeMap<&'static str, usize>,
}

fn check_pair(source: &Value, target: &Value, instances: &[Value], tally: &mut Tally) {
    let (old, new) = (validator(source), validator(target));
    for names in [Names::Declared, Names::Any] {
        match includes(source, target, names) {
            Inclusion::Holds => {
                tally.holds += 1;
                for value in instances {
                    let mut constants = false;
                    let value = match names {
                        Names::Declared => restrict(&[source], value, &mut constants),
                        Names::Any => value.clone(),
                    };
                    if old.is_valid(&value) {
                        assert!(new.is_valid(&value), "{names:?}: {source} within {target}, but {value}");
                    }
                }
            }
            Inclusion::Fails(value) => {
                tally.fails += 1;
                assert!(old.is_valid(&value), "{names:?}: {source} refuses its own {value}");
                assert!(!new.is_valid(&value), "{names:?}: {target} accepts {value}");
            }
            Inclusion::Vast => panic!("{names:?}: {source} and {target} differ in small values"),
            Inclusion::Undecided(reason) => {
                *tally.undecided.entry(reason.as_str()).or_default() += 1;
                let known = [Reason::Budget, Reason::NegatedUnique, Reason::NumberRange, Reason::Unevaluated];
                assert!(known.contains(&reason), "{names:?}: {source} within {target}: {reason}");
            }
        }
    }
}

#[test]
fn random_schemas_agree_with_the_validator() {
    let mut dice = Dice(0x5eed_0001);
    let mut tally = Tally::default();
    for _ in 0..rounds(400) {
        let source = schema(&mut dice, 2);
        let target = if dice.one_in(3) { schema(&mut dice, 2) } else { edited(&mut dice, &source, 2) };
        let instances: Vec<Value> = (0..30).map(|_| instance(&mut dice, 2)).collect();
        check_pair(&source, &target, &instances, &mut tally);
        check_pair(&target, &source, &instances, &mut tally);
        let same = includes(&source, &source, Names::Declared);
        assert_eq!(same, Inclusion::Holds, "{source} within itself");
    }
    println!("{tally:?}");
    let undecided: usize = tally.undecided.values().sum();
    assert!(undecided * 20 < tally.holds + tally.fails, "too much is undecided: {tally:?}");
}

#[test]
fn recursive_schemas_agree_with_the_validator() {
    let mut dice = Dice(0x5eed_0002);
    let mut tally = Tally::default();
    for _ in 0..rounds(100) {
        let source = recursive(&mut dice);
        let mut target = source.clone();
        target["$defs"]["node"] = edited(&mut dice, &source["$defs"]["node"], 1);
        let target = if dice.one_in(4) { recursive(&mut dice) } else { target };
        let instances: Vec<Value> = (0..30).map(|_| instance(&mut dice, 3)).collect();
        for (source, target) in [(&source, &target), (&target, &source)] {
            let (old, new) = (validator(source), validator(target));
            match includes(source, target, Names::Any) {
                Inclusion::Holds => {
                    tally.holds += 1;
                    for value in instances.iter().filter(|value| old.is_valid(value)) {
                        assert!(new.is_valid(value), "{source} within {target}, but {value}");
                    }
                }
                Inclusion::Fails(value) => {
                    tally.fails += 1;
                    assert!(old.is_valid(&value) && !new.is_valid(&value), "{source} {target} {value}");
                }
                Inclusion::Vast => panic!("{source} and {target} differ in small values"),
                Inclusion::Undecided(reason) => *tally.undecided.entry(reason.as_str()).or_default() += 1,
            }
        }
    }
    println!("{tally:?}");
}

/// Whether a difference of this kind refuses what was allowed.
fn refuses(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::OptionalAdded
            | Kind::BecameOptional
            | Kind::TypeWidened
            | Kind::EnumRemoved
            | Kind::EnumValueAdded
            | Kind::ConstraintRelaxed
            | Kind::Opened
            | Kind::ParamsRemoved
            | Kind::CombinatorWidened
            | Kind::FormatChanged
            | Kind::DefaultChanged
            | Kind::DescriptionChanged
    )
}

/// A verdict names at least one difference that explains it, witnesses are real, and the way back mirrors the way.
#[test]
fn comparisons_explain_their_verdict() {
    let mut dice = Dice(0x5eed_0003);
    for _ in 0..rounds(150) {
        let old = schema(&mut dice, 2);
        let new = edited(&mut dice, &old, 2);
        let (forth, back) = (compare(Some(&old), Some(&new)), compare(Some(&new), Some(&old)));
        assert_eq!(compare(Some(&old), Some(&old)).differences, []);
        let (before, after) = (validator(&old), validator(&new));
        for witness in forth.differences.iter().filter_map(|difference| difference.witness.as_ref()) {
            assert!(before.is_valid(witness) && !after.is_valid(witness), "{old} to {new}: {witness}");
        }
        if let Inclusion::Fails(_) = includes(&old, &new, Names::Declared) {
            assert!(
                forth.differences.iter().any(|difference| refuses(difference.kind)),
                "{old} to {new}: {forth:?}"
            );
            assert!(forth.witness.is_some());
        }
        let mirrored = match back.verdict {
            Verdict::Narrowed => Verdict::Widened,
            Verdict::Widened => Verdict::Narrowed,
            same => same,
        };
        let open = |verdict: Verdict| {
            matches!(verdict, Verdict::Undecidable(_) | Verdict::Changed | Verdict::Widened)
        };
        if open(forth.verdict) && open(back.verdict) && forth.verdict != mirrored {
            let undecided = [&forth, &back].map(|found| matches!(found.verdict, Verdict::Undecidable(_)));
            assert!(undecided.contains(&true), "{old} to {new}:\n{forth:?}\n{back:?}");
            continue;
        }
        assert_eq!(forth.verdict, mirrored, "{old} to {new}:\n{forth:?}\n{back:?}");
    }
}
