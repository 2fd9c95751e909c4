//! What a check of the state names, damage by damage.

use git::{Edit, Ledger};

use super::{World, files_below};
use crate::index::{Index, open_files};
use crate::store::{index_folder, ledger_folder};
use crate::{Remedy, Verified, verify};

const FOLDER: &str = "packs/4b/greeter/1.0.0";

/// A state with two releases that nobody works with.
fn published() -> World {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    world.publish(&store, "1.0.1", "Welcome", 2000);
    store.close().expect("a tidy end");
    drop(store);
    world
}

fn found(world: &World) -> Verified {
    verify(&world.path()).expect("a ledger")
}

/// Records edits in the ledger as somebody with a Git command would, and expects what the check says.
fn check(edits: &[Edit], message: &str, time: i64, expected: &[&str]) {
    let world = published();
    let mut ledger = Ledger::open_or_create(&ledger_folder(&world.path())).expect("the ledger opens");
    ledger.append(edits, message, time).expect("a commit");
    drop(ledger);
    let verified = found(&world);
    let texts: Vec<&str> = verified.damage.iter().map(|damage| damage.text.as_str()).collect();
    assert_eq!(texts.len(), expected.len(), "{texts:#?}");
    for (text, expected) in texts.iter().zip(expected) {
        assert!(text.starts_with(expected), "{text}\ndoes not start with\n{expected}");
    }
    assert!(verified.damage.iter().all(|damage| damage.remedy == Remedy::RestoreLedger));
}

#[test]
fn a_sound_state_is_counted_in_full() {
    let verified = found(&published());
    assert_eq!(verified.damage, []);
    assert_eq!(verified.notes, [] as [String; 0]);
    // Two releases, two events, one source; the pack has no status.
    assert_eq!((verified.releases, verified.events, verified.rows), (2, 2, Some(5)));
    assert!(verified.bytes > 1000);
}

#[test]
fn each_file_that_a_release_promises_is_missed() {
    for file in ["release.json", "report.json", "pack.json", "resolved.json", "skills/0/SKILL.md"] {
        let path = format!("{FOLDER}/{file}");
        check(&[Edit::remove(&path)], "tidy up", 2000, &[&format!("{path}: it is missing")]);
    }
    check(&[Edit::remove(FOLDER)], "tidy up", 2000, &[&format!("{FOLDER}: it is missing, although event 1")]);
    let beside = format!("{FOLDER}-rc.1");
    let edits = [Edit::remove(FOLDER), Edit::write(format!("{beside}/NOTE.md"), "x")];
    let expected =
        [format!("{beside}/release.json: it is missing"), format!("{FOLDER}: it is missing, although")];
    check(&edits, "tidy up", 2000, &expected.each_ref().map(String::as_str));
    let nobody = "sources/packs.json: it is missing, and greeter@1.0";
    check(&[Edit::remove("sources/packs.json")], "tidy up", 2000, &[nobody, nobody]);
}

#[test]
fn what_was_changed_or_put_beside_is_named() {
    let [pack, record, report] =
        ["pack.json", "release.json", "report.json"].map(|file| format!("{FOLDER}/{file}"));
    check(&[Edit::write(&pack, "{}")], "fix", 2000, &[&format!("{pack}: the digest differs")]);
    check(&[Edit::write(&record, "{}")], "fix", 2000, &[&format!("ledger record {record}: ")]);
    check(&[Edit::write(&report, "[")], "fix", 2000, &[&format!("ledger record {report}: ")]);
    let note = format!("{FOLDER}/NOTE.md");
    check(&[Edit::write(&note, "x")], "note", 2000, &[&format!("{note}: release.json does not name it")]);
    let expected =
        ["packs/00/other/status.json: the pack has no release", "NOTE.md: the registry keeps nothing"];
    let edits = [Edit::write("packs/00/other/status.json", "{}"), Edit::write("NOTE.md", "x")];
    check(&edits, "note", 2000, &expected);
}

#[test]
fn gaps_in_the_log_are_named() {
    let status = [Edit::write("packs/4b/greeter/status.json", "{}")];
    let gap = "x\n\nSource: packs\nEvent: 9 yanked greeter@1.0.0 wrong";
    for (message, time, expected) in [
        (gap, 2000, "event 9 stands where 3 is expected"),
        ("x\n\nEvent: 3 smiled greeter@1.0.0", 2000, "an event of its message cannot be read"),
        ("x", 1500, "it is older than the one before it"),
        ("x\n\nEvent: 3 published greeter@7.0.0", 2000, "event 3 of commit"),
    ] {
        let world = published();
        let mut ledger = Ledger::open_or_create(&ledger_folder(&world.path())).expect("the ledger opens");
        ledger.append(&status, message, time).expect("a commit");
        drop(ledger);
        let verified = found(&world);
        assert_eq!(verified.damage.len(), 1, "{message}: {:?}", verified.damage);
        assert!(verified.damage[0].text.contains(expected), "{message}: {:?}", verified.damage);
    }
}

#[test]
fn a_release_that_no_event_published_is_named() {
    let world = published();
    let path = ledger_folder(&world.path());
    let ledger = Ledger::open_reader(&path).expect("the ledger opens");
    let head = ledger.head().expect("a head").expect("a commit");
    let copied = ledger.walk(head, FOLDER).expect("the files of a release");
    let edits: Vec<Edit> = copied
        .iter()
        .map(|file| {
            let text = String::from_utf8(ledger.blob(file.id).expect("its bytes")).expect("text");
            let text = text.replace("\"version\": \"1.0.0\"", "\"version\": \"1.0.2\"");
            let is_record = file.path.ends_with("release.json");
            let bytes = if is_record { text.into_bytes() } else { ledger.blob(file.id).expect("its bytes") };
            Edit::write(file.path.replace("1.0.0", "1.0.2"), bytes)
        })
        .collect();
    Ledger::open_or_create(&path).expect("it opens").append(&edits, "sneak in", 2000).expect("a commit");
    let verified = found(&world);
    let texts: Vec<&str> = verified.damage.iter().map(|damage| damage.text.as_str()).collect();
    let expected = [
        // A bundle holds what the record says of the release.
        "packs/4b/greeter/1.0.2/release.json: its files make another bundle than the one recorded",
        "packs/4b/greeter/1.0.2: no event of the log published greeter@1.0.2",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn every_row_that_differs_from_the_ledger_is_named() {
    let world = published();
    let index = Index::open(&index_folder(&world.path())).expect("the rows open");
    let head = index.head().expect("a head");
    let mut rows = crate::index::Rows::default();
    let mut row = index.releases().expect("readable rows").remove(0);
    "Other".clone_into(&mut row.name);
    rows.releases.push(row);
    rows.removed.push(("greeter".to_owned(), "1.0.1".to_owned()));
    rows.removed_records.push("packs".to_owned());
    let mut event = index.events_after(0, 1).remove(0);
    event.number = 3;
    rows.events.push(event);
    index.write(&rows, Some(&head)).expect("written rows");
    index.flush().expect("flushed rows");
    drop(index);
    let verified = found(&world);
    let texts: Vec<&str> = verified.damage.iter().map(|damage| damage.text.as_str()).collect();
    let expected = [
        "the row of release greeter@1.0.0 differs from the ledger",
        "the row of release greeter@1.0.1 is missing",
        "the row of source packs is missing",
        "the row of event 3 has nothing behind it in the ledger",
    ];
    assert_eq!(texts, expected);
    assert!(verified.damage.iter().all(|damage| damage.remedy == Remedy::Rebuild));
    crate::rebuild(&world.path(), crate::Options::default()).expect("a rebuild");
    assert_eq!(found(&world).damage, []);
}

#[test]
fn rows_that_cannot_be_compared_are_noted() {
    let world = published();
    let store = world.open();
    let verified = found(&world);
    assert_eq!((verified.damage.len(), verified.rows), (0, None));
    assert!(verified.notes[0].contains("in use by a daemon"), "{:?}", verified.notes);
    drop(store);
    let rows = index_folder(&world.path());
    std::fs::remove_dir_all(&rows).expect("removed rows");
    assert!(found(&world).notes[0].contains("no look-up rows yet"));
    // What a kill leaves before the first flush, and what a newer program writes.
    drop(open_files(&rows).expect("empty rows"));
    let verified = found(&world);
    assert_eq!((verified.damage, verified.notes.len()), (Vec::new(), 1));
    assert!(verified.notes[0].contains("behind the ledger"), "{:?}", verified.notes);
    let newer = open_files(&rows).expect("empty rows");
    newer.insert("schema", &u64::MAX.to_be_bytes()).expect("a row");
    drop(newer);
    let verified = found(&world);
    assert_eq!((verified.damage, verified.notes.len()), (Vec::new(), 1));
    assert!(verified.notes[0].contains("the shape of another version"), "{:?}", verified.notes);
    std::fs::remove_file(rows.join("db")).expect("a file of sled");
    std::fs::create_dir(rows.join("db")).expect("a folder in its place");
    let verified = found(&world);
    assert_eq!((verified.damage.len(), verified.damage[0].remedy), (1, Remedy::Rebuild));
    assert!(verified.damage[0].text.starts_with("the look-up rows cannot be opened: "), "{verified:?}");
    assert!(files_below(&ledger_folder(&world.path())).len() > 2);
}
