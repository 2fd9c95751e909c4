//! The ledger's remote: two writers, a remote that goes away or back, followers.

use std::fs;
use std::path::PathBuf;

use git::{Ledger, ObjectId};
use jiff::Timestamp;

use super::World;
use crate::store::ledger_folder;
use crate::{Options, Reader, Role, Store, StoreError, Upstream, verify};

/// A remote in a folder of its own.
struct Remote {
    folder: tempfile::TempDir,
}

impl Remote {
    fn new() -> Remote {
        let remote = Remote { folder: tempfile::tempdir().expect("a temporary folder") };
        drop(remote.ledger());
        remote
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_or_create(&self.path()).expect("the remote opens")
    }

    fn head(&self) -> Option<ObjectId> {
        Ledger::open_reader(&self.path()).and_then(|ledger| ledger.head()).expect("a readable remote")
    }

    /// Runs while the remote is somewhere else.
    fn away<T>(&self, run: impl FnOnce() -> T) -> T {
        let elsewhere = self.folder.path().join("elsewhere");
        fs::rename(self.path(), &elsewhere).expect("a remote to move");
        let result = run();
        fs::rename(&elsewhere, self.path()).expect("a remote to bring back");
        result
    }

    fn open(&self, world: &World, role: Role, accept_rewind: Option<ObjectId>) -> Result<Store, StoreError> {
        let remote = self.path().display().to_string();
        let accept_rewind = accept_rewind.map(|commit| commit.to_string());
        let upstream = Some(Upstream { remote, role, accept_rewind });
        Store::open(&world.path(), Options { upstream, ..Options::default() })
    }

    fn writer(&self, world: &World) -> Store {
        self.open(world, Role::Writer, None).expect("a writer opens")
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a time")
}

fn versions(store: &Store) -> Vec<String> {
    let snapshot = store.snapshot();
    let pack = snapshot.pack(&Reader::everybody(), "greeter");
    pack.map_or_else(Vec::new, |pack| pack.releases.iter().map(|row| row.version.to_string()).collect())
}

fn head(world: &World) -> Option<ObjectId> {
    Ledger::open_reader(&ledger_folder(&world.path())).and_then(|ledger| ledger.head()).expect("a ledger")
}

#[test]
fn a_writer_that_was_overtaken_serves_nothing_of_it_and_judges_again() {
    let (remote, one, two) = (Remote::new(), World::new(), World::new());
    let (first, second) = (remote.writer(&one), remote.writer(&two));
    let late = two.judged(&second, "1.0.0", "Welcome");
    one.publish(&first, "1.0.0", "Greet", 1000);
    assert_eq!(remote.head(), head(&one));
    assert!(matches!(second.publish(late, at(1000)), Err(StoreError::Overtaken)));
    assert_eq!((versions(&second), remote.head()), (vec!["1.0.0".to_owned()], head(&two)));
    two.publish(&second, "1.0.1", "Welcome", 2000);
    assert_eq!(versions(&first), ["1.0.0"]);
    assert!(first.sync().expect("a remote"), "there is something new");
    assert_eq!(versions(&first), ["1.0.0", "1.0.1"]);
    let numbers: Vec<u64> = first.events_after(0, 10).iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2]);
    // A change by hand is simply tried again.
    let removed = first.remove("greeter", &semver::Version::new(1, 0, 0), "a secret", "ada", at(3000));
    assert_eq!(removed.expect("a removal").len(), 1);
    let removed = second.remove("greeter", &semver::Version::new(1, 0, 1), "a secret", "ada", at(3000));
    assert_eq!(removed.expect("a removal")[0].number, 4);
    for world in [&one, &two] {
        assert_eq!(verify(&world.path()).expect("a ledger").damage, []);
    }
}

#[test]
fn publishing_waits_while_the_remote_is_away() {
    let (remote, world) = (Remote::new(), World::new());
    let store = remote.writer(&world);
    world.publish(&store, "1.0.0", "Greet", 1000);
    let before = head(&world);
    let waiting = world.judged(&store, "1.0.1", "Welcome");
    let refused = remote.away(|| store.publish(waiting, at(2000)));
    assert!(matches!(refused, Err(StoreError::Remote { .. })), "{refused:?}");
    assert!(store.remote_trouble().is_some_and(|trouble| trouble.contains("publishing waits")));
    assert_eq!((versions(&store), head(&world)), (vec!["1.0.0".to_owned()], before));
    world.publish(&store, "1.0.1", "Welcome", 2000);
    assert_eq!((store.remote_trouble(), remote.head()), (None, head(&world)));
    drop(store);
    // What is here is served without the remote, and a ledger that is not here never begins anew.
    remote.away(|| {
        assert_eq!(versions(&remote.writer(&world)), ["1.0.0", "1.0.1"]);
        let empty = remote.open(&World::new(), Role::Writer, None);
        assert!(matches!(empty, Err(StoreError::Remote { .. })));
    });
    assert_eq!(versions(&remote.writer(&World::new())), ["1.0.0", "1.0.1"]);
}

#[test]
fn a_ledger_that_gets_a_remote_fills_it() {
    let (remote, world) = (Remote::new(), World::new());
    let alone = world.open();
    world.publish(&alone, "1.0.0", "Greet", 1000);
    drop(alone);
    drop(remote.writer(&world));
    assert_eq!(remote.head(), head(&world));
}

#[test]
fn a_remote_that_was_set_back_is_refused() {
    let (remote, world, following) = (Remote::new(), World::new(), World::new());
    let store = remote.writer(&world);
    world.publish(&store, "1.0.0", "Greet", 1000);
    let old = remote.head().expect("a head");
    world.publish(&store, "1.0.1", "Welcome", 2000);
    let follower = remote.open(&following, Role::Follower, None).expect("a follower opens");
    assert_eq!(versions(&follower), ["1.0.0", "1.0.1"]);
    let new = remote.head();
    remote.ledger().move_head(new, old).expect("a remote to set back");
    for store in [&store, &follower] {
        assert!(matches!(store.sync(), Err(StoreError::Rewound { .. })));
        assert_eq!(versions(store), ["1.0.0", "1.0.1"]);
    }
    let waiting = world.judged(&store, "1.0.2", "Hail");
    assert!(matches!(store.publish(waiting, at(3000)), Err(StoreError::Rewound { .. })));
    assert_eq!(remote.head(), Some(old));
    drop(follower);
    let accepting = remote.open(&following, Role::Follower, Some(old)).expect("a follower opens");
    assert_eq!((versions(&accepting), accepting.remote_trouble()), (vec!["1.0.0".to_owned()], None));
    assert_eq!(accepting.events_after(0, 10).len(), 1);
}

#[test]
fn a_follower_reads_what_is_new_and_writes_nothing() {
    let (remote, world, following) = (Remote::new(), World::new(), World::new());
    let store = remote.writer(&world);
    let follower = remote.open(&following, Role::Follower, None).expect("a follower opens");
    assert_eq!(versions(&follower), [] as [&str; 0]);
    world.publish(&store, "1.0.0", "Greet", 1000);
    assert!(follower.sync().expect("a remote"));
    assert!(!follower.sync().expect("a remote"), "nothing is new the second time");
    assert_eq!(versions(&follower), ["1.0.0"]);
    let own = following.judged(&follower, "1.0.1", "Welcome");
    assert!(matches!(follower.publish(own, at(2000)), Err(StoreError::Follower)));
    assert_eq!(remote.head(), head(&world));
}
