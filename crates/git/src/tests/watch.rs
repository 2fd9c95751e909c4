//! Hints from the file system. They may come more than once, so that tests wait for one and then drain.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::support::Sandbox;
use crate::{SourceRepository, Watcher};

const DEADLINE: Duration = Duration::from_secs(20);

fn watcher() -> (Watcher, Receiver<String>) {
    let (sender, receiver) = channel();
    let watcher = Watcher::new(move |key| {
        // The receiver is gone at the end of a test only.
        let _ = sender.send(key.to_owned());
    });
    (watcher.unwrap(), receiver)
}

/// Waits for the next hint that is not an echo of [`drain`].
fn next(hints: &Receiver<String>) -> Result<String, RecvTimeoutError> {
    loop {
        match hints.recv_timeout(DEADLINE) {
            Ok(key) if key.starts_with("marker") => {}
            outcome => return outcome,
        }
    }
}

/// Makes a hint that comes after everything before it, through a second source, and returns what came meanwhile.
fn drain(watcher: &mut Watcher, hints: &Receiver<String>, marker: &Sandbox) -> Vec<String> {
    let name = format!("marker-{}", marker.git(["tag"]).lines().count());
    watcher.watch(&name, &marker.open()).unwrap();
    marker.git(["tag", &name]);
    let mut before = Vec::new();
    loop {
        match hints.recv_timeout(DEADLINE) {
            Ok(key) if key == name => break,
            Ok(key) if key.starts_with("marker") => {}
            Ok(key) => before.push(key),
            Err(error) => panic!("the marker did not arrive: {error}"),
        }
    }
    watcher.unwatch(&name);
    before
}

#[test]
fn commits_tags_and_packing_are_noticed() {
    let (sandbox, marker) = (Sandbox::new(), Sandbox::new());
    marker.commit_file("a", "1");
    let first = sandbox.commit_file("a", "1");
    let (mut watcher, hints) = watcher();
    watcher.watch("packs", &sandbox.open()).unwrap();
    let moves: [&dyn Fn(); 5] = [
        &|| assert_ne!(sandbox.commit_file("a", "2"), first),
        &|| drop(sandbox.git(["tag", "v1"])),
        &|| drop(sandbox.git(["branch", "deep/in/folders"])),
        &|| drop(sandbox.git(["checkout", "-q", "deep/in/folders"])),
        &|| drop(sandbox.git(["pack-refs", "--all"])),
    ];
    for (number, step) in moves.iter().enumerate() {
        step();
        assert_eq!(next(&hints).as_deref(), Ok("packs"), "step {number}");
        drain(&mut watcher, &hints, &marker);
    }
}

#[test]
fn reading_and_locking_are_not_hints() {
    let (sandbox, marker) = (Sandbox::new(), Sandbox::new());
    marker.commit_file("a", "1");
    let commit = sandbox.commit_file("a", "1");
    let (mut watcher, hints) = watcher();
    let repository = sandbox.open();
    watcher.watch("packs", &repository).unwrap();
    repository.refs(100).unwrap();
    repository.changes(commit).unwrap();
    SourceRepository::open(&sandbox.path()).unwrap().history(None, commit).unwrap();
    fs::write(sandbox.path().join(".git/refs/heads/main.lock"), "").unwrap();
    fs::remove_file(sandbox.path().join(".git/refs/heads/main.lock")).unwrap();
    sandbox.git(["status"]);
    sandbox.write("b", "staged and not committed");
    sandbox.git(["add", "b"]);
    assert_eq!(drain(&mut watcher, &hints, &marker), [] as [&str; 0]);
}

#[test]
fn a_linked_work_tree_shares_the_refs() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("a", "1");
    sandbox.git(["worktree", "add", "-q", "../linked", "-b", "other"]);
    let (mut watcher, hints) = watcher();
    watcher.watch("main", &sandbox.open()).unwrap();
    watcher.watch("linked", &SourceRepository::open(&sandbox.root().join("linked")).unwrap()).unwrap();
    sandbox.git(["tag", "v1"]);
    let mut keys = [hints.recv_timeout(DEADLINE).unwrap(), hints.recv_timeout(DEADLINE).unwrap()];
    keys.sort();
    assert_eq!(keys, ["linked", "main"]);
}

#[test]
fn what_is_unwatched_is_silent() {
    let (sandbox, marker) = (Sandbox::new(), Sandbox::new());
    marker.commit_file("a", "1");
    sandbox.commit_file("a", "1");
    let (mut watcher, hints) = watcher();
    watcher.watch("packs", &sandbox.open()).unwrap();
    watcher.unwatch("packs");
    watcher.unwatch("never watched");
    sandbox.git(["tag", "v1"]);
    assert_eq!(drain(&mut watcher, &hints, &marker), [] as [&str; 0]);
    drop(watcher);
    assert_eq!(next(&hints), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_repository_that_is_gone_cannot_be_watched() {
    let sandbox = Sandbox::new();
    let repository = sandbox.open();
    fs::remove_dir_all(sandbox.path()).unwrap();
    let (mut watcher, _hints) = watcher();
    let error = watcher.watch("packs", &repository).unwrap_err();
    assert!(error.to_string().starts_with("cannot watch `"), "{error}");
}
