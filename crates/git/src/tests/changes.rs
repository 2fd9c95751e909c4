//! The difference between commits.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use super::support::{Sandbox, name_that_is_not_utf8};
use crate::{Change, EntryKind, GitError, ObjectId, TreeEntry};

/// One line per change: `+`, `-` or `~`, the path, and the kinds that differ.
fn render(changes: &[Change]) -> Vec<String> {
    let kind = |entry: &TreeEntry| match entry.kind {
        EntryKind::File { executable: false } => "file",
        EntryKind::File { executable: true } => "executable",
        EntryKind::Folder => "folder",
        EntryKind::Link => "link",
        EntryKind::Submodule => "submodule",
        EntryKind::Nameless => "nameless",
    };
    let line = |change: &Change| match (&change.old, &change.new) {
        (None, Some(new)) => format!("+ {} {}", change.path, kind(new)),
        (Some(old), None) => format!("- {} {}", change.path, kind(old)),
        (Some(old), Some(new)) => format!("~ {} {} {}", change.path, kind(old), kind(new)),
        (None, None) => format!("? {}", change.path),
    };
    changes.iter().map(line).collect()
}

#[track_caller]
fn check(sandbox: &Sandbox, commit: ObjectId, expected: &[&str]) {
    let found = sandbox.open().changes(commit).unwrap();
    assert_eq!(render(&found.changes), expected);
    assert_eq!(found.unreadable, [] as [&str; 0]);
}

#[test]
fn everything_in_a_root_commit_is_new() {
    let sandbox = Sandbox::new();
    sandbox.write("b/c/deep.json", "1");
    sandbox.write("b.json", "1");
    let commit = sandbox.commit("first");
    check(&sandbox, commit, &["+ b.json file", "+ b/c/deep.json file"]);
    let id = ObjectId::of_blob(b"1");
    let change = &sandbox.open().changes(commit).unwrap().changes[0];
    assert_eq!(change.new, Some(TreeEntry { id, kind: EntryKind::File { executable: false } }));
}

#[test]
fn writes_removals_modes_and_kinds_are_told_apart() {
    let sandbox = Sandbox::new();
    for path in ["kept/same", "edited/a", "gone/deep/a", "mode", "turns/a", "flat", "linked"] {
        sandbox.write(path, path);
    }
    sandbox.commit("first");
    sandbox.write("edited/a", "new");
    fs::remove_dir_all(sandbox.path().join("gone")).unwrap();
    fs::set_permissions(sandbox.path().join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(sandbox.path().join("turns")).unwrap();
    sandbox.write("turns", "a file now");
    fs::remove_file(sandbox.path().join("flat")).unwrap();
    sandbox.write("flat/a", "a folder now");
    fs::remove_file(sandbox.path().join("linked")).unwrap();
    symlink("/etc/passwd", sandbox.path().join("linked")).unwrap();
    let expected = [
        "~ edited/a file file",
        "- flat file",
        "+ flat/a file",
        "- gone/deep/a file",
        "~ linked file link",
        "~ mode file executable",
        "+ turns file",
        "- turns/a file",
    ];
    check(&sandbox, sandbox.commit("second"), &expected);
    check(&sandbox, sandbox.commit("nothing"), &[]);
}

#[test]
fn names_that_sort_around_a_slash_are_paired() {
    let sandbox = Sandbox::new();
    for path in ["a", "a.b", "a-b", "a0", "ab/x"] {
        sandbox.write(path, path);
    }
    sandbox.commit("first");
    fs::remove_file(sandbox.path().join("a")).unwrap();
    sandbox.write("a/x", "folder");
    sandbox.write("a.b", "new");
    fs::remove_file(sandbox.path().join("a0")).unwrap();
    check(&sandbox, sandbox.commit("second"), &["- a file", "~ a.b file file", "+ a/x file", "- a0 file"]);
}

#[test]
fn a_submodule_is_an_entry_and_is_not_entered() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    sandbox.git(["update-index", "--add", "--cacheinfo", &format!("160000,{commit},vendor/lib")]);
    sandbox.git(["commit", "-q", "-m", "submodule"]);
    check(&sandbox, sandbox.id("HEAD"), &["+ vendor/lib submodule"]);
}

#[test]
fn a_merge_is_compared_with_its_first_parent() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit_file("a", "1");
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.commit_file("side", "1");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.commit_file("main", "1");
    sandbox.git(["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let merge = sandbox.id("HEAD");
    check(&sandbox, merge, &["+ side file"]);
    let since_base = sandbox.open().changes_between(Some(base), merge).unwrap();
    assert_eq!(render(&since_base.changes), ["+ main file", "+ side file"]);
    let backwards = sandbox.open().changes_between(Some(merge), base).unwrap();
    assert_eq!(render(&backwards.changes), ["- main file", "- side file"]);
}

#[test]
fn names_that_are_not_utf8_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("packs/fine", "1");
    fs::write(sandbox.path().join("packs").join(name_that_is_not_utf8()), "1").unwrap();
    let commit = sandbox.commit("first");
    let found = sandbox.open().changes(commit).unwrap();
    assert_eq!(render(&found.changes), ["+ packs/fine file"]);
    assert_eq!(found.unreadable, ["packs/caf\u{fffd}.json"]);
}

#[test]
fn names_with_control_characters_are_names() {
    let sandbox = Sandbox::new();
    check(&sandbox, sandbox.commit_file("line\nbreak", "1"), &["+ line\nbreak file"]);
}

#[test]
fn a_tree_that_unpacks_endlessly_ends_early() {
    let sandbox = Sandbox::new();
    let mut entry =
        format!("100644 blob {}\tf", write_object(&sandbox, &["hash-object", "-w", "--stdin"], "x"));
    for _ in 0..12 {
        let folder: String = (0..10).map(|number| format!("{entry}{number}\n")).collect();
        entry = format!("040000 tree {}\td", write_object(&sandbox, &["mktree"], &folder));
    }
    let tree = entry.split([' ', '\t']).nth(2).unwrap().to_owned();
    let commit: ObjectId = sandbox.git(["commit-tree", "-m", "bomb", &tree]).parse().unwrap();
    let repository = sandbox.open();
    assert!(matches!(repository.changes(commit), Err(GitError::TooManyFiles { .. })));
    let files = repository.tree(commit).unwrap().walk_files(1000);
    assert!(matches!(files, Err(GitError::TooManyFiles { limit: 1000, .. })));
}

fn write_object(sandbox: &Sandbox, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", sandbox.root());
    command.args(arguments).current_dir(sandbox.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim_end().to_owned()
}
