//! The shapes and the validator of the `jsonschema` crate agree on every fixture, whole and with each value replaced.

#![allow(clippy::disallowed_methods, reason = "fixtures are files")]

use std::path::{Path, PathBuf};

use super::{Compiled, compiled};
use crate::json::Document;
use crate::spec::{Declared, SpecVersion};

/// Values that stand in for others: each fits somewhere and breaks something elsewhere.
const REPLACEMENTS: [&str; 12] =
    ["null", "true", "5", "-1", "5.0", "0.25", "1e400", "\"\"", "\"a b\"", "\"1.0.0\"", "[]", "{}"];

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            json_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
}

/// Compares the two; gives whether the shapes were certain.
fn check(compiled: &Compiled, text: &str, what: &dyn Fn() -> String) -> bool {
    let (Some(document), problems) = Document::parse(text.as_bytes()) else { return false };
    if !problems.is_empty() {
        return false;
    }
    let expected = compiled.validator().is_valid(&document.root().to_value());
    match compiled.shapes.verdict(document.root()) {
        Some(fits) => {
            assert_eq!(fits, expected, "{}", what());
            true
        }
        None => false,
    }
}

#[test]
fn shapes_and_validator_agree() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files = Vec::new();
    json_files(&tests.join("packs"), &mut files);
    json_files(&tests.join("rules/lints"), &mut files);
    json_files(&tests.join("rules/schema"), &mut files);
    let (mut certain, mut all, mut turn) = (0, 0, 0);
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let (Some(document), _) = Document::parse(text.as_bytes()) else { continue };
        let declared = Declared::by_url(document.root().text("$schema")).version;
        for version in [declared, SpecVersion::NEWEST] {
            let compiled = compiled(version);
            check(compiled, &text, &|| format!("{} under {version}", path.display()));
            for node in document.root().descendants().skip(turn % 3).step_by(3) {
                turn += 1;
                let replacement = REPLACEMENTS[turn % REPLACEMENTS.len()];
                let range = node.span().range();
                let changed = format!("{}{replacement}{}", &text[..range.start], &text[range.end..]);
                let what =
                    || format!("{} under {version}: {} = {replacement}", path.display(), node.pointer());
                all += 1;
                certain += usize::from(check(compiled, &changed, &what));
            }
        }
    }
    assert!(all > 10_000, "{all} values were replaced");
    assert!(certain * 10 > all * 8, "the shapes were certain of {certain} of {all}");
}

#[test]
fn shapes_know_every_keyword_of_every_version() {
    for version in SpecVersion::ALL {
        let partial = compiled(version).shapes.partial();
        assert_eq!(partial, 0, "shapes of {version} with unknown keywords");
    }
}
