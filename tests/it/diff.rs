//! `packhouse diff`: what changed, and whether the version says so.

use super::snapshot;
use super::support::{Folder, greeter, greeter_with};

const TIER: &str = r#"{ "name": "tier", "type": "string", "required": true, "description": "The plan.", "example": "gold" },
        "#;

fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

#[test]
fn a_breaking_change_is_shown_with_what_it_needs() {
    let folder = Folder::new();
    folder.write("old.json", greeter("1.0.0")).write("new.json", breaking("1.1.0"));
    let ran = folder.run(&["diff", "old.json", "new.json"]);
    snapshot("diff_text", &ran.shown());
    for (limit, status) in [("major", 1), ("insufficient", 1), ("patch", 1)] {
        assert_eq!(
            folder.run(&["diff", "old.json", "new.json", "--fail-on", limit]).status,
            status,
            "{limit}"
        );
    }
    folder.write("new.json", breaking("2.0.0"));
    assert_eq!(folder.run(&["diff", "old.json", "new.json", "--fail-on", "insufficient"]).status, 0);
    let ran = folder.run(&["diff", "old.json", "old.json", "--fail-on", "patch"]);
    assert_eq!((ran.status, ran.stdout.contains("no changes")), (0, true), "{}", ran.shown());
}

#[test]
fn the_json_has_the_documented_shape() {
    let folder = Folder::new();
    folder.write("old.json", greeter("1.0.0")).write("new.json", breaking("1.1.0"));
    let report = folder.run(&["diff", "old.json", "new.json", "--format", "json"]).json();
    assert_eq!(report["pack"], "greeter");
    assert_eq!(
        (report["required_bump"].as_str(), report["declared_bump"].as_str()),
        (Some("major"), Some("minor"))
    );
    assert_eq!((report["sufficient"].as_bool(), report["breaking"].as_bool()), (Some(false), Some(true)));
    assert_eq!(report["changes"][0]["rule"], "variable-required-added");
    assert_eq!(report["changes"][0]["place"], "/prompts/hello/variables/{tier}");
    let wire = folder.run(&["diff", "old.json", "new.json", "--format", "json", "--profile", "wire"]).json();
    assert_eq!(wire["profile"], "wire");
}

#[test]
fn sides_come_from_revisions_and_what_is_no_pack_is_refused() {
    let folder = Folder::repository();
    folder.write("packs/a.pack.json", greeter("1.0.0")).commit("one");
    folder.write("packs/a.pack.json", breaking("1.1.0"));
    let ran = folder.run(&["diff", "HEAD:packs/a.pack.json", "packs/a.pack.json", "--format", "concise"]);
    assert!(ran.stdout.contains("packs/a.pack.json:19:9: error[variable-required-added]"), "{}", ran.shown());
    let below = folder.run_in("packs", &["diff", "HEAD:./a.pack.json", "a.pack.json"], &[], "");
    assert_eq!(below.status, 0, "{}", below.shown());
    folder.write("other.json", "{\"a\": 1}");
    for (old, complaint) in [
        ("HEAD:a.pack.json", "there is no such file in `HEAD`"),
        ("nowhere:packs/a.pack.json", "`nowhere` names no commit"),
        ("other.json", "this is no pack"),
        ("gone.json", "there is no such file"),
        ("packs", "this is a folder"),
        ("greeter@1.0.0", "no registry is named"),
    ] {
        let ran = folder.run(&["diff", old, "packs/a.pack.json"]);
        assert!(ran.status == 2 && ran.stderr.contains(complaint), "{old}: {}", ran.shown());
    }
}

#[test]
fn git_shows_changes_through_it() {
    let folder = Folder::repository();
    folder.write("a.pack.json", greeter("1.0.0")).write(".gitattributes", "*.json diff=packhouse\n");
    folder.write("notes.json", "{}").commit("one");
    folder
        .write("a.pack.json", breaking("1.1.0"))
        .write("notes.json", "[]")
        .write("b.pack.json", greeter("1.0.0"));
    folder.git(&["add", "--all"]);
    let driver = format!("diff.packhouse.command={} diff --git-external", env!("CARGO_BIN_EXE_packhouse"));
    let shown = folder.git(&["-c", &driver, "diff", "--ext-diff", "HEAD"]);
    assert!(shown.contains("variable-required-added"), "{shown}");
    assert!(shown.contains("b/a.pack.json:19:9"), "{shown}");
    assert!(
        shown.contains("b.pack.json: is new") && shown.contains("notes.json: cannot be compared"),
        "{shown}"
    );
}
