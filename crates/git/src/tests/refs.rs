//! The ref snapshot.

use std::fs;

use super::support::Sandbox;
use crate::{Branch, GitError, RefSnapshot, SourceRepository, Tag};

#[test]
fn an_empty_repository_has_a_branch_name_and_no_commit() {
    let snapshot = Sandbox::new().open().refs(10).unwrap();
    assert_eq!(snapshot.head.branch.as_deref(), Some("main"));
    assert_eq!(snapshot.head.commit, None);
    assert_eq!(snapshot, RefSnapshot { head: snapshot.head.clone(), ..RefSnapshot::default() });
}

#[test]
fn loose_and_packed_refs_are_listed_alike_by_name() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit_file("a", "1");
    sandbox.git(["branch", "feature/z"]);
    sandbox.git(["tag", "v1.0.0"]);
    sandbox.git(["pack-refs", "--all"]);
    let two = sandbox.commit_file("a", "2");
    sandbox.git(["branch", "feature/a"]);
    sandbox.git(["update-ref", "refs/remotes/origin/elsewhere", "HEAD"]);
    let loose = sandbox.open().refs(10).unwrap();
    let branch = |name: &str, commit| Branch { name: name.to_owned(), commit };
    assert_eq!(loose.branches, [branch("feature/a", two), branch("feature/z", one), branch("main", two)]);
    assert_eq!(loose.tags, [Tag { name: "v1.0.0".to_owned(), object: one, commit: Some(one) }]);
    assert_eq!(loose.branch("feature/z"), Some(&branch("feature/z", one)));
    assert_eq!(loose.tag("v2.0.0"), None);

    sandbox.git(["pack-refs", "--all"]);
    assert_eq!(sandbox.open().refs(10).unwrap(), loose);
    sandbox.git(["branch", "-D", "feature/z"]);
    assert_ne!(sandbox.open().refs(10).unwrap(), loose);
}

#[test]
fn tags_are_peeled_through_tags() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    sandbox.git(["tag", "-a", "-m", "inner", "inner"]);
    sandbox.git(["tag", "-a", "-m", "outer", "outer", "inner"]);
    sandbox.git(["tag", "file", "HEAD:a"]);
    sandbox.git(["tag", "-a", "-m", "of a tree", "tree", "HEAD^{tree}"]);
    for _ in ["loose", "packed"] {
        let snapshot = sandbox.open().refs(10).unwrap();
        for (name, commit) in
            [("inner", Some(commit)), ("outer", Some(commit)), ("file", None), ("tree", None)]
        {
            let tag = snapshot.tag(name).unwrap();
            assert_eq!(tag.commit, commit, "{name}");
            assert_eq!(tag.object, sandbox.id(name), "{name}");
        }
        sandbox.git(["pack-refs", "--all"]);
    }
}

#[test]
fn the_digest_changes_with_every_ref_and_with_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("a", "1");
    let digest = || sandbox.open().refs_digest(10).unwrap();
    let mut seen = vec![digest()];
    let steps = [
        "tag v1.0.0",
        "branch other",
        "commit -q --allow-empty -m x",
        "tag -f v1.0.0",
        "checkout -q other",
        "pack-refs --all",
        "tag -d v1.0.0",
        "branch -m third",
        "checkout -q --detach",
    ];
    for step in steps {
        sandbox.git_in(&sandbox.path(), step.split(' '));
        assert!(!seen.contains(&digest()), "{step}");
        seen.push(digest());
    }
    let before = digest();
    sandbox.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    fs::write(sandbox.path().join("a"), "2").unwrap();
    assert_eq!(digest(), before);
    assert_eq!(sandbox.open().refs_digest(0), None, "a branch has a file of its own");
    sandbox.git(["symbolic-ref", "refs/tags/far", "refs/remotes/origin/main"]);
    assert_eq!(sandbox.open().refs_digest(10), None, "the file does not say where the tag leads");
}

#[test]
fn too_many_refs_are_an_error() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("a", "1");
    sandbox.git(["tag", "one"]);
    assert!(sandbox.open().refs(2).is_ok());
    sandbox.git(["tag", "two"]);
    assert!(matches!(sandbox.open().refs(2), Err(GitError::TooManyRefs { limit: 2 })));
}

#[test]
fn very_many_refs_are_refused_before_they_are_loaded() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    let tags: String = (0..50_000).map(|number| format!("{commit} refs/tags/t{number:06}\n")).collect();
    // What follows cannot be parsed: only a count that stops in time does not fail on it.
    let torn = format!("# pack-refs with: peeled fully-peeled sorted\n{tags}{}\n", "x".repeat(1 << 20));
    fs::write(sandbox.path().join(".git/packed-refs"), torn).unwrap();
    assert!(matches!(sandbox.open().refs(20_000), Err(GitError::TooManyRefs { limit: 20_000 })));
    assert!(matches!(sandbox.open().refs(60_000), Err(GitError::Reference { .. })));
    fs::remove_file(sandbox.path().join(".git/packed-refs")).unwrap();
    for number in 0..30 {
        fs::write(sandbox.path().join(format!(".git/refs/tags/t{number}")), format!("{commit}\n")).unwrap();
    }
    assert!(matches!(sandbox.open().refs(30), Err(GitError::TooManyRefs { .. })));
    assert_eq!(sandbox.open().refs(31).unwrap().tags.len(), 30);
}

#[test]
fn refs_that_cannot_be_read_are_named() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    let heads = sandbox.path().join(".git/refs/heads");
    fs::write(heads.join("torn"), "").unwrap();
    fs::write(heads.join("dangling"), "ref: refs/heads/nowhere\n").unwrap();
    fs::write(heads.join("busy.lock"), "").unwrap();
    let packed = format!("# pack-refs with: peeled fully-peeled sorted \n{commit} refs/tags/");
    let packed = [packed.as_bytes(), b"caf\xe9\n"].concat();
    fs::write(sandbox.path().join(".git/packed-refs"), packed).unwrap();
    let snapshot = sandbox.open().refs(10).unwrap();
    assert_eq!(snapshot.unreadable, ["refs/heads/dangling", "refs/heads/torn", "refs/tags/caf\u{fffd}"]);
    assert_eq!(snapshot.branches.len(), 1);
    assert_eq!(snapshot.tags, []);
}

#[test]
fn a_symbolic_branch_stands_where_its_target_does() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    sandbox.git(["symbolic-ref", "refs/heads/stable", "refs/heads/main"]);
    assert_eq!(sandbox.open().refs(10).unwrap().branch("stable").unwrap().commit, commit);
}

#[test]
fn a_detached_head_has_no_branch() {
    let sandbox = Sandbox::new();
    let commit = sandbox.commit_file("a", "1");
    sandbox.git(["checkout", "-q", "--detach"]);
    let head = sandbox.open().refs(10).unwrap().head;
    assert_eq!((head.branch, head.commit), (None, Some(commit)));
}

#[test]
fn a_clone_knows_the_default_branch_of_its_origin() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("a", "1");
    assert_eq!(sandbox.open().remote_default_branch().unwrap(), None);
    sandbox.git_in(sandbox.root(), ["clone", "-q", "repo", "clone"]);
    let clone = SourceRepository::open(&sandbox.root().join("clone")).unwrap();
    assert_eq!(clone.remote_default_branch().unwrap().as_deref(), Some("origin/main"));
}
