//! One schema out of several files: what a file refers to in others of the repository moves into its `$defs`.

use std::collections::BTreeMap;

use pack::json::Document;
use pack::schema_file::{reached, target};
use pack::tree::Tree;
use serde_json::{Map, Value, json};

use crate::subset::value_of;

/// The schema at `pointer` in `root`, the content of the file at `path`, with all that it refers to in the repository.
///
/// A file that refers to nothing outside stays as it is. References to files that cannot be read stay too.
pub(super) fn bundled(tree: &dyn Tree, path: &str, root: Value, pointer: &str) -> Value {
    let mut files = BTreeMap::new();
    for (file, bytes) in reached(tree, [path.to_owned()]) {
        let document = bytes.as_deref().and_then(|bytes| Document::parse(bytes).0);
        if let Some(document) = document.filter(|_| file != path) {
            files.insert(file, value_of(document.root()));
        }
    }
    if files.is_empty() && pointer.is_empty() {
        return root;
    }
    let draft = root.get("$schema").cloned();
    files.insert(path.to_owned(), root);
    let known: Vec<String> = files.keys().cloned().collect();
    let mut defs = Map::new();
    for (file, mut schema) in files {
        let own = schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned());
        redirect(&mut schema, &|reference| {
            let own = own.as_deref().filter(|own| !own.is_empty());
            let reference = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
            moved(reference, &file, &known)
        });
        if let Value::Object(members) = &mut schema {
            // They would speak of the whole document, and move what references mean.
            members.remove("$schema");
            members.remove("$id");
        }
        defs.insert(file, schema);
    }
    let mut whole = json!({ "allOf": [{ "$ref": place(path, pointer) }], "$defs": defs });
    if let Some(draft) = draft {
        whole["$schema"] = draft;
    }
    whole
}

/// Lets every reference of a file lead to where `moved` says that its target stands now.
fn redirect(value: &mut Value, moved: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), &*member) {
                    ("$ref", Value::String(reference)) => {
                        if let Some(moved) = moved(reference) {
                            *member = Value::String(moved);
                        }
                    }
                    ("const" | "enum", Value::Array(_) | Value::Object(_)) => {}
                    _ => redirect(member, moved),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, moved)),
        _ => {}
    }
}

/// What leads nowhere else stays: names of anchors and addresses of other hosts.
fn moved(reference: &str, file: &str, known: &[String]) -> Option<String> {
    let (path, fragment) = match reference.strip_prefix('#') {
        Some(fragment) => (file.to_owned(), fragment),
        None if reference.is_empty() => (file.to_owned(), ""),
        None => target(file, reference)?,
    };
    let is_pointer = fragment.is_empty() || fragment.starts_with('/');
    (is_pointer && known.contains(&path)).then(|| place(&path, fragment))
}

/// The reference to a pointer in a file of the bundle.
fn place(file: &str, pointer: &str) -> String {
    let mut reference = "#/$defs/".to_owned();
    for byte in file.replace('~', "~0").replace('/', "~1").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                reference.push(byte.into())
            }
            other => reference.push_str(&format!("%{other:02X}")),
        }
    }
    reference + pointer
}
