//! Yanks, channels and removals through the store.

use jiff::Timestamp;
use registry::status::{StatusConflict, StatusEdit};
use semver::Version;

use super::World;
use crate::store::ledger_folder;
use crate::{Batch, NotFound, Reader, SourceState, Store, StoreError, verify};
use registry::{EventType, Form, Reference};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a time")
}

fn yank(version: &Version) -> StatusEdit {
    StatusEdit::Yank { version: version.clone(), reason: "wrong\nlimit".to_owned() }
}

fn resolve(store: &Store, reference: &str) -> Result<String, NotFound> {
    let reference = Reference::parse(reference).expect("a reference");
    let found = store.snapshot().resolve(&Reader::everybody(), &reference)?;
    Ok(found.release.version.to_string())
}

/// A store with 1.0.0 and 1.0.1.
fn published(world: &World) -> Store {
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    world.publish(&store, "1.0.1", "Welcome", 2000);
    store
}

#[test]
fn a_yank_is_recorded_with_its_event_and_the_one_who_asked() {
    let world = World::new();
    let store = published(&world);
    let version = Version::new(1, 0, 1);
    let events = store.change_status("greeter", &yank(&version), "ada", at(3000)).expect("a yank");
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].number, events[0].kind, events[0].source.as_str()),
        (3, EventType::Yanked, "packs")
    );
    assert_eq!(resolve(&store, "greeter"), Ok("1.0.0".to_owned()));
    assert_eq!(store.change_status("greeter", &yank(&version), "ada", at(3000)).expect("again"), []);
    let channel = StatusEdit::Channel { name: "stable".to_owned(), version: version.clone() };
    store.change_status("greeter", &channel, "ada", at(3000)).expect("a channel");
    assert_eq!(resolve(&store, "greeter@stable"), Ok("1.0.1".to_owned()));
    drop(store);
    let ledger = git::Ledger::open_reader(&ledger_folder(&world.path())).expect("a ledger");
    let log = ledger.log(None).expect("a log");
    let message = "update greeter\n\nSource: packs\nActor: ada\nEvents: 3-3\nEvent: 3 yanked greeter@1.0.1 wrong limit\n";
    assert_eq!(log[2].message, message);
    let store = world.open();
    assert_eq!(resolve(&store, "greeter"), Ok("1.0.0".to_owned()));
    store
        .change_status("greeter", &StatusEdit::Unyank { version, reason: None }, "ada", at(4000))
        .expect("an unyank");
    assert_eq!(resolve(&store, "greeter"), Ok("1.0.1".to_owned()));
}

#[test]
fn what_the_repository_yanks_is_a_conflict_that_names_the_commit() {
    let world = World::new();
    let store = published(&world);
    let mut status = store.snapshot().packs["greeter"].status.clone();
    let version = Version::new(1, 0, 1);
    status.source.yanked.insert(version.clone(), "wrong".to_owned());
    let state = SourceState { head: Some("c0ffee".to_owned()), ..SourceState::default() };
    store.set_source_state("packs", &state).expect("a state");
    let batch = Batch { statuses: vec![("greeter".to_owned(), status, Vec::new())], ..Batch::default() };
    store.publish(batch, at(3000)).expect("a status");
    let edit = StatusEdit::Unyank { version: version.clone(), reason: None };
    let error = store.change_status("greeter", &edit, "ada", at(3000)).expect_err("a conflict");
    let text = "greeter: 1.0.1 is yanked by the repository, in packhouse.toml at commit c0ffee of the source packs: change it there";
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, StoreError::Conflict { conflict: StatusConflict::YankedBySource(_), .. }));
    let unknown = store.change_status("other", &edit, "ada", at(3000));
    assert!(matches!(unknown, Err(StoreError::NoSuchPack { .. })));
}

#[test]
fn a_channel_that_was_set_is_deleted_also_after_its_release_is_gone() {
    let world = World::new();
    let store = published(&world);
    let (name, version) = ("beta".to_owned(), Version::new(1, 0, 1));
    let set = StatusEdit::Channel { name: name.clone(), version: version.clone() };
    store.change_status("greeter", &set, "ada", at(3000)).expect("a channel");
    store.remove("greeter", &version, "a secret", "ada", at(3000)).expect("a removal");
    let delete = StatusEdit::DeleteChannel { name };
    let events = store.change_status("greeter", &delete, "ada", at(4000)).expect("a deletion");
    let told: Vec<_> = events.iter().map(|event| (event.kind, event.detail.as_deref())).collect();
    assert_eq!(told, [(EventType::ChannelDeleted, Some("beta"))]);
    assert!(matches!(resolve(&store, "greeter@beta"), Err(NotFound::Release)));
    assert_eq!(store.change_status("greeter", &delete, "ada", at(5000)).expect("nothing"), []);
    store.close().expect("a tidy end");
    drop(store);
    crate::rebuild(&world.path(), crate::Options::default()).expect("a rebuild");
    assert_eq!(world.open().events_after(4, 10), events);
    assert_eq!(verify(&world.path()).expect("a ledger").damage, []);
}

#[test]
fn a_scan_never_takes_back_what_the_api_said_meanwhile() {
    let world = World::new();
    let store = published(&world);
    let mut late = store.snapshot().packs["greeter"].status.clone();
    late.source.deprecated.insert(Version::new(1, 0, 0), "old".to_owned());
    store.change_status("greeter", &yank(&Version::new(1, 0, 1)), "ada", at(3000)).expect("a yank");
    let batch = Batch { statuses: vec![("greeter".to_owned(), late, Vec::new())], ..Batch::default() };
    assert!(matches!(store.publish(batch, at(3000)), Err(StoreError::Taken { .. })));
    assert_eq!(resolve(&store, "greeter"), Ok("1.0.0".to_owned()));
}

/// What a state with 1.0.1 removed answers.
fn check_removed(world: &World, store: &Store, digests: &[String]) {
    assert_eq!(resolve(store, "greeter"), Ok("1.0.0".to_owned()));
    for wanted in digests.iter().map(String::as_str).chain(["1.0.1"]) {
        let found = resolve(store, &format!("greeter@{wanted}"));
        let Err(NotFound::Removed(row)) = found else { panic!("{wanted}: {found:?}") };
        let removal = row.removed.clone().expect("a removal");
        assert_eq!((removal.reason.as_str(), removal.by.as_str(), removal.at), ("a secret", "ada", at(3000)));
    }
    assert!(matches!(resolve(store, "greeter@>1.0.0"), Err(NotFound::Release)));
    assert_eq!(store.snapshot().totals(&Reader::everybody()), (1, 1));
    assert_eq!(store.snapshot().owner("greeter"), Some("packs"));
    let stands = store.read("packs/4b/greeter/1.0.1/pack.json").expect("a readable ledger");
    assert_eq!(stands, None, "the bytes are out of the tree");
    assert_eq!(verify(&world.path()).expect("a ledger").damage, []);
}

#[test]
fn a_removed_release_keeps_its_number_and_nothing_else() {
    let world = World::new();
    let store = published(&world);
    let version = Version::new(1, 0, 1);
    let row = store.snapshot().packs["greeter"].release(&version).expect("released").clone();
    let digests = [Form::Source, Form::Resolved].map(|form| row.form(form).expect("the form").0.to_string());
    let judged = world.judged(&store, "1.0.2", "Hail");
    let events = store.remove("greeter", &version, "a secret", "ada", at(3000)).expect("a removal");
    assert_eq!((events[0].number, events[0].kind), (3, EventType::Removed));
    check_removed(&world, &store, &digests);
    let again = store.remove("greeter", &version, "a secret", "ada", at(3000));
    assert!(matches!(again, Err(StoreError::NoSuchRelease { .. })));
    // What was judged against the bytes that are gone is judged again.
    assert!(matches!(store.publish(judged, at(4000)), Err(StoreError::Taken { .. })));
    store.close().expect("a tidy end");
    drop(store);
    check_removed(&world, &world.open(), &digests);
    crate::rebuild(&world.path(), crate::Options::default()).expect("a rebuild");
    let store = world.open();
    check_removed(&world, &store, &digests);
    let record = store.read("packs/4b/greeter/1.0.1/release.json").expect("a ledger").expect("a tombstone");
    let record = String::from_utf8(record).expect("text");
    assert!(!record.contains("Greets.") && !record.contains("tone"), "{record}");
}

#[test]
fn a_reason_of_several_lines_is_one_line_of_the_log() {
    let world = World::new();
    let store = published(&world);
    let reason = "wrong\nlimit \r\n".to_owned();
    let yank = StatusEdit::Yank { version: Version::new(1, 0, 1), reason };
    let events = store.change_status("greeter", &yank, "ada", at(3000)).expect("a yank");
    assert_eq!(events[0].detail.as_deref(), Some("wrong limit"));
    store.close().expect("a tidy end");
    drop(store);
    assert_eq!(verify(&world.path()).expect("a ledger").damage, []);
}

#[test]
fn what_was_said_of_a_removed_release_ends_with_it() {
    let world = World::new();
    let store = published(&world);
    let version = Version::new(1, 0, 1);
    let yank = StatusEdit::Yank { version: version.clone(), reason: "a secret".to_owned() };
    store.change_status("greeter", &yank, "ada", at(3000)).expect("a yank");
    let events = store.remove("greeter", &version, "a secret", "ada", at(4000)).expect("a removal");
    assert_eq!(events.iter().map(|event| event.kind).collect::<Vec<_>>(), [EventType::Removed]);
    assert_eq!(store.snapshot().packs["greeter"].status, registry::status::PackStatus::default());
}

#[test]
fn a_pack_whose_releases_are_all_removed_is_listed_nowhere_and_still_owned() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    let version = Version::new(1, 0, 0);
    store.remove("greeter", &version, "a secret", "ada", at(3000)).expect("a removal");
    let (snapshot, reader) = (store.snapshot(), Reader::everybody());
    assert_eq!(snapshot.packs(&reader).count(), 0);
    assert!(snapshot.pack(&reader, "greeter").is_some());
    assert_eq!(snapshot.owner("greeter"), Some("packs"));
    assert!(matches!(snapshot.release(&reader, "greeter", &version), Err(NotFound::Removed(_))));
    let hits = store.search(&reader, &crate::SearchQuery::parse("greet")).expect("a search");
    assert_eq!(hits.hits.len(), 0);
}
