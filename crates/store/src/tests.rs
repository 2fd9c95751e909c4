//! The store through its own door: record, reopen, lose what is derived, damage what is not.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use pack::tree::MemoryTree;
use registry::candidate::{Candidate, Outcome, Terms};
use registry::settings::{Limits, Policy, RepositorySettings, SourceSettings};
use registry::{Form, Reference};

mod administer;
mod damaged;
mod delivery;
mod upstream;
mod verified;

use crate::{
    Batch, Options, Reader, SearchQuery, SourceRecord, Store, StoreArchive, StoreError, rebuild, verify,
};

fn pack(version: &str, greeting: &str) -> String {
    format!(
        r#"{{"$schema": "https://promptpack.org/schema/latest/promptpack.schema.json", "id": "greeter",
  "name": "Greeter", "version": "{version}", "description": "Greets.", "metadata": {{"tags": ["greeting"]}},
  "template_engine": {{"version": "v1", "syntax": "{{{{variable}}}}"}}, "skills": ["skills/tone"],
  "prompts": {{"hello": {{"id": "hello", "name": "Hello", "version": "1.0.0",
    "system_template": "{greeting} {{{{name}}}}.",
    "variables": [{{"name": "name", "type": "string", "required": true}}]}}}}}}"#
    )
}

/// A store in a temporary folder.
struct World {
    folder: tempfile::TempDir,
    sources: Vec<SourceSettings>,
}

impl World {
    fn new() -> World {
        let sources = vec![SourceSettings::local("packs", "packs")];
        World { folder: tempfile::tempdir().expect("a temporary folder"), sources }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn open(&self) -> Store {
        Store::open(&self.path(), Options::default()).expect("the store opens")
    }

    /// Judges and publishes one version.
    fn publish(&self, store: &Store, version: &str, greeting: &str, at: i64) {
        let batch = self.judged(store, version, greeting);
        store.publish(batch, Timestamp::from_second(at).expect("a time")).expect("it is recorded");
    }

    /// Judges one version against what is published now.
    fn judged(&self, store: &Store, version: &str, greeting: &str) -> Batch {
        let mut tree = MemoryTree::default();
        tree.insert("skills/tone/SKILL.md", "---\nname: tone\ndescription: How to sound.\n---\nBe kind.\n");
        let repository = RepositorySettings::default();
        let policy = Policy::default();
        let today = jiff::civil::date(2026, 1, 1);
        let settings =
            registry::Settings { repository: &repository, base: "", policy: &policy, today, spec: None };
        let terms = Terms {
            source: "packs",
            ids: &[],
            settings,
            limits: Limits::default(),
            gentle: false,
            packages: &registry::package::NoPackages,
        };
        let candidate = Candidate {
            bytes: pack(version, greeting).into_bytes(),
            path: "greeter.pack.json".to_owned(),
            commit: "c0ffee".to_owned(),
            tag: None,
            tag_object: None,
            committed_at: Timestamp::UNIX_EPOCH,
        };
        let archive = StoreArchive::new(store, &self.sources);
        let Outcome::Publish(release) = registry::judge(&candidate, &tree, &archive, terms) else {
            panic!("{version} is published");
        };
        let record = SourceRecord {
            name: "packs".to_owned(),
            url: "packs".to_owned(),
            readers: Vec::new(),
            ids: Vec::new(),
            former_names: Vec::new(),
            first_head: None,
        };
        let judged_against = Some(archive.snapshot());
        Batch { releases: vec![*release], sources: vec![record], judged_against, ..Batch::default() }
    }
}

/// Everything that the store answers about the pack.
fn answers(store: &Store) -> String {
    let reader = Reader::everybody();
    let snapshot = store.snapshot();
    let reference = Reference::parse("greeter").expect("a reference");
    let found = snapshot.resolve(&reader, &reference).expect("a release");
    let resolved =
        store.form(&found.release, Form::Resolved).expect("a readable ledger").expect("its resolved form");
    let hits = store.search(&reader, &SearchQuery::parse("greet tag:greeting")).expect("a search");
    let versions: Vec<String> = found.pack.releases.iter().map(|row| row.version.to_string()).collect();
    let events: Vec<u64> = store.events_after(0, 100).iter().map(|event| event.number).collect();
    let hits: Vec<String> = hits.hits.iter().map(|hit| format!("{}@{}", hit.id, hit.version)).collect();
    format!("{versions:?} {events:?} {hits:?} {}", String::from_utf8_lossy(&resolved).contains("Be kind."))
}

const EXPECTED: &str = r#"["1.0.0", "1.0.1"] [1, 2] ["greeter@1.0.1"] true"#;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn the_search_index_follows_before_a_search_and_after_a_kill() {
    let world = World::new();
    let found = |store: &Store| {
        let hits = store.search(&Reader::everybody(), &SearchQuery::parse("greet")).expect("a search");
        hits.hits.iter().map(|hit| hit.version.to_string()).collect::<Vec<String>>()
    };
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    assert!(store.is_search_behind(), "no publication waits for the index");
    assert_eq!(found(&store), ["1.0.0"]);
    assert!(!store.is_search_behind());
    world.publish(&store, "1.0.1", "Greet", 2000);
    assert!(store.is_search_behind());
    // As after a kill: nothing is written out.
    drop(store);
    let store = world.open();
    assert!(!store.is_search_behind(), "a start catches up");
    assert_eq!(found(&store), ["1.0.1"]);
    store.close().expect("a tidy end");
}

#[test]
fn what_is_recorded_is_there_after_every_loss_of_what_is_derived() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    world.publish(&store, "1.0.1", "Welcome", 2000);
    assert_eq!(answers(&store), EXPECTED);
    drop(store);
    assert_eq!(answers(&world.open()), EXPECTED);
    for derived in ["index", "search"] {
        for file in files_below(&world.path().join(derived)) {
            if !file.exists() {
                continue;
            }
            fs::write(&file, b"noise, noise, noise, noise, noise, noise").expect("a writable file");
            assert_eq!(answers(&world.open()), EXPECTED, "{} holds noise", file.display());
        }
        for file in files_below(&world.path().join(derived)) {
            if !file.exists() {
                continue;
            }
            fs::remove_file(&file).expect("a file to remove");
            assert_eq!(answers(&world.open()), EXPECTED, "{} is missing", file.display());
        }
        fs::remove_dir_all(world.path().join(derived)).expect("a folder");
        assert_eq!(answers(&world.open()), EXPECTED, "{derived} is gone");
    }
    let counted = rebuild(&world.path(), Options::default()).expect("a rebuild");
    assert_eq!(counted, (1, 2));
    assert_eq!(answers(&world.open()), EXPECTED);
}

#[test]
fn a_search_index_that_is_lost_while_the_store_is_open_is_made_anew() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    fs::remove_dir_all(world.path().join("search")).expect("a folder");
    world.publish(&store, "1.0.1", "Welcome", 2000);
    assert_eq!(answers(&store), EXPECTED);
    drop(store);
    assert_eq!(answers(&world.open()), EXPECTED);
}

#[test]
fn a_second_writer_is_refused() {
    let world = World::new();
    let _store = world.open();
    let second = Store::open(&world.path(), Options::default());
    assert!(matches!(second, Err(StoreError::Locked { .. })));
}

#[test]
fn times_never_go_backwards() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 5000);
    world.publish(&store, "1.0.1", "Welcome", 3000);
    let snapshot = store.snapshot();
    let pack = snapshot.pack(&Reader::everybody(), "greeter").expect("published").clone();
    let times: Vec<i64> = pack.releases.iter().map(|row| row.published_at.as_second()).collect();
    assert_eq!(times, [5000, 5000]);
}

#[test]
fn damage_to_the_ledger_is_named() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    drop(store);
    let sound = verify(&world.path()).expect("a ledger");
    assert_eq!((sound.releases, sound.damage.len()), (1, 0));
    let packs = world.path().join("ledger.git/objects/pack");
    let file = files_below(&packs).into_iter().find(|path| path.extension().is_some_and(|e| e == "pack"));
    let file = file.expect("a pack of objects");
    let mut bytes = fs::read(&file).expect("a readable file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    let mut permissions = fs::metadata(&file).expect("a file").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
    fs::set_permissions(&file, permissions).expect("a writable file");
    fs::write(&file, bytes).expect("a writable file");
    let damaged = verify(&world.path());
    assert!(damaged.is_err() || damaged.is_ok_and(|verified| !verified.damage.is_empty()));
}

#[test]
fn a_version_that_was_taken_meanwhile_is_never_overwritten() {
    let world = World::new();
    let store = world.open();
    let at = Timestamp::from_second(1000).expect("a time");
    let [first, second, third] = [("1.0.0", "Greet"), ("1.0.0", "Welcome"), ("1.0.1", "Hail")]
        .map(|(v, text)| world.judged(&store, v, text));
    store.publish(first, at).expect("the first one is recorded");
    for late in [second, third] {
        assert!(matches!(store.publish(late, at), Err(StoreError::Taken { .. })));
    }
    let verified = verify(&world.path()).expect("a ledger");
    assert_eq!((verified.releases, verified.damage.len()), (1, 0));
}
