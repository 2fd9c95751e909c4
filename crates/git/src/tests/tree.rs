//! A commit as a `Tree`.

use std::fs;
use std::os::unix::fs::symlink;

use pack::tree::{Entry, Tree, Unreadable, files_below};

use super::support::{Sandbox, name_that_is_not_utf8};
use crate::{EntryKind, FileEntry, ObjectId, TreeEntry};

const FILE: EntryKind = EntryKind::File { executable: false };

/// A repository with a file, a folder, links to both and to the outside, and a submodule.
fn sandbox() -> (Sandbox, ObjectId) {
    let sandbox = Sandbox::new();
    sandbox.write("packs/a.json", "{}");
    sandbox.write("packs/skills/one/SKILL.md", "# One");
    symlink("a.json", sandbox.path().join("packs/link.json")).unwrap();
    symlink("skills", sandbox.path().join("packs/linked")).unwrap();
    symlink("/etc", sandbox.path().join("outside")).unwrap();
    let first = sandbox.commit("first");
    sandbox.git(["update-index", "--add", "--cacheinfo", &format!("160000,{first},sub")]);
    sandbox.git(["commit", "-q", "-m", "submodule"]);
    let commit = sandbox.id("HEAD");
    (sandbox, commit)
}

#[test]
fn files_are_read_and_nothing_behind_a_link_is() {
    let (sandbox, commit) = sandbox();
    let repository = sandbox.open();
    let tree = repository.tree(commit).unwrap();
    let expected = [
        ("packs/a.json", Ok(b"{}".to_vec())),
        ("packs/skills/one/SKILL.md", Ok(b"# One".to_vec())),
        ("packs/b.json", Err(Unreadable::Missing)),
        ("packs/a.json/b", Err(Unreadable::Missing)),
        ("nowhere/b", Err(Unreadable::Missing)),
        ("", Err(Unreadable::Other(EntryKind::Folder))),
        ("packs", Err(Unreadable::Other(EntryKind::Folder))),
        ("packs/link.json", Err(Unreadable::Other(EntryKind::Link))),
        ("packs/linked/one/SKILL.md", Err(Unreadable::Other(EntryKind::Link))),
        ("outside/passwd", Err(Unreadable::Other(EntryKind::Link))),
        ("sub", Err(Unreadable::Other(EntryKind::Submodule))),
        ("sub/file", Err(Unreadable::Other(EntryKind::Submodule))),
        ("packs/../packs/a.json", Err(Unreadable::Missing)),
        ("/packs/a.json", Err(Unreadable::Missing)),
        ("packs/", Err(Unreadable::Missing)),
    ];
    for (path, expected) in expected {
        assert_eq!(tree.read(path), expected, "{path}");
    }
}

#[test]
fn folders_are_listed_by_name() {
    let (sandbox, commit) = sandbox();
    let repository = sandbox.open();
    let tree = repository.tree(commit).unwrap();
    let entry = |name: &str, kind| Entry { name: name.to_owned(), kind };
    let root = [
        entry("outside", EntryKind::Link),
        entry("packs", EntryKind::Folder),
        entry("sub", EntryKind::Submodule),
    ];
    assert_eq!(tree.list("").unwrap(), root);
    assert_eq!(tree.list("packs/skills").unwrap(), [entry("one", EntryKind::Folder)]);
    assert_eq!(tree.list("packs/a.json"), Err(Unreadable::Other(FILE)));
    assert_eq!(tree.list("packs/linked"), Err(Unreadable::Other(EntryKind::Link)));
    assert!(tree.link("outside").unwrap().starts_with('/'));
    assert_eq!(tree.link("packs/a.json"), Err(Unreadable::Other(FILE)));
    assert_eq!(tree.list("nowhere"), Err(Unreadable::Missing));
    let below = files_below(&tree, "packs", 100).unwrap();
    let paths: Vec<&str> = below.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["packs/a.json", "packs/skills/one/SKILL.md"]);
    assert_eq!(below.skipped.len(), 2);
}

#[test]
fn files_above_the_limit_are_not_read() {
    let (sandbox, commit) = sandbox();
    let repository = sandbox.open();
    let tree = repository.tree(commit).unwrap().with_limit(4);
    assert_eq!(tree.read("packs/a.json"), Ok(b"{}".to_vec()));
    assert_eq!(tree.read("packs/skills/one/SKILL.md"), Err(Unreadable::TooLarge { size: 5, limit: 4 }));
}

#[test]
fn entries_and_the_walk_carry_ids() {
    let (sandbox, commit) = sandbox();
    fs::write(sandbox.path().join("packs").join(name_that_is_not_utf8()), "1").unwrap();
    sandbox.git(["add", "packs"]);
    sandbox.git(["commit", "-q", "-m", "more"]);
    let repository = sandbox.open();
    let tree = repository.tree(sandbox.id("HEAD")).unwrap();
    let (id, packs) = (ObjectId::of_blob(b"{}"), sandbox.id("HEAD:packs"));
    assert_eq!(tree.entry("packs/a.json").unwrap(), Some(TreeEntry { id, kind: FILE }));
    assert_eq!(tree.entry("packs").unwrap(), Some(TreeEntry { id: packs, kind: EntryKind::Folder }));
    assert_eq!(tree.entry("sub").unwrap().unwrap().kind, EntryKind::Submodule);
    assert_eq!(tree.entry("packs/linked/one").unwrap(), None);
    assert_eq!(tree.entry("").unwrap(), Some(TreeEntry { id: tree.id(), kind: EntryKind::Folder }));
    let walked = tree.walk_files(100).unwrap();
    let paths: Vec<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
    let expected =
        ["outside", "packs/a.json", "packs/link.json", "packs/linked", "packs/skills/one/SKILL.md", "sub"];
    assert_eq!(paths, expected);
    assert_eq!(walked.files[1], FileEntry { path: "packs/a.json".to_owned(), id, kind: FILE });
    assert_eq!(walked.unreadable, ["packs/caf\u{fffd}.json"]);
    assert_ne!(tree.id(), repository.tree(commit).unwrap().id());
}

#[test]
fn a_missing_object_says_which() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "lost");
    let id = ObjectId::of_blob(b"lost").to_string();
    fs::remove_file(sandbox.path().join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let repository = sandbox.open();
    let outcome = repository.tree(commit).unwrap().read("a");
    let Err(Unreadable::Failed(reason)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(reason, format!("blob {id} is not in the repository"));
}

#[test]
fn an_empty_commit_has_an_empty_root() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit("nothing");
    let repository = sandbox.open();
    let tree = repository.tree(commit).unwrap();
    assert_eq!(tree.list("").unwrap(), []);
    assert_eq!(tree.walk_files(0).unwrap().files, []);
}
