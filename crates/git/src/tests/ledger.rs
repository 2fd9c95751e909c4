//! The ledger's objects: what is written, what it costs, and what git says about it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::support::Sandbox;
use crate::{Change, Content, Edit, EntryKind, GitError, Ledger, Maintenance, ObjectId, TreeEntry};

const TIME: i64 = 1_750_000_000;

fn path(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("state").join("ledger.git")
}

fn ledger(sandbox: &Sandbox) -> Ledger {
    Ledger::open_or_create(&path(sandbox)).unwrap()
}

fn append(ledger: &mut Ledger, edits: &[Edit]) -> ObjectId {
    ledger.append(edits, "edit", TIME).unwrap()
}

/// The paths of all files at the newest commit.
fn paths(ledger: &Ledger) -> Vec<String> {
    let head = ledger.head().unwrap().unwrap();
    ledger.walk(head, "").unwrap().into_iter().map(|file| file.path).collect()
}

#[track_caller]
fn check_with_git(sandbox: &Sandbox) {
    let output = sandbox.try_git_in(&path(sandbox), ["fsck", "--strict", "--no-dangling"]);
    let text = [output.stdout, output.stderr].concat();
    assert_eq!(String::from_utf8_lossy(&text), "");
    assert!(output.status.success());
}

fn loose_objects(ledger: &Path) -> usize {
    let folders = fs::read_dir(ledger.join("objects")).unwrap().flatten();
    folders.filter(|folder| folder.file_name().len() == 2).count()
}

fn pack_bytes(ledger: &Path) -> u64 {
    fs::read_dir(ledger.join("objects/pack"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[test]
fn what_is_appended_is_read_by_everybody() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    assert_eq!(ledger.head().unwrap(), None);
    assert_eq!(ledger.read("a").unwrap(), None);
    assert_eq!(ledger.list("").unwrap(), []);
    assert_eq!(ledger.log(None).unwrap(), []);
    let reader = Ledger::open_reader(&path(&sandbox)).unwrap();
    let run = Content { bytes: b"#!/bin/sh\n".to_vec(), executable: true };
    let edits = [
        Edit::write("packs/ab/greeter/1.0.0/pack.json", "{}"),
        Edit { path: "packs/ab/greeter/1.0.0/skills/0/run.sh".to_owned(), content: Some(run) },
    ];
    let first = ledger.append(&edits, "publish greeter@1.0.0\n\nActor: ada\n", TIME).unwrap();
    for ledger in [&ledger, &reader] {
        assert_eq!(ledger.head().unwrap(), Some(first));
        assert_eq!(ledger.read("packs/ab/greeter/1.0.0/pack.json").unwrap().unwrap(), b"{}");
        assert_eq!(ledger.read("packs/ab/greeter/1.0.0").unwrap(), None);
        assert_eq!(ledger.blob(ObjectId::of_blob(b"{}")).unwrap(), b"{}");
        let below = ledger.walk(first, "packs/ab/greeter/1.0.0/skills").unwrap();
        assert_eq!(below[0].path, "packs/ab/greeter/1.0.0/skills/0/run.sh");
        assert_eq!(below[0].kind, EntryKind::File { executable: true });
        let listed = ledger.list("packs/ab/greeter/1.0.0").unwrap();
        let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["pack.json", "skills"]);
    }
    let git = |arguments: &str| sandbox.git_in(&path(&sandbox), arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(
        git("log -1 --format=%an/%ae/%ct/%s ledger"),
        format!("packhouse/packhouse@localhost/{TIME}/publish greeter@1.0.0")
    );
    assert_eq!(git("symbolic-ref HEAD"), "refs/heads/ledger");
    assert_eq!(git("ls-tree -r HEAD").lines().count(), 2);
    check_with_git(&sandbox);
}

#[test]
fn commits_are_compared_and_logged() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    let first = append(&mut ledger, &[Edit::write("a", "1"), Edit::write("b/c", "1")]);
    let second = ledger.append(&[Edit::write("a", "2"), Edit::remove("b/c")], "second", TIME + 1).unwrap();
    let entry = |text: &str| {
        Some(TreeEntry {
            id: ObjectId::of_blob(text.as_bytes()),
            kind: EntryKind::File { executable: false },
        })
    };
    let change = |path: &str, old, new| Change { path: path.to_owned(), old, new };
    let expected = [change("a", entry("1"), entry("2")), change("b/c", entry("1"), None)];
    assert_eq!(ledger.changes(Some(first), second).unwrap(), expected);
    assert_eq!(ledger.changes(None, second).unwrap(), [change("a", None, entry("2"))]);
    assert_eq!(ledger.list("").unwrap().len(), 1, "the folder went with its last file");
    assert_eq!(ledger.read_at(first, "b/c").unwrap().unwrap(), b"1");
    let log = ledger.log(None).unwrap();
    assert_eq!(
        log.iter().map(|commit| (commit.id, commit.time)).collect::<Vec<_>>(),
        [(first, TIME), (second, TIME + 1)]
    );
    assert_eq!(ledger.log(Some(first)).unwrap()[0].message, "second");
    assert_eq!(ledger.log(Some(second)).unwrap(), []);
    let elsewhere = ObjectId::from_bytes([7; 20]);
    assert!(matches!(ledger.log(Some(elsewhere)), Err(GitError::NotInHistory { .. })));
}

#[test]
fn edits_of_one_commit_fold_into_folders() {
    let cases: &[(&[Edit], &[&str])] = &[
        (&[Edit::remove("old")], &["keep"]),
        (&[Edit::remove("old/a")], &["keep", "old/b/c"]),
        (&[Edit::remove("old/b/c")], &["keep", "old/a"]),
        (
            &[Edit::remove("keep/x"), Edit::remove("nowhere/x"), Edit::remove("old/z")],
            &["keep", "old/a", "old/b/c"],
        ),
        (&[Edit::remove("old"), Edit::write("old/new", "1")], &["keep", "old/new"]),
        (&[Edit::write("old/new", "1"), Edit::remove("old")], &["keep", "old/new"]),
        (&[Edit::write("old", "1"), Edit::remove("old/a")], &["keep", "old"]),
        (&[Edit::write("keep/x", "1"), Edit::remove("keep")], &["keep/x", "old/a", "old/b/c"]),
        (&[Edit::write("a", "1"), Edit::remove("a")], &["keep", "old/a", "old/b/c"]),
        (&[Edit::remove("old"), Edit::remove("keep")], &[]),
    ];
    for (edits, expected) in cases {
        let sandbox = Sandbox::new();
        let mut ledger = ledger(&sandbox);
        append(
            &mut ledger,
            &[Edit::write("keep", "1"), Edit::write("old/a", "1"), Edit::write("old/b/c", "1")],
        );
        append(&mut ledger, edits);
        assert_eq!(paths(&ledger), *expected, "{edits:?}");
        check_with_git(&sandbox);
    }
}

#[test]
fn what_a_tree_cannot_hold_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    let head = append(&mut ledger, &[Edit::write("a", "1")]);
    for path in [
        "",
        "/a",
        "a/",
        "a//b",
        "a/../b",
        "./a",
        ".git",
        "a/.GIT/b",
        "git~1",
        ".git .",
        ".g\u{200c}it",
        "a\\.git",
        "a\0",
    ] {
        let error = ledger.append(&[Edit::write(path, "1")], "edit", TIME).unwrap_err();
        assert!(matches!(error, GitError::Edit { .. }), "{path:?}: {error}");
        assert!(Ledger::check_path(path).is_err());
    }
    let both = [Edit::write("x", "1"), Edit::write("x/y", "1")];
    for edits in [[both[0].clone(), both[1].clone()], [both[1].clone(), both[0].clone()]] {
        assert!(matches!(ledger.append(&edits, "edit", TIME), Err(GitError::Edit { .. })));
    }
    assert!(matches!(ledger.append(&[], "edit", TIME), Err(GitError::NoEdits)));
    assert_eq!(ledger.head().unwrap(), Some(head));
    let odd = ["line\nbreak", ".gitignore", "caf\u{e9}", "git", ".github/x"];
    let edits: Vec<Edit> = odd.iter().map(|path| Edit::write(*path, "1")).collect();
    append(&mut ledger, &edits);
    check_with_git(&sandbox);
}

#[test]
fn a_reader_writes_nothing() {
    let sandbox = Sandbox::new();
    append(&mut ledger(&sandbox), &[Edit::write("a", "1")]);
    let mut reader = Ledger::open_reader(&path(&sandbox)).unwrap();
    assert!(matches!(reader.append(&[Edit::write("a", "2")], "edit", TIME), Err(GitError::ReadOnly { .. })));
    assert!(matches!(reader.maintain(), Err(GitError::ReadOnly { .. })));
    let nowhere = Ledger::open_reader(&sandbox.root().join("nowhere"));
    assert!(matches!(nowhere, Err(GitError::Missing { .. })));
    let not_bare = Ledger::open_reader(&sandbox.path());
    assert!(matches!(not_bare, Err(GitError::NotARepository { .. })));
}

#[test]
fn one_process_writes() {
    let sandbox = Sandbox::new();
    let first = ledger(&sandbox);
    let second = Ledger::open_or_create(&path(&sandbox)).unwrap_err();
    assert!(matches!(second, GitError::Locked { .. }));
    drop(first);
    ledger(&sandbox);
}

#[test]
fn a_branch_that_was_moved_behind_the_writer_is_not_overwritten() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    let early = ledger.commit_on(None, &[Edit::write("a", "0")], "early", TIME).unwrap();
    let first = append(&mut ledger, &[Edit::write("a", "1")]);
    assert!(matches!(ledger.move_head(None, early), Err(GitError::Moved { expected: None })));
    let second = ledger.commit_on(Some(first), &[Edit::write("a", "2")], "second", TIME).unwrap();
    assert_eq!(ledger.head().unwrap(), Some(first), "writing a commit moves nothing");
    assert!(matches!(ledger.move_head(Some(early), second), Err(GitError::Moved { .. })));
    let nowhere = ObjectId::from_bytes([7; 20]);
    assert!(matches!(ledger.move_head(Some(first), nowhere), Err(GitError::MissingObject { .. })));
    ledger.move_head(Some(first), second).unwrap();
    assert_eq!(ledger.read("a").unwrap().unwrap(), b"2");
    assert_eq!(ledger.log(None).unwrap().len(), 2);
}

#[test]
fn equal_content_is_written_once_and_old_content_again() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    let first = append(&mut ledger, &[Edit::write("a", "1"), Edit::write("b", "1")]);
    append(&mut ledger, &[Edit::write("a", "2")]);
    let third = append(&mut ledger, &[Edit::write("a", "1")]);
    assert_eq!(ledger.changes(Some(first), third).unwrap(), []);
    let same = append(&mut ledger, &[Edit::write("a", "1")]);
    assert_ne!(same, third);
    check_with_git(&sandbox);
}

#[test]
fn two_hundred_commits_are_small_and_merge() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox);
    for number in 0..200 {
        let folder = format!("packs/{:02x}/pack-{number}", number % 64);
        let edits = [
            Edit::write(format!("{folder}/1.0.0/pack.json"), format!("{{\"id\":\"pack-{number}\"}}")),
            Edit::write(format!("{folder}/1.0.0/release.json"), format!("{{\"number\":{number}}}")),
            Edit::write(format!("{folder}/status.json"), "{}"),
        ];
        append(&mut ledger, &edits);
    }
    let (head, ledger_path) = (ledger.head().unwrap().unwrap(), path(&sandbox));
    assert_eq!(loose_objects(&ledger_path), 0);
    let per_commit = pack_bytes(&ledger_path) / 200;
    assert!(per_commit < 5_000, "{per_commit} bytes a commit");
    assert_eq!(ledger.log(None).unwrap().len(), 200);
    assert_eq!(ledger.walk(head, "").unwrap().len(), 600);
    check_with_git(&sandbox);

    let reader = Ledger::open_reader(&ledger_path).unwrap();
    reader.read("packs/00/pack-0/1.0.0/pack.json").unwrap().unwrap();
    assert_eq!(ledger.maintain_with(OsStr::new("no-such-git")).unwrap(), Maintenance::NoGitBinary);
    let Maintenance::Done { packs_before, packs_after } = ledger.maintain().unwrap() else {
        panic!("not done")
    };
    assert_eq!(packs_before, 200);
    assert!(packs_after < 10, "{packs_after}");
    assert_eq!(ledger.maintain().unwrap(), Maintenance::NotNeeded);
    for ledger in [&ledger, &reader] {
        for number in 0..200 {
            let file = format!("packs/{:02x}/pack-{number}/1.0.0/release.json", number % 64);
            assert_eq!(ledger.read(&file).unwrap().unwrap(), format!("{{\"number\":{number}}}").into_bytes());
        }
    }
    append(&mut ledger, &[Edit::write("after", "1")]);
    assert_eq!(reader.read("after").unwrap().unwrap(), b"1");
    assert_eq!(ledger.verify().unwrap(), [] as [&str; 0]);
    check_with_git(&sandbox);
}
