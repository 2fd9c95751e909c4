//! The daemon under everything that a machine does to it: killed at any moment, its files lost or damaged, the disk
//! full, the clock set back.
//!
//! A few rounds by default; `PACKHOUSE_ROUNDS` sets another number. Each failure names its seed, which
//! `PACKHOUSE_SEED` repeats as far as a race can be repeated.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::daemon::{Daemon, SERVE};
use crate::ledger::{commit, registry};
use crate::support::{Folder, greeter_with, program};

/// Rounds when nobody asks for more.
const FEW: u64 = 4;
/// Versions that are committed while a daemon runs towards its end.
const VERSIONS: u64 = 3;
/// The longest life of a daemon after the first commit of a round.
const LONGEST_MS: u64 = 600;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A generator of numbers that look random and follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn new() -> (Dice, u64) {
        let clock =
            || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.subsec_nanos().into());
        let seed = number("PACKHOUSE_SEED").unwrap_or_else(clock);
        (Dice(seed), seed)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

fn version(number: u64) -> String {
    format!("1.0.{number}")
}

fn text(number: u64) -> String {
    greeter_with(&version(number), "", &format!("Hello number {number}"))
}

fn commit_version(folder: &Folder, number: u64) {
    folder.write("packs/greeter.pack.json", text(number));
    commit(folder, &version(number));
}

/// Which versions a registry serves, with their digests; none when it does not answer.
fn served(address: &str) -> Option<BTreeMap<String, String>> {
    let answer =
        Daemon::ask(address, "GET /v1/packs/greeter HTTP/1.1").filter(|answer| answer.status == 200)?;
    let pack: Value = serde_json::from_slice(&answer.body).ok()?;
    let versions = pack["versions"].as_array()?;
    let entry = |version: &Value| {
        Some((version["version"].as_str()?.to_owned(), version["digest"].as_str()?.to_owned()))
    };
    Some(versions.iter().filter_map(entry).collect())
}

fn wait_for(daemon: &Daemon, number: u64) {
    let path = format!("/v1/packs/greeter/versions/{}", version(number));
    daemon.wait(&format!("{} is served", version(number)), |daemon| daemon.get(&path).status == 200);
}

/// Waits for the last thing that follows a publication.
fn wait_for_search(daemon: &Daemon, newest: u64) {
    daemon.wait("the search knows the newest version", |daemon| {
        daemon.json("/v1/search?q=greeter")["hits"][0]["version"] == version(newest).as_str()
    });
}

/// What the registry says of its packs, and what has happened, once the search has followed.
fn answers(daemon: &Daemon, newest: u64) -> Vec<Value> {
    wait_for_search(daemon, newest);
    let newest = format!("/v1/packs/greeter/versions/{}", version(newest));
    let report = format!("{newest}/report");
    let paths = ["/v1/packs", "/v1/packs/greeter", "/v1/search?q=greeter", "/v1/events?limit=1000"];
    paths.into_iter().chain([newest.as_str(), report.as_str()]).map(|path| daemon.json(path)).collect()
}

/// Harms one file of what is derived from the ledger; tells which one and how.
fn harm(folder: &Folder, dice: &mut Dice) -> String {
    let state = folder.path().join("state");
    let mut files: Vec<PathBuf> =
        ["index", "search"].iter().flat_map(|name| below(&state.join(name))).collect();
    files.sort();
    let count = u64::try_from(files.len()).expect("few files");
    let file = files.swap_remove(usize::try_from(dice.below(count)).expect("a position"));
    let size = fs::metadata(&file).map_or(0, |metadata| metadata.len());
    let kind = dice.below(3);
    match kind {
        0 => fs::remove_file(&file).expect("a file to remove"),
        1 => {
            let opened = fs::File::options().write(true).open(&file).expect("a file to cut");
            opened.set_len(dice.below(size.max(1))).expect("a shorter file");
        }
        _ => {
            let noise: Vec<u8> = (0..size.max(64)).map(|_| dice.below(256).to_le_bytes()[0]).collect();
            fs::write(&file, noise).expect("a file to overwrite");
        }
    }
    format!("{}: {}", ["removed", "cut", "noise in"][usize::try_from(kind).expect("small")], file.display())
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// Runs a daemon while versions are committed, and kills it at some moment; gives what it had acknowledged.
fn die_publishing(folder: &Folder, first: u64, life: Duration) -> BTreeMap<String, String> {
    let daemon = Daemon::start(folder);
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| (first..first + VERSIONS).for_each(|number| commit_version(folder, number)));
        let mut acknowledged = BTreeMap::new();
        while start.elapsed() < life {
            acknowledged = served(&daemon.address).unwrap_or(acknowledged);
        }
        drop(daemon);
        acknowledged
    })
}

fn check_round(folder: &Folder, newest: u64, acknowledged: &BTreeMap<String, String>) -> Vec<Value> {
    let daemon = Daemon::start(folder);
    let now = served(&daemon.address).unwrap_or_default();
    for (version, digest) in acknowledged {
        assert_eq!(now.get(version), Some(digest), "{version} was acknowledged");
    }
    wait_for(&daemon, newest);
    for number in (newest + 1).saturating_sub(VERSIONS)..=newest {
        let path = format!("/v1/packs/greeter/versions/{}/pack.json", version(number));
        assert_eq!(daemon.get(&path).body, text(number).as_bytes(), "{}", version(number));
    }
    answers(&daemon, newest)
}

/// Waits until git finds nothing wrong with the ledger. A `git repack` that a killed daemon left behind may still take
/// merged packs away from under it; real damage stays.
fn wait_until_sound(folder: &Folder) {
    let start = Instant::now();
    loop {
        let mut fsck = Command::new("git");
        fsck.args(["-C", "state/ledger.git", "fsck", "--strict", "--no-progress"]);
        let output = fsck.current_dir(folder.path()).output().expect("git runs");
        if output.status.success() {
            return;
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(start.elapsed() < Duration::from_secs(20), "the ledger is damaged: {said}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn rebuilt(folder: &Folder, newest: u64) -> Vec<Value> {
    let rebuild = folder.run(&["ledger", "rebuild"]);
    assert_eq!(rebuild.status, 0, "{}", rebuild.shown());
    let verify = folder.run(&["ledger", "verify"]);
    assert_eq!(verify.status, 0, "{}", verify.shown());
    answers(&Daemon::start(folder), newest)
}

#[test]
fn nothing_acknowledged_is_lost_however_the_daemon_ends() {
    let (mut dice, seed) = Dice::new();
    let folder = registry();
    let mut acknowledged = BTreeMap::new();
    for round in 0..number("PACKHOUSE_ROUNDS").unwrap_or(FEW) {
        let first = 1 + round * VERSIONS;
        let newest = first + VERSIONS - 1;
        let life = Duration::from_millis(dice.below(LONGEST_MS));
        acknowledged.extend(die_publishing(&folder, first, life));
        // Every other round something derived is harmed besides.
        let harmed = if round % 2 == 1 { harm(&folder, &mut dice) } else { "nothing harmed".to_owned() };
        println!("round {round} of seed {seed}: killed after {life:?}, {harmed}");
        let said = check_round(&folder, newest, &acknowledged);
        wait_until_sound(&folder);
        assert_eq!(said, rebuilt(&folder, newest), "answers before and after a rebuild");
    }
}

/// The daemon, run by another command.
fn behind(folder: &Folder, wrapper: &str, arguments: &[&str]) -> Command {
    let plain = program(&[], &folder.path());
    let mut command = Command::new(wrapper);
    command.args(arguments).arg(plain.get_program()).args(SERVE).current_dir(folder.path());
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn a_full_disk_stops_publishing_and_nothing_else() {
    let folder = registry();
    let state = folder.path().join("state");
    fs::create_dir_all(&state).expect("a folder to mount on");
    let may_mount =
        Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "tmpfs"]).arg(&state).status();
    if !may_mount.is_ok_and(|status| status.success()) {
        println!("SKIPPED a_full_disk_stops_publishing_and_nothing_else: no mount namespaces here");
        return;
    }
    let script = "mount -t tmpfs -o size=16m tmpfs state && exec \"$@\"";
    let daemon = Daemon::spawn(behind(&folder, "unshare", &["-rm", "sh", "-c", script, "sh"]));
    wait_for_search(&daemon, 0);
    let inside = PathBuf::from(format!("/proc/{}/root", daemon.process()))
        .join(state.strip_prefix("/").expect("absolute"));
    let ballast = inside.join("ballast");
    fill(&ballast);
    let before = served(&daemon.address).expect("an answer");
    commit_version(&folder, 1);
    daemon.wait("the full disk is a problem of the source", |daemon| {
        !daemon.json("/v1/sources/packs")["error"].is_null()
    });
    assert_eq!(served(&daemon.address).expect("an answer"), before);
    fs::remove_file(&ballast).expect("room again");
    commit_version(&folder, 2);
    for number in [1, 2] {
        wait_for(&daemon, number);
    }
    // Git looks its folder up by a name that only the daemon's own mount namespace knows: a copy has one here.
    let copied = Command::new("cp")
        .arg("-r")
        .arg(inside.join("ledger.git"))
        .arg(folder.path().join("copy.git"))
        .status();
    assert!(copied.is_ok_and(|status| status.success()), "the ledger can be copied");
    folder.git(&["-C", "copy.git", "fsck", "--strict", "--no-progress"]);
    let events = daemon.json("/v1/events?limit=1000")["events"].as_array().map(Vec::len);
    assert_eq!(events, Some(3), "each version was published once");
}

/// Writes until not a byte more fits.
fn fill(ballast: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(ballast).expect("a file");
    for size in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
}

#[test]
fn a_clock_that_is_set_back_moves_no_time_backwards() {
    if Command::new("faketime").arg("--version").output().is_err() {
        println!("SKIPPED a_clock_that_is_set_back_moves_no_time_backwards: `faketime` is not installed");
        return;
    }
    let folder = registry();
    let daemon = Daemon::start(&folder);
    wait_for(&daemon, 0);
    drop(daemon);
    commit_version(&folder, 1);
    let daemon = Daemon::spawn_behind(behind(&folder, "faketime", &["-f", "-10d"]));
    wait_for(&daemon, 1);
    let versions = daemon.json("/v1/packs/greeter")["versions"].clone();
    let at = |position: usize| versions[position]["published_at"].as_str().expect("a time").to_owned();
    assert!(at(0) >= at(1), "{versions}");
    drop(daemon);
    let verify = folder.run(&["ledger", "verify"]);
    assert_eq!(verify.status, 0, "{}", verify.shown());
}
