//! JSON Schema files of a repository, and the files that they refer to in turn.

use std::collections::BTreeMap;

use crate::json::Document;
use crate::tree::{Tree, folder, join};

/// The most files that are followed from the schemas of one pack.
pub const MAX_FILES: usize = 200;

/// Where `$ref` leads from the file `from`: the path of another file and the fragment in it. None within the file
/// itself, to another host, and out of the repository.
pub fn target<'r>(from: &str, reference: &'r str) -> Option<(String, &'r str)> {
    let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let elsewhere = file.is_empty() || file.contains([':', '?']);
    let file = percent_decoded(file).filter(|_| !elsewhere)?;
    Some((join(folder(from), &file)?, fragment))
}

/// The files at `starts` and every file that their `$ref`s lead to, with their bytes: none for what cannot be read.
///
/// At most [`MAX_FILES`] are followed.
pub fn reached(
    tree: &dyn Tree,
    starts: impl IntoIterator<Item = String>,
) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut open: Vec<String> = starts.into_iter().collect();
    let mut found = BTreeMap::new();
    while let Some(path) = open.pop() {
        if found.contains_key(&path) || found.len() == MAX_FILES {
            continue;
        }
        let bytes = tree.read(&path).ok();
        if let Some(document) = bytes.as_deref().and_then(|bytes| Document::parse(bytes).0) {
            let references = document.root().descendants().filter(|node| node.key() == Some("$ref"));
            let references = references.filter_map(|node| node.as_str());
            open.extend(references.filter_map(|reference| Some(target(&path, reference)?.0)));
        }
        found.insert(path, bytes);
    }
    found
}

/// The text that `%` escapes stand for; none where they are no UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let code = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        rest = tail.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemoryTree;

    #[test]
    fn references_lead_to_files_of_the_repository_only() {
        for (reference, expected) in [
            ("b.json#/$defs/x", Some(("s/b.json", "/$defs/x"))),
            ("../c%20d.json", Some(("c d.json", ""))),
            ("./t/d.json#name", Some(("s/t/d.json", "name"))),
            ("#/$defs/x", None),
            ("https://host.test/b.json", None),
            ("urn:x", None),
            ("../../b.json", None),
            ("/b.json", None),
        ] {
            let found = target("s/a.json", reference);
            assert_eq!(
                found.as_ref().map(|(path, fragment)| (path.as_str(), *fragment)),
                expected,
                "{reference}"
            );
        }
    }

    #[test]
    fn files_are_followed_around_circles_and_what_is_missing_is_named() {
        let mut tree = MemoryTree::default();
        tree.insert("s/a.json", r#"{"properties": {"b": {"$ref": "t/b.json"}, "c": {"$ref": "gone.json"}}}"#);
        tree.insert("s/t/b.json", r#"{"items": {"$ref": "../a.json#/properties"}}"#);
        tree.insert("s/other.json", "{}");
        let found = reached(&tree, ["s/a.json".to_owned()]);
        let found: Vec<(&str, bool)> =
            found.iter().map(|(path, bytes)| (path.as_str(), bytes.is_some())).collect();
        assert_eq!(found, [("s/a.json", true), ("s/gone.json", false), ("s/t/b.json", true)]);
    }
}
