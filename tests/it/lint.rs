//! `packhouse lint`: what is found where, and with which exit status.

use super::snapshot;
use super::support::{Folder, greeter, greeter_with};

/// A pack with one error in a long line.
fn broken() -> String {
    greeter_with(
        "1.0.0",
        "",
        " Then say how much you like {{nmae}}, at length, and why, in the words of a friend.",
    )
}

#[test]
fn findings_are_shown_in_a_frame_and_decide_the_status() {
    let folder = Folder::new();
    folder
        .write("packs/a.pack.json", greeter("1.0.0"))
        .write("packs/b.json", broken().replace("greeter", "other"));
    folder.write("packs/package.json", r#"{"name": "x", "version": "1.0.0"}"#);
    let ran = folder.run(&["lint", "packs"]);
    snapshot("lint_text", &ran.shown());
    assert_eq!(folder.run(&["lint", "packs/a.pack.json"]).status, 0);
    assert_eq!(folder.run(&["lint", "--exit-zero", "packs"]).status, 0);
    assert_eq!(folder.run(&["lint", "--findings-exit-code", "7", "packs"]).status, 7);
    let concise = folder.run(&["lint", "--format", "concise"]);
    assert!(concise.stdout.starts_with("packs/b.json:17:"), "{}", concise.shown());
    let again = folder.run(&["lint", "packs"]);
    assert_eq!(again.stdout, ran.stdout);
}

#[test]
fn the_json_has_the_documented_shape() {
    let folder = Folder::new();
    folder.write("a.pack.json", broken());
    let report = folder.run(&["lint", "a.pack.json", "--format", "json"]).json();
    assert_eq!(report["version"], 1);
    assert_eq!(report["summary"]["error"], 1);
    let finding = &report["findings"][0];
    assert_eq!(
        (finding["rule"].as_str(), finding["path"].as_str()),
        (Some("undeclared-variable"), Some("a.pack.json"))
    );
    assert_eq!(finding["pointer"], "/prompts/hello/system_template");
    let lines = folder.run(&["lint", "--format", "jsonl"]);
    assert_eq!(lines.stdout.lines().count(), 2, "{}", lines.shown());
}

#[test]
fn what_cannot_be_done_is_said_while_the_rest_goes_on() {
    let folder = Folder::new();
    folder
        .write("a.pack.json", broken())
        .write("empty/notes.txt", "")
        .write("bad/packhouse.toml", "[lint]\n");
    folder.write("bad/b.pack.json", greeter("1.0.0"));
    let ran = folder.run(&["lint", "a.pack.json", "gone.json", "empty", "--format", "concise"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert_eq!(ran.stdout.lines().count(), 1);
    assert!(ran.stderr.contains("gone.json: there is no such file"), "{}", ran.stderr);
    assert!(ran.stderr.contains("there are no packs in this folder"), "{}", ran.stderr);
    let bad = folder.run(&["lint", "bad"]);
    assert_eq!(bad.status, 2);
    assert!(
        bad.stderr.contains("bad/packhouse.toml:1") && bad.stderr.contains("did you mean `lints`"),
        "{}",
        bad.stderr
    );
    assert_eq!(folder.run(&["lint", "--spec", "7.0", "a.pack.json"]).status, 2);
    assert_eq!(folder.run(&["lint", "--findings-exit-code", "2"]).status, 2);
}

#[test]
fn broken_json_is_a_finding_and_standard_input_a_file() {
    let folder = Folder::new();
    folder.write("a.pack.json", "{\"id\": \"a\",}\n");
    let ran = folder.run(&["lint", "--format", "concise"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.stdout.starts_with("a.pack.json:1:"), "{}", ran.shown());
    let ran = folder.run_with(&["lint", "-", "--format", "concise"], &[], &broken());
    assert!(ran.status == 1 && ran.stdout.starts_with("<stdin>:17:"), "{}", ran.shown());
    folder.write("packs/packhouse.toml", "[lints]\nundeclared-variable = \"off\"\n");
    let named = ["lint", "-", "--stdin-filename", "packs/x.pack.json"];
    assert_eq!(folder.run_with(&named, &[], &broken()).status, 0);
}

#[test]
fn settings_stand_above_each_file_and_every_entry_is_accounted_for() {
    let folder = Folder::repository();
    folder.write("packs/a.pack.json", broken());
    folder.write(
        "packhouse.toml",
        "[[allow]]\nrule = \"undeclared-variable\"\npath = \"packs/a.pack.json\"\nreason = \"known\"\n",
    );
    assert_eq!(folder.run(&["lint"]).status, 0);
    assert_eq!(folder.run_in("packs", &["lint", "a.pack.json"], &[], "").status, 0);
    folder.write("packs/a.pack.json", greeter("1.0.0"));
    folder.write("packhouse.toml", "[[allow]]\nrule = \"undeclared-variable\"\nreason = \"known\"\n");
    let ran = folder.run_in("packs", &["lint", "--format", "concise"], &[], "");
    assert_eq!(ran.stdout, "", "the run does not cover the repository: {}", ran.shown());
    let ran = folder.run(&["lint", "--format", "concise"]);
    assert!(ran.stdout.starts_with("packhouse.toml:1:1: warn[allow-unused]"), "{}", ran.shown());
    folder.write(
        "packhouse.toml",
        "[[allow]]\nrule = \"unused-tool\"\nexpires = \"2020-01-01\"\nreason = \"r\"\n",
    );
    let ran = folder.run(&["lint", "--format", "concise", "--fail-on", "warn"]);
    assert!(ran.status == 1 && ran.stdout.contains("warn[allow-expired]"), "{}", ran.shown());
    folder.write("packhouse.toml", "");
    folder.write("b.json", greeter("1.0.0").replace("one person", "anybody"));
    let ran = folder.run(&["lint", "--format", "concise"]);
    assert_eq!(ran.stdout.matches("error[duplicate-pack]").count(), 2, "{}", ran.shown());
}

#[test]
fn findings_can_be_accepted_and_fixed_in_one_go() {
    let folder = Folder::repository();
    folder
        .write("packs/a.pack.json", broken())
        .write("packhouse.toml", "# ours\n[lints]\nstyle = \"warn\"\n");
    let ran = folder.run(&["lint", "--write-allow", "--reason", "known"]);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let settings = folder.read("packhouse.toml");
    assert!(settings.starts_with("# ours\n[lints]\nstyle = \"warn\"\n"), "{settings}");
    assert!(
        settings.contains("rule = \"undeclared-variable\"\n") && settings.contains("reason = \"known\"\n"),
        "{settings}"
    );
    assert_eq!(folder.run(&["lint"]).status, 0);
    folder.write("b.pack.json", format!("\u{feff}{}", greeter("1.0.0").replace("greeter", "other")));
    let ran = folder.run(&["lint", "--fix", "b.pack.json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, "fixed 1 finding in 1 file\n"), "{}", ran.shown());
    assert!(folder.read("b.pack.json").starts_with('{'));
    let ran = folder.run(&["lint", "--explain-config", "packs/a.pack.json"]);
    assert!(ran.stdout.contains("[lints] style in packhouse.toml"), "{}", ran.shown());
}

#[test]
#[cfg(unix)]
fn only_files_are_read_and_settings_are_never_passed_over() {
    let folder = Folder::new();
    folder.write("packs/a.pack.json", greeter("1.0.0"));
    std::os::unix::net::UnixListener::bind(folder.path().join("packs/b.pack.json")).expect("a socket");
    let ran = folder.run(&["lint", "packs"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stdout.contains("1 pack"), "{}", ran.shown());
    assert!(ran.stderr.contains("packs/b.pack.json") && ran.stderr.contains("not a file"), "{}", ran.stderr);

    let linked = Folder::new();
    linked.write("a.pack.json", greeter("1.0.0")).write("shared.toml", "[lints]\n");
    std::os::unix::fs::symlink("shared.toml", linked.path().join("packhouse.toml")).expect("a link");
    let ran = linked.run(&["lint"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("packhouse.toml") && ran.stderr.contains("symbolic link"), "{}", ran.stderr);
}

#[test]
fn what_git_tracks_is_linted_though_it_is_ignored() {
    let folder = Folder::repository();
    folder.write("packs/a.pack.json", broken()).commit("a pack");
    folder.write(".gitignore", "packs/\n").write("packs/new.pack.json", greeter("1.0.0")).commit("ignored");
    let ran = folder.run(&["lint", "--format", "concise"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.stdout.starts_with("packs/a.pack.json:"), "{}", ran.shown());
    assert!(!ran.stdout.contains("new.pack.json"), "{}", ran.shown());
}

#[test]
fn settings_about_packs_that_are_not_there_are_told() {
    let folder = Folder::repository();
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    folder.write(
        "packhouse.toml",
        "[channels.greeter]\nstable = \"1.0.0\"\n\n[[yank]]\npack = \"greter\"\nversions = \"=1.0.0\"\nreason = \"wrong\"\n",
    );
    let told = "packhouse.toml:4:1: warn[unknown-pack] `[[yank]]` speaks of the pack `greter`, which the repository does not hold";
    let whole = folder.run(&["lint", "--format", "concise"]);
    assert!(whole.stdout.contains(told), "{}", whole.shown());
    let check = folder.run(&["check", "--against", "none", "--format", "concise"]);
    assert!(check.stdout.contains(told), "{}", check.shown());
    let part = folder.run(&["lint", "packs", "--format", "concise"]);
    assert!(!part.stdout.contains("unknown-pack"), "what was not looked at is not missed: {}", part.shown());
}
