//! The examples of the schema guides are no errors.
//!
//! `tests/rules/guides/<version>/` holds the examples in the order of the guide: `example` is what the guide shows,
//! `pack` what completes it, `at` the place of the pack where it belongs. `tree` has the files that they name.

use std::fs;
use std::path::Path;

use rules::{Level, LintOptions, Subject, lint};
use serde_json::Value;

use crate::fixture::{entries, in_parallel, root, tree};

/// The whole pack of one example.
fn completed(file: &Path) -> Value {
    let fixture: Value =
        serde_json::from_slice(&fs::read(file).expect("a readable example")).expect("an example is JSON");
    let mut pack = fixture["pack"].clone();
    let at = fixture["at"].as_str().expect("a pointer");
    match (pack.pointer_mut(at), &fixture["example"]) {
        (Some(Value::Object(members)), Value::Object(example)) => {
            for (key, value) in example {
                assert!(!members.contains_key(key), "{}: `{key}` stands there already", file.display());
                members.insert(key.clone(), value.clone());
            }
        }
        (Some(Value::Array(items)), example) => items.push(example.clone()),
        _ => panic!("{}: nothing at {at}", file.display()),
    }
    pack
}

#[test]
fn the_examples_of_the_guides_are_no_errors() {
    let guides = root().join("guides");
    let tree = tree(&guides.join("tree"));
    let files: Vec<_> =
        ["v1.0", "v1.3", "v1.5.1"].iter().flat_map(|guide| entries(&guides.join(guide))).collect();
    assert!(files.len() >= 31, "{} examples", files.len());
    let mistakes = in_parallel(&files, |file| {
        let bytes = serde_json::to_vec_pretty(&completed(file)).expect("a value has a text");
        let subject = Subject { bytes: &bytes, path: "guide.pack.json", tree: Some(&tree) };
        let findings = lint(subject, LintOptions::default()).findings;
        let errors = findings.iter().filter(|finding| finding.level == Level::Error);
        errors
            .map(|finding| format!("{}: {}: {}", file.display(), finding.rule, finding.message))
            .collect::<Vec<_>>()
    });
    let mistakes: Vec<String> = mistakes.into_iter().flatten().collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
