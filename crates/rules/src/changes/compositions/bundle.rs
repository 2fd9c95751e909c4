//! One schema out of several files: what a file refers to in others of the repository moves into its `$defs`.

use std::collections::{BTreeMap, BTreeSet};

use pack::Digest;
use pack::json::Document;
use pack::schema_file::{MAX_FILES, reached, target};
use pack::tree::Tree;
use serde_json::{Map, Value, json};

use crate::subset::value_of;

/// The schema at `pointer` in `root`, the content of the file at `path`, with all that it refers to in the repository.
/// None where that is too much.
///
/// A file that refers to no file stays as it is, and so do references to files that are not there. Of files that are no
/// schemas it is known only whether they are the same.
pub(super) fn bundled(tree: &dyn Tree, path: &str, root: Value, pointer: &str) -> Option<Value> {
    if pointer.is_empty() && !refers(&root, &|reference| target(path, reference).is_some()) {
        return Some(root);
    }
    let draft = root.get("$schema").cloned();
    let mut files = BTreeMap::new();
    let reached = reached(tree, [path.to_owned()]);
    if reached.len() == MAX_FILES {
        return None;
    }
    for (file, bytes) in reached {
        let Some(bytes) = bytes.filter(|_| file != path) else { continue };
        let schema = match Document::parse(&bytes).0 {
            Some(document) => value_of(document.root()),
            None => json!({ "$ref": format!("unreadable:{}", Digest::of(&bytes).hex()) }),
        };
        files.insert(file, schema);
    }
    files.insert(path.to_owned(), root);
    let mut places = Places::default();
    for (file, schema) in &files {
        places.files.insert(file.clone());
        places.add_anchors(file, schema, "");
    }
    let mut defs = Map::new();
    for (file, mut schema) in files {
        let own = schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned());
        redirect(&mut schema, &|reference| {
            let own = own.as_deref().filter(|own| !own.is_empty());
            let reference = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
            places.moved(reference, &file)
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
    Some(whole)
}

/// Whether any reference is one of those that `is_meant` knows.
fn refers(value: &Value, is_meant: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, member)| match (key.as_str(), member) {
            ("$ref", Value::String(reference)) => is_meant(reference),
            _ => refers(member, is_meant),
        }),
        Value::Array(items) => items.iter().any(|item| refers(item, is_meant)),
        _ => false,
    }
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

/// Where references of the bundled files can lead.
#[derive(Default)]
struct Places {
    files: BTreeSet<String>,
    /// Pointers by file and name.
    anchors: BTreeMap<(String, String), String>,
}

impl Places {
    fn add_anchors(&mut self, file: &str, value: &Value, pointer: &str) {
        match value {
            Value::Object(members) => {
                if let Some(name) = members.get("$anchor").and_then(Value::as_str) {
                    let key = (file.to_owned(), name.to_owned());
                    self.anchors.entry(key).or_insert_with(|| pointer.to_owned());
                }
                for (key, member) in members {
                    let token = key.replace('~', "~0").replace('/', "~1");
                    self.add_anchors(file, member, &format!("{pointer}/{token}"));
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.add_anchors(file, item, &format!("{pointer}/{at}"));
                }
            }
            _ => {}
        }
    }

    /// Where a reference of a file leads in the bundle; none where it leads out of it.
    fn moved(&self, reference: &str, file: &str) -> Option<String> {
        let (path, fragment) = match reference.strip_prefix('#') {
            Some(fragment) => (file.to_owned(), fragment),
            None if reference.is_empty() => (file.to_owned(), ""),
            None => target(file, reference)?,
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.files.contains(&path).then(|| place(&path, fragment));
        }
        let key = (path, fragment.to_owned());
        let pointer = self.anchors.get(&key)?;
        Some(place(&key.0, &escaped(pointer)))
    }
}

/// The reference to a pointer in a file of the bundle. `pointer` is written as a fragment is.
fn place(file: &str, pointer: &str) -> String {
    let token = file.replace('~', "~0").replace('/', "~1");
    format!("#/$defs/{}{pointer}", escaped(&token))
}

/// A text as it stands in the fragment of an address.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => {
                shown.push(byte.into());
            }
            other => shown.push_str(&format!("%{other:02X}")),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subset::{Verdict, compare};
    use pack::tree::MemoryTree;

    /// The schema of `s/in.json` among files.
    fn schema(files: &[(&str, Value)], pointer: &str) -> Option<Value> {
        let mut tree = MemoryTree::default();
        files.iter().for_each(|(path, value)| tree.insert(*path, value.to_string()));
        bundled(&tree, "s/in.json", files[0].1.clone(), pointer)
    }

    fn object(reference: &str) -> Value {
        json!({ "type": "object", "properties": { "a": { "$ref": reference } } })
    }

    #[test]
    fn references_in_any_form_mean_what_stands_there() {
        let text = json!({ "type": "string" });
        let named = json!({ "$defs": { "x": { "$anchor": "n", "type": "string" } } });
        let cases: [&[(&str, Value)]; 6] = [
            &[("s/in.json", object("b.json")), ("s/b.json", text.clone())],
            &[("s/in.json", object("../b%20%C3%A4~.json")), ("b ä~.json", text.clone())],
            &[("s/in.json", object("b.json#n")), ("s/b.json", named.clone())],
            &[("s/in.json", object("b.json#/$defs/x")), ("s/b.json", named)],
            &[
                ("s/in.json", object("b.json")),
                ("s/b.json", json!({ "$ref": "c.json" })),
                ("s/c.json", text.clone()),
            ],
            &[
                (
                    "s/in.json",
                    json!({ "$id": "https://host.test/in.json", "$ref": "https://host.test/in.json#/$defs/o", "$defs": { "o": object("b.json") } }),
                ),
                ("s/b.json", text),
            ],
        ];
        let plain = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let other = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
        for files in cases {
            let whole = schema(files, "").expect("a schema");
            assert_eq!(compare(Some(&plain), Some(&whole)).verdict, Verdict::Equal, "{whole}");
            assert_eq!(compare(Some(&other), Some(&whole)).verdict, Verdict::Changed, "{whole}");
        }
        let circle = json!({ "type": "object", "properties": { "a": { "$ref": "in.json" } } });
        let same = json!({ "type": "object", "properties": { "a": { "$ref": "#" } } });
        let whole = schema(&[("s/in.json", circle)], "").expect("a schema");
        assert_eq!(compare(Some(&same), Some(&whole)).verdict, Verdict::Equal, "{whole}");
    }

    #[test]
    fn a_file_alone_stays_as_it_is_and_too_many_are_none() {
        let alone = object("#/$defs/x");
        assert_eq!(schema(&[("s/in.json", alone.clone())], ""), Some(alone));
        let gone = object("gone.json");
        let kept = schema(&[("s/in.json", gone)], "").expect("a schema").to_string();
        assert!(kept.contains(r#""$ref":"gone.json""#), "{kept}");
        let names: Vec<String> = (0..MAX_FILES).map(|at| format!("s/f{at}.json")).collect();
        let next = |at: usize| json!({ "$ref": format!("f{at}.json") });
        let chain = names.iter().enumerate().map(|(at, name)| (name.as_str(), next(at + 1)));
        let files: Vec<(&str, Value)> = std::iter::once(("s/in.json", next(0))).chain(chain).collect();
        assert_eq!(schema(&files, ""), None);
    }

    #[test]
    fn what_is_no_schema_counts_as_the_same_or_another_one() {
        let with = |bytes: &str| {
            let mut tree = MemoryTree::default();
            tree.insert("s/in.json", object("b.json").to_string());
            tree.insert("s/b.json", bytes);
            bundled(&tree, "s/in.json", object("b.json"), "").expect("a schema")
        };
        assert_eq!(with("type: string"), with("type: string"));
        let verdict = compare(Some(&with("type: string")), Some(&with("type: integer"))).verdict;
        assert!(matches!(verdict, Verdict::Undecidable(_)), "{verdict:?}");
    }
}
