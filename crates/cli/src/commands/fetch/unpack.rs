//! Unpacks a bundle: a tar.gz of regular files, each below the folder.

use std::fs;
use std::io::Read;
use std::path::{Component, Path};

use anyhow::{Context, bail};
use flate2::read::GzDecoder;

/// How many bytes a bundle may unpack to: above the limits of a pack and all its skills.
const MOST_BYTES: u64 = 512 << 20;
/// How many files it may hold.
const MOST_FILES: usize = 20_000;

/// Writes the files of a bundle below `folder`. Links, devices and paths that lead elsewhere are refused.
///
/// # Errors
/// When the bundle holds anything but regular files and folders inside, or more than the limits allow.
pub fn unpack(bytes: &[u8], folder: &Path) -> anyhow::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes).take(MOST_BYTES));
    for (count, entry) in archive.entries().context("the bundle is no archive")?.enumerate() {
        if count >= MOST_FILES {
            bail!("the bundle holds more than {MOST_FILES} files");
        }
        let mut entry = entry.context("the bundle cannot be read")?;
        let path = entry.path().context("the bundle names a file that cannot be written")?.into_owned();
        let is_inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            bail!("the bundle names `{}`, which lies outside", path.display());
        }
        let target = folder.join(&path);
        match entry.header().entry_type() {
            tar::EntryType::Directory => fs::create_dir_all(&target)?,
            tar::EntryType::Regular => {
                fs::create_dir_all(target.parent().unwrap_or(folder))?;
                let mut content = Vec::new();
                entry.read_to_end(&mut content).context("the bundle is cut off")?;
                fs::write(&target, content)?;
                set_mode(&target, entry.header().mode().unwrap_or(0o644))?;
            }
            _ => bail!("the bundle holds `{}`, which is no regular file", path.display()),
        }
    }
    Ok(())
}

/// Only whether a file may be run is taken over.
#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if mode & 0o111 != 0 { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn bundle(entries: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, kind, content) in entries {
            let mut header = tar::Header::new_gnu();
            // Written by hand: the library refuses to make what a test needs.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append(&header, content.as_bytes()).expect("an entry");
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(&builder.into_inner().expect("an archive")).expect("bytes");
        encoder.finish().expect("bytes")
    }

    #[test]
    fn only_files_inside_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let good = bundle(&[("skills/x/SKILL.md", tar::EntryType::Regular, "text")]);
        unpack(&good, folder.path()).expect("a bundle");
        assert_eq!(fs::read_to_string(folder.path().join("skills/x/SKILL.md")).expect("a file"), "text");
        for bad in [
            bundle(&[("../out", tar::EntryType::Regular, "text")]),
            bundle(&[("/out", tar::EntryType::Regular, "text")]),
            bundle(&[("link", tar::EntryType::Symlink, "")]),
            b"no archive".to_vec(),
        ] {
            assert!(unpack(&bad, folder.path()).is_err());
        }
    }
}
