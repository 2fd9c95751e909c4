//! The ledger and its remote, through the installed git.

use std::fs;
use std::path::PathBuf;

use super::support::Sandbox;
use crate::{Edit, GitError, Ledger, ObjectId, Pushed, without_credentials};

const TIME: i64 = 1_750_000_000;

/// A ledger, a bare repository beside it, and the remote's name.
fn ledger(sandbox: &Sandbox, name: &str) -> Ledger {
    Ledger::open_or_create(&sandbox.root().join(name)).unwrap()
}

fn remote(sandbox: &Sandbox) -> String {
    let path = sandbox.root().join("remote.git");
    fs::create_dir_all(&path).unwrap();
    sandbox.git_in(&path, ["init", "--quiet", "--bare"]);
    path.to_str().unwrap().to_owned()
}

fn commit(ledger: &mut Ledger, text: &str) -> ObjectId {
    let head = ledger.head().unwrap();
    ledger.commit_on(head, &[Edit::write("a", text)], text, TIME).unwrap()
}

#[test]
fn a_push_is_a_compare_and_swap() {
    let sandbox = Sandbox::new();
    let (remote, mut one, mut two) = (remote(&sandbox), ledger(&sandbox, "one"), ledger(&sandbox, "two"));
    assert_eq!(one.fetch(&remote).unwrap(), None);
    let first = commit(&mut one, "1");
    assert_eq!(one.push(&remote, None, first).unwrap(), Pushed::Done);
    let rival = commit(&mut two, "2");
    assert_eq!(two.push(&remote, None, rival).unwrap(), Pushed::Rejected);
    assert_eq!(two.fetch(&remote).unwrap(), Some(first));
    two.move_head(None, first).unwrap();
    let second = commit(&mut two, "2");
    assert_eq!(two.push(&remote, Some(first), second).unwrap(), Pushed::Done);
    assert_eq!(one.fetch(&remote).unwrap(), Some(second));
    assert!(one.contains(second, first).unwrap() && !one.contains(first, second).unwrap());
    assert_eq!(one.read_at(second, "a").unwrap().unwrap(), b"2");
    // A remote that was set back takes nothing, although the push would be a fast-forward.
    sandbox.git_in(&PathBuf::from(&remote), ["update-ref", "refs/heads/ledger", &first.to_string()]);
    two.move_head(Some(first), second).unwrap();
    let third = commit(&mut two, "3");
    assert_eq!(two.push(&remote, Some(second), third).unwrap(), Pushed::Rejected);
    assert_eq!(two.agreed().unwrap(), None);
    two.agree(second).unwrap();
    assert_eq!(two.agreed().unwrap(), Some(second));
}

#[test]
fn a_remote_that_is_away_is_named_without_its_password() {
    let sandbox = Sandbox::new();
    let mut ledger = ledger(&sandbox, "one");
    let commit = commit(&mut ledger, "1");
    let remote = "http://ada:secret@127.0.0.1:9/ledger.git";
    let error = ledger.push(remote, None, commit).unwrap_err();
    let GitError::Remote { .. } = &error else { panic!("{error}") };
    let text = error.to_string();
    assert!(text.contains("`http://127.0.0.1:9/ledger.git`"), "{text}");
    assert!(!text.contains("secret") && !text.contains("ada"), "{text}");
    assert_eq!(without_credentials("ssh://git@example.org/x.git"), "ssh://example.org/x.git");
    assert_eq!(without_credentials("git@example.org:x.git"), "git@example.org:x.git");
    let missing = sandbox.root().join("nowhere").to_str().unwrap().to_owned();
    assert!(matches!(ledger.fetch(&missing), Err(GitError::Remote { .. })));
}
