//! Breaks every rule of the format once, in every version, and asks whether the break is found at its place.
//!
//! For each field of the pack that holds all fields: required ones are taken away, types changed, keys of closed
//! objects misspelled, enumerations, patterns and bounds broken. Free texts and open objects take anything.

use std::collections::{BTreeSet, HashMap};

use pack::SpecVersion;
use serde_json::{Map, Value, json};

use crate::everything::{Place, Walk, everything, problems};
use crate::fixture::in_parallel;

/// One change of a pack, and where it must be reported; nowhere means that the pack stays valid.
struct Mutation {
    pointer: String,
    edit: Edit,
    reported: Vec<String>,
}

#[derive(Debug)]
enum Edit {
    Replace(Value),
    Remove(String),
    Rename(String, String),
    Insert(String),
}

impl Mutation {
    fn apply(&self, pack: &Value) -> Value {
        let mut pack = pack.clone();
        let value = pack.pointer_mut(&self.pointer).expect("a place of the pack");
        match &self.edit {
            Edit::Replace(other) => *value = other.clone(),
            Edit::Remove(key) => drop(members(value).remove(key)),
            Edit::Rename(key, other) => {
                let member = members(value).remove(key).expect("a key of the object");
                members(value).insert(other.clone(), member);
            }
            Edit::Insert(key) => drop(members(value).insert(key.clone(), json!([1]))),
        }
        pack
    }
}

fn members(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("an object")
}

/// Everything that the schemas at one place of the pack allow to break.
struct Spot<'a> {
    pointer: &'a str,
    value: &'a Value,
    schemas: Vec<&'a Value>,
    root: &'a Value,
}

impl<'a> Spot<'a> {
    fn keyword(&self, keyword: &str) -> Option<&'a Value> {
        self.schemas.iter().find_map(|schema| schema.get(keyword))
    }

    fn replace(&self, value: Value) -> Mutation {
        Mutation {
            pointer: self.pointer.to_owned(),
            edit: Edit::Replace(value),
            reported: vec![self.pointer.to_owned()],
        }
    }

    fn keep(&self, value: Value) -> Mutation {
        Mutation { reported: Vec::new(), ..self.replace(value) }
    }

    fn types(&self) -> BTreeSet<&'a str> {
        let mut all =
            self.schemas.iter().map(|schema| types(self.root, schema)).filter(|types| !types.is_empty());
        let first = all.next().unwrap_or_default();
        all.fold(first, |left, right| if left.len() > right.len() { left } else { right })
    }

    fn mutations(&self) -> Vec<Mutation> {
        let mut found = Vec::new();
        self.members(&mut found);
        self.wrong_types(&mut found);
        self.words(&mut found);
        self.bounds(&mut found);
        found
    }

    fn members(&self, found: &mut Vec<Mutation>) {
        let change =
            |edit: Edit, reported: Vec<String>| Mutation { pointer: self.pointer.to_owned(), edit, reported };
        let here = self.pointer.to_owned();
        let required = self.schemas.iter().filter_map(|schema| schema.get("required")?.as_array());
        for key in required.flatten().filter_map(Value::as_str) {
            found.push(change(Edit::Remove(key.to_owned()), vec![here.clone()]));
        }
        let Some(object) = self.value.as_object() else { return };
        let closed =
            self.schemas.iter().any(|schema| schema.get("additionalProperties") == Some(&json!(false)));
        let open = self.schemas.iter().all(|schema| schema.get("additionalProperties").is_none());
        if closed {
            let names_form = |key: &str| ["path", "field", "validator", "eval", "external"].contains(&key);
            for key in object.keys() {
                let wrong = format!("{key}x");
                let mut reported = vec![format!("{here}/{wrong}")];
                // An object that lost the key that names its form is reported as a whole.
                reported.extend(names_form(key).then(|| here.clone()));
                found.push(change(Edit::Rename(key.clone(), wrong), reported));
            }
        } else if open {
            found.push(change(Edit::Insert("zz".to_owned()), Vec::new()));
        }
    }

    fn wrong_types(&self, found: &mut Vec<Mutation>) {
        let allowed = self.types();
        if allowed.is_empty() {
            return;
        }
        let values = [
            ("null", json!(null)),
            ("boolean", json!(true)),
            ("number", json!(1.5)),
            ("string", json!("é")),
            ("array", json!([])),
            ("object", json!({})),
        ];
        let wrong: Vec<&Value> =
            values.iter().filter(|(name, _)| !allowed.contains(name)).map(|(_, value)| value).collect();
        for value in wrong.iter().step_by(2) {
            found.push(self.replace((*value).clone()));
        }
        if allowed.contains("integer") && self.value.is_u64() {
            let spelled = format!("{}.0", self.value);
            found.push(self.keep(serde_json::from_str(&spelled).expect("a number")));
        }
    }

    fn words(&self, found: &mut Vec<Mutation>) {
        if self.keyword("enum").is_some() || self.keyword("const").is_some() {
            let other = if self.value.is_string() { json!("Zz none") } else { json!(97) };
            found.push(self.replace(other));
        } else if self.keyword("pattern").is_some() {
            found.push(self.replace(json!("-É no!")));
            let text = self.value.as_str().expect("a text has a pattern");
            found.push(self.replace(json!(format!("{text}\n"))));
        } else if self.types() == BTreeSet::from(["string"]) && !self.pointer.is_empty() {
            found.push(self.keep(json!("☃ what: ever\n")));
        }
    }

    fn bounds(&self, found: &mut Vec<Mutation>) {
        let number = |keyword: &str| self.keyword(keyword).and_then(Value::as_f64);
        for (keyword, beyond) in [("minimum", -1.0), ("maximum", 1.0)] {
            if let Some(limit) = number(keyword) {
                found.push(self.replace(json!(whole(limit + beyond))));
                found.push(self.keep(json!(whole(limit))));
            }
        }
        let length = |keyword: &str| self.keyword(keyword).and_then(Value::as_u64).map(|n| n as usize);
        if let Some(limit) = length("minLength") {
            found.push(self.replace(json!("a".repeat(limit - 1))));
        }
        if let Some(limit) = length("maxLength") {
            found.push(self.replace(json!("a".repeat(limit + 1))));
            found.push(self.keep(json!("a".repeat(limit))));
        }
        if let (Some(limit), Some(items)) = (length("minItems"), self.value.as_array()) {
            found.push(self.replace(json!(items[..limit - 1])));
        }
        if length("minProperties").is_some() {
            found.push(self.replace(json!({})));
        }
        if let (Some(_), Some(items)) = (self.keyword("uniqueItems"), self.value.as_array()) {
            found.push(self.replace(json!([items[0], items[0]])));
        }
    }
}

fn whole(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

/// The JSON types that a schema takes, by its branches where it has none of its own.
fn types<'a>(root: &'a Value, schema: &'a Value) -> BTreeSet<&'a str> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return root.pointer(&reference[1..]).map(|target| types(root, target)).unwrap_or_default();
    }
    match schema.get("type") {
        Some(Value::String(name)) => BTreeSet::from([name.as_str()]),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => {
            let branches = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
            branches.flat_map(|branch| types(root, branch)).collect()
        }
    }
}

/// One mutation of each kind for each part of the schema: the first value that shows it stands for all. What the
/// schema of the `next` version says in the same words is left to that one, unless the run has time for all.
fn all_mutations(walk: &Walk<'_>, pack: &Value, next: Option<&Value>) -> Vec<Mutation> {
    let next = next.filter(|_| std::env::var_os("PACKHOUSE_ROUNDS").is_none());
    let mut by_pointer: Vec<(&str, Vec<&Place>)> = Vec::new();
    let mut position: HashMap<&str, usize> = HashMap::new();
    for place in &walk.places {
        let at = *position.entry(place.pointer.as_str()).or_insert_with(|| {
            by_pointer.push((&place.pointer, Vec::new()));
            by_pointer.len() - 1
        });
        by_pointer[at].1.push(place);
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (pointer, places) in by_pointer {
        let last = &places.last().expect("a pointer has a place").schema_at;
        if !seen.insert((last, pointer.rsplit('/').next().filter(|key| *key == "kind"))) {
            continue;
        }
        let is_shared =
            |place: &&Place| next.is_some_and(|next| next.pointer(&place.schema_at) == Some(walk.at(place)));
        if places.iter().all(is_shared) {
            continue;
        }
        let schemas = places.iter().map(|place| walk.at(place)).collect();
        let value = pack.pointer(pointer).expect("a place of the pack");
        found.extend(Spot { pointer, value, schemas, root: walk.schema }.mutations());
    }
    found
}

/// What one version is tested with.
struct Bench {
    version: SpecVersion,
    pack: Value,
    plain: jsonschema::Validator,
}

/// Applies one mutation; gives what went wrong. `compare` asks the plain schema too.
fn check(bench: &Bench, mutation: &Mutation, compare: bool) -> Option<String> {
    let mutated = mutation.apply(&bench.pack);
    let problems = problems(&mutated, bench.version);
    let shown: Vec<String> =
        problems.iter().map(|problem| format!("{}: {}", problem.pointer, problem.message)).collect();
    let what = format!("{} {} {:?}", bench.version, mutation.pointer, mutation.edit);
    if compare && bench.plain.is_valid(&mutated) != problems.is_empty() {
        return Some(format!("{what}: the plain schema disagrees with the findings {shown:?}"));
    }
    let is_reported =
        problems.iter().any(|problem| mutation.reported.iter().any(|at| at == problem.pointer.as_str()));
    match (mutation.reported.is_empty(), is_reported) {
        (true, _) if !problems.is_empty() => Some(format!("{what}: refused: {shown:?}")),
        (false, false) => Some(format!("{what}: not reported there: {shown:?}")),
        _ => None,
    }
}

#[test]
fn every_break_is_found_at_its_place() {
    let mut benches = Vec::new();
    let mut mutations = Vec::new();
    let mut next = None;
    for version in SpecVersion::ALL.into_iter().rev() {
        let (pack, schema) = (everything(version), pack::schema::schema(version));
        let of_version = all_mutations(&Walk::new(&schema, &pack), &pack, next.as_ref());
        assert!(!of_version.is_empty(), "{version} differs from the next version");
        mutations.extend(of_version.into_iter().map(|mutation| (benches.len(), mutation)));
        let plain = jsonschema::draft202012::new(&schema).expect("a schema");
        benches.push(Bench { version, pack, plain });
        next = Some(schema);
    }
    assert!(mutations.len() > 1200, "{} mutations", mutations.len());
    let numbered: Vec<_> = mutations.iter().enumerate().collect();
    let mistakes = in_parallel(&numbered, |(number, (bench, mutation))| {
        check(&benches[*bench], mutation, number % 4 == 0)
    });
    let mistakes: Vec<String> = mistakes.into_iter().flatten().collect();
    assert!(mistakes.is_empty(), "{} mistakes:\n{mistakes:#?}", mistakes.len());
}

#[test]
fn the_pack_of_every_version_is_valid_and_holds_every_field() {
    in_parallel(&SpecVersion::ALL, |version| {
        let (pack, schema) = (everything(*version), pack::schema::schema(*version));
        assert_eq!(problems(&pack, *version), [], "{version}");
        assert_eq!(Walk::new(&schema, &pack).missed(), Vec::<String>::new(), "{version}");
    });
}
