//! Writes what was fetched.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use client::{Form, LockedPack};

use super::unpack::unpack;
use crate::complaint;

/// Writes one pack below `out`: a file, or the folder of a bundle. Others never see a part of it.
pub fn pack(out: &Path, entry: &LockedPack, bytes: &[u8]) -> anyhow::Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    let name = format!("{}@{}", entry.id, entry.version);
    if entry.form == Form::Bundle {
        let target = out.join(&entry.id);
        folder(out, &target, bytes).with_context(|| format!("cannot write {}", target.display()))?;
        complaint::say(&format!("{name} -> {}/", target.display()));
        return Ok(());
    }
    let target = out.join(format!("{}.pack.json", entry.id));
    if fs::read(&target).is_ok_and(|known| known == bytes) {
        complaint::say(&format!("{name} = {}", target.display()));
        return Ok(());
    }
    file(out, &target, bytes).with_context(|| format!("cannot write {}", target.display()))?;
    complaint::say(&format!("{name} -> {}", target.display()));
    Ok(())
}

fn file(out: &Path, target: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(out)?;
    file.write_all(bytes)?;
    readable_by_all(file.path())?;
    file.persist(target)?;
    Ok(())
}

/// Unpacks beside the target and moves the whole folder there; the old one goes last.
fn folder(out: &Path, target: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let fresh = tempfile::tempdir_in(out)?;
    unpack(bytes, fresh.path())?;
    readable_by_all(fresh.path())?;
    let fresh = fresh.keep();
    if target.exists() {
        let old = tempfile::tempdir_in(out)?;
        fs::rename(target, old.path().join("old"))?;
        fs::rename(&fresh, target)?;
        return Ok(old.close()?);
    }
    Ok(fs::rename(&fresh, target)?)
}

/// Temporary files belong to their maker alone; fetched packs are for everybody who may read the folder.
#[cfg(unix)]
fn readable_by_all(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn readable_by_all(_: &Path) -> std::io::Result<()> {
    Ok(())
}
