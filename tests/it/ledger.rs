//! The ledger and its command, through the binary.

use std::fs;

use crate::daemon::Daemon;
use crate::support::{Folder, greeter};

/// A folder with a configuration and a source `packs` of one version.
pub fn registry() -> Folder {
    let folder = Folder::new();
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\n");
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    commit(&folder, "first");
    folder
}

/// Commits what stands in the source.
pub fn commit(folder: &Folder, subject: &str) {
    folder.git(&["-C", "packs", "add", "--all"]);
    folder.git(&["-C", "packs", "commit", "--quiet", "--message", subject]);
}

fn is_served(daemon: &Daemon, version: &str) -> bool {
    daemon.get(&format!("/v1/packs/greeter/versions/{version}/pack.json")).status == 200
}

#[test]
fn verify_names_what_is_damaged_and_what_to_do() {
    let folder = registry();
    let daemon = Daemon::start(&folder);
    daemon.wait("the pack is served", |daemon| is_served(daemon, "1.0.0"));
    let verify = || folder.run(&["ledger", "verify"]);
    let beside = verify();
    assert_eq!(beside.status, 0, "{}", beside.shown());
    assert!(beside.stdout.contains("note: the look-up rows are in use by a daemon"), "{}", beside.stdout);
    drop(daemon);
    assert_eq!(folder.run(&["ledger", "rebuild"]).status, 0);
    let alone = verify();
    assert_eq!(alone.status, 0, "{}", alone.shown());
    let sound = "the ledger is sound: 1 releases, 1 events, 3 rows; ";
    assert!(alone.stdout.starts_with(sound), "{}", alone.stdout);
    let packs = folder.path().join("state/ledger.git/objects/pack");
    for file in fs::read_dir(packs).expect("the ledger's packs") {
        fs::remove_file(file.expect("a file").path()).expect("a removed file");
    }
    let damaged = verify();
    assert_eq!(damaged.status, 1, "{}", damaged.shown());
    assert!(damaged.stdout.starts_with("damaged: commit "), "{}", damaged.stdout);
    assert!(damaged.stdout.contains("help: bring the ledger back from its remote"), "{}", damaged.stdout);
}
