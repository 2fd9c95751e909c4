//! Things that stand twice with the same words: whichever copy a parser takes, it takes the same.

use pack::Document;
use rules::{DiffOptions, Version, diff};
use serde_json::Value;

use crate::everything::newest;

fn said(old: &str, new: &str) -> Vec<String> {
    let document = |text: &str| Document::parse(text.as_bytes()).0.expect("JSON");
    let (old, new) = (document(old), document(new));
    let version = |document| Version { document, path: "a.pack.json", tree: None };
    let changes = diff(version(&old), version(&new), DiffOptions::default()).changes;
    changes.into_iter().map(|change| format!("{} at {}", change.rule, change.place)).collect()
}

fn check_silent(pack: &Value, repeated: &str, what: &str) {
    let once = pack.to_string();
    assert_eq!(said(&once, repeated), Vec::<String>::new(), "{what} is repeated");
    assert_eq!(said(repeated, &once), Vec::<String>::new(), "{what} is no longer repeated");
}

/// Every member of every object of a pack that holds all fields.
#[test]
fn keys_that_are_repeated_with_an_equal_value_are_silent() {
    let pack = newest();
    let mut open = vec![String::new()];
    while let Some(pointer) = open.pop() {
        match pack.pointer(&pointer).expect("a visited place") {
            Value::Object(members) => {
                let keys = members.keys().map(|key| key.replace('~', "~0").replace('/', "~1"));
                open.extend(keys.map(|key| format!("{pointer}/{key}")));
                if !members.is_empty() {
                    check_silent(&pack, &with_first_member_twice(&pack, &pointer), &pointer);
                }
            }
            Value::Array(items) => open.extend((0..items.len()).map(|at| format!("{pointer}/{at}"))),
            _ => {}
        }
    }
}

/// The text of a pack in which the first member of the object at `pointer` stands twice.
fn with_first_member_twice(pack: &Value, pointer: &str) -> String {
    const MARK: &str = "here";
    let mut pack = pack.clone();
    let object = pack.pointer_mut(pointer).expect("an object");
    let original = object.to_string();
    let (key, value) = object.as_object().and_then(|members| members.iter().next()).expect("a member");
    let twice = format!("{{{}:{value},{}", Value::from(key.as_str()), &original[1..]);
    *object = Value::from(format!("{MARK}{pointer}{MARK}"));
    pack.to_string().replace(&object_text(pointer, MARK), &twice)
}

fn object_text(pointer: &str, mark: &str) -> String {
    Value::from(format!("{mark}{pointer}{mark}")).to_string()
}

#[test]
fn items_that_are_repeated_with_an_equal_name_and_value_are_silent() {
    let pack = newest();
    let lists = [
        "/prompts/greet/variables",
        "/prompts/greet/evals",
        "/evals",
        "/requires/providers",
        "/metadata/governance/obligations",
        "/metadata/governance/reviews",
    ];
    for list in lists {
        let mut repeated = pack.clone();
        let items = repeated.pointer_mut(list).and_then(Value::as_array_mut);
        let items = items.unwrap_or_else(|| panic!("{list} is no list of the pack"));
        items.push(items[0].clone());
        check_silent(&pack, &repeated.to_string(), list);
    }
}
