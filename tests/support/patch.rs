//! JSON merge patches (RFC 7396) whose keys also name the items of lists.

use serde_json::Value;

/// Applies a merge patch; keys name the items of a list.
pub fn apply(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        target.clone_from(patch);
        return;
    };
    if let Value::Array(items) = target {
        for (key, patch) in patch {
            apply_item(items, key, patch);
        }
        return;
    }
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let members = target.as_object_mut().expect("an object was just made");
    for (key, patch) in patch {
        if patch.is_null() {
            members.remove(key);
        } else {
            apply(members.entry(key.clone()).or_insert(Value::Null), patch);
        }
    }
}

fn apply_item(items: &mut Vec<Value>, key: &str, patch: &Value) {
    let named = |item: &Value| {
        item == key
            || ["name", "id", "key", "path"].iter().any(|field| item.get(field).is_some_and(|own| own == key))
    };
    let at = key.parse().ok().filter(|at| *at < items.len()).or_else(|| items.iter().position(named));
    match at {
        Some(at) if patch.is_null() => {
            items.remove(at);
        }
        Some(at) => apply(&mut items[at], patch),
        None => {
            let mut item = Value::Null;
            apply(&mut item, patch);
            items.push(item);
        }
    }
}
