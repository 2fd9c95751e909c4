//! What opens, and the words for what does not.

use std::fs;
use std::path::Path;

use super::support::Sandbox;
use crate::{GitError, ObjectId, SourceRepository};

#[track_caller]
fn check(path: &Path, expected: &str) -> GitError {
    let error = SourceRepository::open(path).unwrap_err();
    let shown = error.to_string().replace(&path.display().to_string(), "PATH");
    assert_eq!(shown, expected);
    error
}

#[test]
fn a_path_without_anything_is_missing() {
    let sandbox = Sandbox::new();
    let error = check(&sandbox.root().join("nowhere"), "`PATH` does not exist");
    assert!(matches!(error, GitError::Missing { .. }));
}

#[test]
fn a_folder_without_a_repository_is_not_one() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("plain");
    fs::create_dir(&folder).unwrap();
    let error = check(&folder, "`PATH` is not a git repository");
    assert!(matches!(error, GitError::NotARepository { .. }));
}

#[test]
fn a_folder_inside_a_repository_is_discovered_and_not_opened() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("packs/a/pack.json", "{}");
    let inside = sandbox.path().join("packs/a");
    check(&inside, "`PATH` is not a git repository");
    let found = SourceRepository::discover(&inside).unwrap();
    assert_eq!(found.workdir().unwrap().canonicalize().unwrap(), sandbox.path().canonicalize().unwrap());
}

#[test]
fn sha256_objects_are_unsupported() {
    let sandbox = Sandbox::new();
    sandbox.git_in(sandbox.root(), ["init", "-q", "--object-format=sha256", "new"]);
    let error = check(&sandbox.root().join("new"), "`PATH` uses SHA-256 objects, which cannot be read here");
    assert!(matches!(error, GitError::Unsupported { .. }));
    let inside = SourceRepository::discover(&sandbox.root().join("new/.git/objects")).unwrap_err();
    assert!(matches!(inside, GitError::Unsupported { .. }), "{inside}");
}

#[test]
fn reftable_references_are_unsupported() {
    let sandbox = Sandbox::new();
    let made = sandbox.try_git_in(sandbox.root(), ["init", "-q", "--bare", "--ref-format=reftable", "new"]);
    if !made.status.success() {
        // Versions of git before 2.45 cannot make one, and nobody who runs them has one.
        return;
    }
    check(&sandbox.root().join("new"), "`PATH` uses reftable references, which cannot be read here");
}

#[test]
fn an_unknown_extension_says_what_libgit2_says() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.repositoryformatversion", "1"]);
    sandbox.git(["config", "extensions.telepathy", "true"]);
    let error = check(&sandbox.path(), "cannot open the repository `PATH`");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("telepathy"));
}

#[test]
fn bare_repositories_git_folders_and_linked_work_trees_open() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    sandbox.git(["worktree", "add", "-q", "../linked", "-b", "other"]);
    sandbox.git_in(sandbox.root(), ["clone", "-q", "--bare", "repo", "bare.git"]);
    for folder in ["repo", "repo/.git", "linked", "bare.git"] {
        let repository = SourceRepository::open(&sandbox.root().join(folder)).unwrap();
        assert_eq!(repository.refs(10).unwrap().head.commit, Some(commit), "{folder}");
        assert_eq!(repository.workdir().is_none(), folder == "bare.git", "{folder}");
    }
    let linked = SourceRepository::open(&sandbox.root().join("linked")).unwrap();
    assert_eq!(linked.refs(10).unwrap().head.branch.as_deref(), Some("other"));
    assert_eq!(
        linked.common_dir().canonicalize().unwrap(),
        sandbox.path().join(".git").canonicalize().unwrap()
    );
    assert!(linked.git_dir().ends_with(".git/worktrees/linked"));
}

#[test]
fn a_commit_says_what_it_is() {
    let sandbox = Sandbox::new();
    let first = sandbox.commit_file("a", "1");
    sandbox.set_clock(1_800_000_000 - 2);
    let second = sandbox.commit("Say hello\n\nand more");
    let commit = sandbox.open().commit(second).unwrap();
    assert_eq!(commit.parents, [first]);
    assert_eq!(commit.subject, "Say hello");
    assert_eq!(commit.author, "Ada");
    assert_eq!(commit.time, 1_800_000_000);
}

#[test]
fn blobs_are_measured_before_they_are_read() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "twelve bytes");
    let repository = sandbox.open();
    let id = ObjectId::of_blob(b"twelve bytes");
    assert_eq!(repository.blob_size(id).unwrap(), 12);
    assert_eq!(repository.blob(id, 12).unwrap(), b"twelve bytes");
    let error = repository.blob(id, 11).unwrap_err();
    assert_eq!(error.to_string(), format!("object {id} has 12 bytes, more than 11"));
    assert!(matches!(repository.blob(commit, 99), Err(GitError::Object { kind: "blob", .. })));
    let nothing = ObjectId::from_bytes([7; 20]);
    assert!(matches!(repository.blob(nothing, 99), Err(GitError::MissingObject { kind: "blob", .. })));
}

#[test]
fn ids_are_parsed_whole_or_not_at_all() {
    let id = ObjectId::of_blob(b"");
    assert_eq!(id.to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!(ObjectId::from_bytes(id.as_bytes().try_into().unwrap()), id);
    for text in ["", "e69de29", "e69de29bb2d1d6434b8b29ae775ad8c2e48c539g"] {
        let error = text.parse::<ObjectId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{text}` is not an object id: expected 40 hexadecimal digits")
        );
    }
}
