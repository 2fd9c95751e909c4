//! `packhouse diff`: what changed, and whether the version says so.

use super::snapshot;
use super::support::{Folder, greeter, greeter_with, program};

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
fn a_version_that_goes_down_is_too_low_for_anything() {
    let folder = Folder::new();
    folder.write("new.pack.json", greeter("2.0.0")).write("old.pack.json", greeter("1.5.0"));
    let diff = ["diff", "new.pack.json", "old.pack.json", "--fail-on", "insufficient"];
    let ran = folder.run(&diff);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.stdout.contains("the version goes down, from 2.0.0 to 1.5.0"), "{}", ran.shown());
    assert_eq!(
        folder.run(&["diff", "old.pack.json", "new.pack.json", "--fail-on", "insufficient"]).status,
        0
    );
}

/// What Git shows through the program as its diff driver, against HEAD.
fn shown_by_git(folder: &Folder) -> String {
    folder.git(&["add", "--all"]);
    let driver = format!("diff.packhouse.command={} diff --git-external", env!("CARGO_BIN_EXE_packhouse"));
    let shown = folder.git(&["-c", &driver, "diff", "--ext-diff", "--find-renames=30%", "HEAD"]);
    assert!(!shown.contains("git-blob") && !shown.contains("/tmp/"), "temporary names: {shown}");
    shown
}

fn driven() -> Folder {
    let folder = Folder::repository();
    folder.write(".gitattributes", "*.json diff=packhouse\n").write("a.pack.json", greeter("1.0.0"));
    folder
}

#[test]
fn git_shows_changes_through_it() {
    let folder = driven();
    folder.write("gone.pack.json", greeter("1.0.0").replace("greeter", "gone")).commit("one");
    folder.write("a.pack.json", breaking("1.1.0")).write("b.pack.json", breaking("3.0.0").replace(' ', ""));
    let shown = shown_by_git(folder.remove("gone.pack.json"));
    assert!(shown.starts_with("a.pack.json\n"), "{shown}");
    assert!(shown.contains("variable-required-added"), "{shown}");
    assert!(shown.contains("> a.pack.json:19:9"), "{shown}");
    assert!(shown.contains("b.pack.json: is new\n"), "{shown}");
    assert!(shown.contains("gone.pack.json: is gone"), "{shown}");
    assert!(shown.contains("b.pack.json: is new\n--- /dev/null\n+++ b/b.pack.json\n"), "{shown}");
    assert_eq!(shown.matches("+++").count(), 1, "only a new pack is shown as text: {shown}");
}

#[test]
fn git_shows_names_and_modes_through_it() {
    let folder = driven();
    folder.write("c.pack.json", greeter("1.0.0").replace("greeter", "other")).commit("one");
    folder.git(&["mv", "a.pack.json", "b.pack.json"]);
    folder.git(&["update-index", "--chmod=+x", "c.pack.json"]);
    folder.git(&["config", "core.fileMode", "false"]);
    assert_eq!(
        shown_by_git(&folder),
        "a.pack.json -> b.pack.json\nc.pack.json: mode 100644 -> 100755",
        "what is the same needs no more words"
    );
    folder.write("b.pack.json", breaking("1.1.0"));
    let shown = shown_by_git(&folder);
    assert!(shown.starts_with("a.pack.json -> b.pack.json\n"), "{shown}");
    assert!(shown.contains("> b.pack.json:19:9"), "{shown}");
}

#[test]
fn git_shows_what_is_no_pack_as_text() {
    let folder = driven();
    folder.write("plain.json", "{\n  \"a\": 1\n}\n").write("old.json", "[1]\n").write("bytes.json", "a\0b");
    folder.commit("one");
    folder.write("plain.json", "{\n  \"a\": 2\n}\n").write("new.json", "[2, 3]").write("bytes.json", "a\0c");
    let broken = greeter("1.0.0").replace("\"id\": \"greeter\",", "\"id\": greeter,");
    let shown = shown_by_git(folder.write("a.pack.json", broken).remove("old.json"));
    snapshot("diff_git_text", &format!("{shown}\n"));
    folder.write("a.pack.json", breaking("1.1.0")).write("packhouse.toml", "[lint]\n");
    let shown = shown_by_git(&folder);
    assert!(shown.starts_with("packhouse.toml:1: "), "{shown}");
    assert!(shown.contains("--- a/a.pack.json\n+++ b/a.pack.json\n@@"), "{shown}");
}

#[test]
fn git_is_not_told_of_a_failure_when_its_pager_ends_early() {
    let folder = Folder::new();
    folder.write("old.json", greeter("1.0.0")).write("new.json", breaking("1.1.0"));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let arguments =
        ["diff", "--git-external", "a.json", "old.json", "1", "100644", "new.json", "2", "100644"];
    let status = program(&arguments, &folder.path()).stdout(writer).status().expect("the program runs");
    assert!(status.success(), "{status}");
}

#[test]
fn git_shows_json_that_has_nothing_of_a_pack_as_text() {
    let folder = driven();
    folder.commit("one");
    let shown = shown_by_git(folder.write("a.pack.json", "{\"a\": 1}\n"));
    assert!(shown.contains("+{\"a\": 1}"), "{shown}");
    assert!(!shown.contains("[[allow]]"), "{shown}");
}

#[test]
fn what_has_no_id_or_version_says_so() {
    let folder = Folder::new();
    folder.write("old.pack.json", greeter("1.0.0"));
    folder.write("new.pack.json", greeter("1.0.0").replace("  \"version\": \"1.0.0\",\n", ""));
    let shown = folder.run(&["diff", "old.pack.json", "new.pack.json"]).stdout;
    assert!(shown.starts_with("greeter 1.0.0 → (no version) "), "{shown}");
    folder.write("new.pack.json", greeter("1.0.0").replace("  \"id\": \"greeter\",\n", ""));
    folder.write("old.pack.json", folder.read("new.pack.json"));
    let shown = folder.run(&["diff", "old.pack.json", "new.pack.json", "--format", "markdown"]).stdout;
    assert!(shown.starts_with("### `(no id)` 1.0.0 → 1.0.0"), "{shown}");
}

#[test]
fn markdown_shows_code_as_it_is() {
    let folder = Folder::new();
    let with = |pattern: &str| {
        let validation = format!("\"required\": true, \"validation\": {{ \"pattern\": \"{pattern}\" }}");
        greeter("1.0.0").replacen("\"required\": true", &validation, 1)
    };
    folder.write("old.pack.json", with("^(a|b|c)$")).write("new.pack.json", with("^(a|b)$"));
    let shown = folder.run(&["diff", "old.pack.json", "new.pack.json", "--format", "markdown"]).stdout;
    assert!(shown.contains("`^(a|b)$`"), "{shown}");
    // A name may end the code it stands in; what follows is neither a link nor a call.
    let named = |name: &str| {
        greeter("1.0.0").replacen("\"prompts\": {", &format!("\"{name}\": 1, \"prompts\": {{"), 1)
    };
    folder.write("old.pack.json", greeter("1.0.0"));
    folder.write("new.pack.json", named("a` https://host.test @team"));
    let shown = folder.run(&["diff", "old.pack.json", "new.pack.json", "--format", "markdown"]).stdout;
    assert!(shown.contains("`a` `https://host.test` `@team`"), "{shown}");
}

#[test]
fn a_pack_without_id_is_called_so() {
    let folder = Folder::new();
    let without = |text: String| text.replace("  \"id\": \"greeter\",\n", "");
    folder.write("old.pack.json", without(greeter("1.0.0")));
    folder.write("new.pack.json", without(breaking("1.1.0")));
    let shown = folder.run(&["diff", "old.pack.json", "new.pack.json"]);
    assert!(shown.stdout.starts_with("(no id) 1.0.0 → 1.1.0"), "{}", shown.shown());
}
