//! Merges pack files, which pile up where every commit or fetch brings one.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::GitError;

/// How many pack files may pile up: each costs every look-up a little.
pub(crate) const MOST: usize = 50;

/// What maintenance came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maintenance {
    /// There are few pack files.
    NotNeeded,
    /// Pack files were merged.
    Done {
        /// How many there were.
        packs_before: usize,
        /// How many there are.
        packs_after: usize,
    },
    /// No `git` is installed: the repository stays correct and slows down a little with each pack.
    NoGitBinary,
}

/// Merges the pack files of the repository at `path` with that `git` when more than `most` have piled up. Sizes grow
/// geometrically, so that large ones are rarely rewritten.
///
/// # Errors
/// [`GitError::Repack`] or [`GitError::Io`]; the repository is whole all the same.
pub(crate) fn merge(path: &Path, git: &OsStr, most: usize) -> Result<Maintenance, GitError> {
    let packs_before = count(path)?;
    if packs_before <= most {
        return Ok(Maintenance::NotNeeded);
    }
    let output = match repack(path, git).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Maintenance::NoGitBinary),
        output => output.map_err(|source| GitError::Io {
            operation: "run git in",
            path: path.to_owned(),
            source,
        })?,
    };
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let output = text.lines().last().map_or_else(|| output.status.to_string(), str::to_owned);
        return Err(GitError::Repack { path: path.to_owned(), output });
    }
    Ok(Maintenance::Done { packs_before, packs_after: count(path)? })
}

/// Nothing of the machine's or the user's configuration takes part, and neither do variables that would point git at
/// another repository.
fn repack(path: &Path, git: &OsStr) -> Command {
    let mut command = Command::new(git);
    command.env_clear().env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.arg("--git-dir").arg(path);
    command.args(["-c", "safe.directory=*", "-c", "repack.writeBitmaps=false"]);
    command.args(["repack", "-d", "-q", "-n", "--geometric=2"]);
    command
}

fn count(path: &Path) -> Result<usize, GitError> {
    let folder = path.join("objects").join("pack");
    let listed = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<fs::DirEntry>>>);
    let entries = listed.map_err(|source| GitError::Io { operation: "list", path: folder, source })?;
    Ok(entries.iter().filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack")).count())
}
