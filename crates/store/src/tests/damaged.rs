//! Derived files that something damaged: whatever sled and tantivy make of them, the store opens and says the same.

use super::*;
use crate::search::Search;
use crate::source::SourceState;
use crate::store::index_folder;

/// How often the files are damaged; `PACKHOUSE_ROUNDS` asks for more.
const ROUNDS: usize = 60;

fn rounds() -> usize {
    std::env::var("PACKHOUSE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// The next number of a generator that needs no library.
fn next(seed: &mut u64, below: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed % below.max(1) as u64).expect("below a usize")
}

#[test]
fn rows_that_are_damaged_in_any_way_are_made_anew() {
    let world = World::new();
    let folder = index_folder(&world.path());
    let kept = |number: usize| world.folder.path().join(format!("kept-{number}"));
    for second in 0..30_usize {
        let store = world.open();
        for part in 0..3 {
            let version = format!("1.{second}.{part}");
            world.publish(&store, &version, &format!("Hi {version}"), i64::try_from(second).expect("small"));
        }
        // What scans note of their sources makes the files as large as those of a registry in use.
        for source in 0..300 {
            store.set_source_state(&format!("source-{source}"), &noted(second)).expect("noted");
        }
        if second % 3 == 0 {
            store.close().expect("written out");
        }
        // The files as a daemon leaves them that is killed here.
        copy(&folder, &kept(second));
    }
    let told = |store: &Store| format!("{:?}", store.snapshot());
    let expected = told(&world.open());

    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for round in 0..rounds() {
        fs::remove_dir_all(&folder).expect("removed rows");
        copy(&kept(next(&mut seed, 30)), &folder);
        let mut files = files_below(&folder);
        files.sort();
        let file = files.swap_remove(next(&mut seed, files.len()));
        let bytes = damaged(fs::read(&file).expect("the rows"), &mut seed);
        fs::write(&file, bytes).expect("damaged rows");
        for again in ["at once", "and again"] {
            let store = world.open();
            assert_eq!(told(&store), expected, "round {round}, {again}");
            store.close().expect("written out");
        }
    }
}

#[test]
fn a_search_index_that_is_damaged_in_any_way_is_made_anew() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    world.publish(&store, "1.0.1", "Welcome", 2000);
    store.close().expect("written out");
    drop(store);
    let (folder, kept) = (world.path().join("search"), world.folder.path().join("kept"));
    copy(&folder, &kept);
    let harmed = |file: &Path, bytes: Vec<u8>| {
        fs::remove_dir_all(&folder).expect("a folder");
        copy(&kept, &folder);
        fs::write(file, bytes).expect("a damaged file");
    };
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for kept_file in files_below(&kept) {
        let file = folder.join(kept_file.strip_prefix(&kept).expect("below"));
        let whole = fs::read(&kept_file).expect("a file of the index");
        let cut = (0..whole.len().min(20)).map(|length| whole[..length].to_vec());
        let random: Vec<_> = (0..rounds() / 10).map(|_| damaged(whole.clone(), &mut seed)).collect();
        for bytes in cut.chain(random) {
            harmed(&file, bytes);
            let length = fs::metadata(&file).map_or(0, |metadata| metadata.len());
            let opened = Search::open(&folder).map(|(_, head)| head.is_some());
            assert!(opened.is_ok(), "{} with {length} bytes: {opened:?}", file.display());
        }
        harmed(&file, whole[..whole.len() / 2].to_vec());
        assert_eq!(answers(&world.open()), EXPECTED, "half of {}", file.display());
    }
}

/// What a scan notes of a source.
fn noted(second: usize) -> SourceState {
    let looked = Timestamp::from_second(i64::try_from(second).expect("small")).ok();
    SourceState { last_attempt: looked, last_success: looked, ..SourceState::default() }
}

/// Bytes cut off, overwritten here and there, or overwritten in one piece.
fn damaged(mut bytes: Vec<u8>, seed: &mut u64) -> Vec<u8> {
    let length = bytes.len();
    if length == 0 {
        return vec![0x5a; 64];
    }
    let from = next(seed, length);
    match next(seed, 3) {
        0 => bytes.truncate(from),
        1 => (0..40).for_each(|_| bytes[next(seed, length)] = 0xa5),
        _ => bytes[from..length.min(from + 4000)].fill(0x5a),
    }
    bytes
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let target = to.join(entry.file_name().expect("a name"));
        match entry.is_dir() {
            true => copy(&entry, &target),
            false => fs::copy(&entry, &target).map(drop).expect("a copy"),
        }
    }
}
