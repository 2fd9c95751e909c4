//! Whole histories of packs, as teams write them: each step is shown as `diff` shows it, to be read by people.
//!
//! `histories/<pack>.json` lists ten versions of the pack of that name below `tests/packs`: what the team says, and a
//! patch on the version before. `UPDATE=1` rewrites what is stored beside it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::patch::apply;
use super::support::Folder;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn json(path: &Path) -> Value {
    let bytes = fs::read(path).expect("a readable file");
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares with a stored text; `UPDATE=1` rewrites it.
fn compare(stored: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        return fs::write(stored, text).expect("a file");
    }
    let expected = fs::read_to_string(stored).unwrap_or_default();
    assert!(expected == text, "{} is stale; run `UPDATE=1 cargo test` and read it", stored.display());
}

/// Shows every step of one history as text and as Markdown.
fn check(name: &str) {
    let folder = Folder::new();
    let mut pack = json(&tests().join(format!("packs/{name}/{name}.pack.json")));
    let steps = json(&tests().join(format!("it/histories/{name}.json")));
    let (mut text, mut markdown) = (String::new(), String::new());
    for step in steps.as_array().expect("a list of steps") {
        folder.write("old.json", serde_json::to_string_pretty(&pack).expect("JSON"));
        apply(&mut pack, &step["patch"]);
        pack["version"] = step["version"].clone();
        folder.write("new.json", serde_json::to_string_pretty(&pack).expect("JSON"));
        let ran = folder.run(&["diff", "old.json", "new.json", "--output", "markdown=changes.md"]);
        assert_eq!(ran.status, 0, "{name} {}: {}", step["version"], ran.shown());
        let says = step["says"].as_str().expect("what the team says");
        text.push_str(&format!("==== {says}\n\n{}\n", ran.stdout));
        markdown.push_str(&format!("<!-- {says} -->\n\n{}\n", folder.read("changes.md")));
    }
    compare(&tests().join(format!("it/histories/{name}.txt")), &text);
    compare(&tests().join(format!("it/histories/{name}.md")), &markdown);
}

#[test]
fn a_support_bot() {
    check("rebooking");
}

#[test]
fn a_coding_agent() {
    check("code-review-loop");
}

#[test]
fn a_retrieval_assistant() {
    check("onboarding-buddy");
}

#[test]
fn a_media_pipeline() {
    check("inventaire-photo");
}

#[test]
fn a_governed_workflow_of_agents() {
    check("incident-desk");
}
