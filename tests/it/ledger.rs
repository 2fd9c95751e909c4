//! The ledger and its command, through the binary.

use std::fs;

use crate::daemon::Daemon;
use crate::support::{Folder, greeter, program};

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
    let sound = "the ledger is sound: 1 release, 1 event, 3 rows; ";
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

#[test]
fn a_ledger_with_a_remote_is_followed_and_waits_while_it_is_away() {
    let folder = registry();
    folder.git(&["init", "--quiet", "--bare", "remote.git"]);
    let source = "[[source]]\nname = \"packs\"\npath = \"packs\"\npoll = \"200ms\"\n";
    folder.write("registry.toml", format!("[ledger]\nremote = \"remote.git\"\n{source}"));
    let follow = "[server]\nstate = \"follower\"\n[follow]\nurl = \"remote.git\"\nwriter = \"https://packs.example\"\n";
    folder.write("follow.toml", follow);
    let writer = Daemon::start(&folder);
    let arguments = ["serve", "--config", "follow.toml", "--listen", "127.0.0.1:0"];
    let follower = Daemon::spawn(program(&arguments, &folder.path()));
    follower.wait("the follower serves the pack", |daemon| is_served(daemon, "1.0.0"));
    let refused = follower.request("POST /v1/sources/packs/sync HTTP/1.1\r\nContent-Length: 0");
    assert_eq!((refused.status, &refused.json()["writer"]), (409, &"https://packs.example".into()));
    assert_eq!(refused.json()["type"], "/problems/read-only-follower");

    fs::rename(folder.path().join("remote.git"), folder.path().join("away.git")).expect("a remote to move");
    folder.write("packs/greeter.pack.json", greeter("1.0.1"));
    commit(&folder, "second");
    writer.wait("the waiting is a problem of the source", |daemon| {
        daemon.json("/v1/sources/packs")["problems"][0]["code"] == "ledger-unreachable"
    });
    assert!(is_served(&writer, "1.0.0") && !is_served(&writer, "1.0.1"));
    assert_eq!(writer.get("/readyz").status, 200);
    let metrics = String::from_utf8_lossy(&writer.get("/metrics").body).into_owned();
    assert!(metrics.contains("packhouse_ledger_remote_up 0"), "{metrics}");
    fs::rename(folder.path().join("away.git"), folder.path().join("remote.git"))
        .expect("a remote to bring back");
    for daemon in [&writer, &follower] {
        daemon.wait("the second version is served", |daemon| is_served(daemon, "1.0.1"));
    }
    assert_eq!(folder.git(&["-C", "remote.git", "fsck", "--strict", "--no-progress"]), "");

    folder.write("far.toml", "[server]\nstate = \"far\"\n[ledger]\nremote = \"nowhere.git\"\n");
    let refused = folder.run(&["serve", "--config", "far.toml", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status, 2, "{}", refused.shown());
    assert!(
        refused.stderr.contains("there is no ledger here yet, and its remote is away"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("help: bring the remote within reach"), "{}", refused.stderr);
}

#[test]
fn export_writes_what_is_for_everybody_beside_a_running_daemon() {
    let folder = registry();
    let daemon = Daemon::start(&folder);
    daemon.wait("the pack is served", |daemon| is_served(daemon, "1.0.0"));
    let export = |more: &[&str]| folder.run(&[&["ledger", "export", "--out", "site"], more].concat());
    let first = export(&[]);
    let said = "exported 1 release: 6 files, 6 written, 0 removed\n";
    assert_eq!(
        (first.status, first.stdout.as_str(), first.stderr.as_str()),
        (0, said, ""),
        "{}",
        first.shown()
    );
    let path = "/v1/packs/greeter/versions/1.0.0/pack.json";
    assert_eq!(folder.read(&format!("site{path}")).into_bytes(), daemon.get(path).body);
    drop(daemon);
    let sources = folder.read("registry.toml");
    let narrow = "[auth]\nanonymous_read = false\n".to_owned() + &sources + "readers = [\"payments\"]\n";
    folder.write("registry.toml", narrow);
    let daemon = Daemon::start(&folder);
    daemon.wait("it answers", |daemon| daemon.get("/readyz").status == 200);
    let narrowed = export(&[]);
    let said = "exported 0 releases: 0 files, 0 written, 6 removed\n";
    assert_eq!((narrowed.status, narrowed.stdout.as_str()), (0, said), "{}", narrowed.shown());
    assert!(narrowed.stderr.contains("whoever reaches the files needs no token"), "{}", narrowed.shown());
    assert!(!folder.has("site/v1/packs"));
    let named = export(&["--group", "payments"]);
    assert!(named.stdout.starts_with("exported 1 release:"), "{}", named.shown());
    assert_eq!(named.stderr.matches("`payments`").count(), 0, "{}", named.shown());
    let unknown = export(&["--group", "paymets"]);
    assert!(unknown.stderr.contains("no source names `paymets`"), "{}", unknown.shown());
    let foreign = folder.run(&["ledger", "export", "--out", "packs"]);
    assert_eq!(foreign.status, 2, "{}", foreign.shown());
    assert!(foreign.stderr.contains("packs is not empty, and no export made it"), "{}", foreign.shown());
}
