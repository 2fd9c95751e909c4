//! The ledger after kills, crashes and bad disks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::support::Sandbox;
use crate::{Edit, Ledger, ObjectId};

const TIME: i64 = 1_750_000_000;

fn path(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("ledger.git")
}

fn pack_files(ledger: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(ledger.join("objects/pack")).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|kind| kind == "pack")).collect()
}

#[test]
fn what_a_killed_writer_left_is_cleared_at_start() {
    let sandbox = Sandbox::new();
    let path = path(&sandbox);
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    let first = ledger.append(&[Edit::write("a", "1")], "edit", TIME).unwrap();
    drop(ledger);
    let empty_object = ObjectId::of_blob(b"2").to_string();
    let empty_object = format!("objects/{}/{}", &empty_object[..2], &empty_object[2..]);
    let leftovers = [
        "refs/heads/ledger.lock",
        "packed-refs.lock",
        "objects/pack/tmp_pack_abc",
        "objects/pack/.tmp-1-pack",
        "objects/pack/pack_git2_0123456789abcdef",
        "objects/ab/tmp_obj_xyz",
        "objects/tmp_objdir-incoming-1/pack/x",
        &empty_object,
    ];
    for leftover in leftovers {
        fs::create_dir_all(path.join(leftover).parent().unwrap()).unwrap();
        fs::write(path.join(leftover), "").unwrap();
    }
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    for leftover in leftovers {
        assert!(!path.join(leftover).exists(), "{leftover}");
    }
    assert_eq!(ledger.head().unwrap(), Some(first));
    ledger.append(&[Edit::write("a", "2")], "edit", TIME).unwrap();
    assert_eq!(ledger.verify().unwrap(), [] as [&str; 0]);
}

#[test]
fn a_crash_before_the_branch_moves_loses_only_that_commit() {
    let sandbox = Sandbox::new();
    let path = path(&sandbox);
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    let first = ledger.append(&[Edit::write("a", "1")], "edit", TIME).unwrap();
    let lost = ledger.commit_on(Some(first), &[Edit::write("a", "2")], "edit", TIME).unwrap();
    drop(ledger);
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    assert_eq!(ledger.head().unwrap(), Some(first));
    let again = ledger.append(&[Edit::write("a", "2")], "edit", TIME).unwrap();
    assert_eq!(again, lost, "the same commit has the same id");
    assert_eq!(ledger.read("a").unwrap().unwrap(), b"2");
    let output = sandbox.try_git_in(&path, ["fsck", "--strict"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_half_created_ledger_is_created() {
    let sandbox = Sandbox::new();
    let path = path(&sandbox);
    fs::create_dir_all(path.join("objects/pack")).unwrap();
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    ledger.append(&[Edit::write("a", "1")], "edit", TIME).unwrap();
    drop(ledger);
    fs::remove_file(path.join("HEAD")).unwrap();
    let ledger = Ledger::open_or_create(&path).unwrap();
    assert_eq!(ledger.read("a").unwrap().unwrap(), b"1");
    drop(ledger);
    for file in ["HEAD", "config"] {
        fs::write(path.join(file), "").unwrap();
    }
    let ledger = Ledger::open_or_create(&path).unwrap();
    assert_eq!(ledger.read("a").unwrap().unwrap(), b"1");
    assert_eq!(sandbox.git_in(&path, ["log", "--format=%s"]), "edit");
}

#[test]
fn every_damaged_object_is_named() {
    let sandbox = Sandbox::new();
    let path = path(&sandbox);
    let mut ledger = Ledger::open_or_create(&path).unwrap();
    ledger.append(&[Edit::write("a", "1")], "edit", TIME).unwrap();
    assert_eq!(ledger.verify().unwrap(), [] as [&str; 0]);
    let text: String = (0..2000).map(|number| format!("{number} ")).collect();
    let before = pack_files(&path);
    ledger.append(&[Edit::write("packs/b", text.as_str())], "edit", TIME).unwrap();
    let pack = pack_files(&path).into_iter().find(|file| !before.contains(file)).unwrap();
    fs::set_permissions(&pack, fs::Permissions::from_mode(0o644)).unwrap();
    let mut bytes = fs::read(&pack).unwrap();
    // The blob is the last and by far the largest object; 20 bytes of checksum follow it.
    let middle = bytes.len() - 1000;
    bytes[middle] ^= 0xff;
    fs::write(&pack, bytes).unwrap();
    let damage = ledger.verify().unwrap();
    let id = ObjectId::of_blob(text.as_bytes());
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert!(damage[0].starts_with(&format!("blob {id} at `packs/b`: ")), "{damage:?}");
    // While a handle is open, libgit2 reads on from a file that was removed.
    drop(ledger);
    fs::remove_file(pack).unwrap();
    let damage = Ledger::open_reader(&path).unwrap().verify().unwrap();
    assert!(damage[0].starts_with("commit "), "{damage:?}");
}
