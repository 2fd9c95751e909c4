//! Merges the ledger's pack files, of which every commit adds one.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::Ledger;
use crate::GitError;

/// How many pack files may pile up: each costs every look-up a little.
const PACKS: usize = 50;

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
    /// No `git` is installed: the ledger stays correct and slows down a little with each commit.
    NoGitBinary,
}

impl Ledger {
    /// Merges pack files with the installed `git` when more than fifty have piled up. Sizes grow geometrically, so
    /// that large ones are rarely rewritten.
    ///
    /// # Errors
    /// [`GitError::ReadOnly`], [`GitError::Repack`] or [`GitError::Io`]; the ledger is whole all the same.
    pub fn maintain(&mut self) -> Result<Maintenance, GitError> {
        self.maintain_with(OsStr::new("git"))
    }

    pub(crate) fn maintain_with(&mut self, git: &OsStr) -> Result<Maintenance, GitError> {
        self.refuse_reader()?;
        let packs_before = count_packs(&self.path)?;
        if packs_before <= PACKS {
            return Ok(Maintenance::NotNeeded);
        }
        let output = match repack(&self.path, git).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Maintenance::NoGitBinary),
            output => output.map_err(|source| GitError::Io {
                operation: "run git in",
                path: self.path.clone(),
                source,
            })?,
        };
        self.reopen()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let output = text.lines().last().map_or_else(|| output.status.to_string(), str::to_owned);
            return Err(GitError::Repack { path: self.path.clone(), output });
        }
        Ok(Maintenance::Done { packs_before, packs_after: count_packs(&self.path)? })
    }
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

fn count_packs(path: &Path) -> Result<usize, GitError> {
    let folder = path.join("objects").join("pack");
    let listed = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<fs::DirEntry>>>);
    let entries = listed.map_err(|source| GitError::Io { operation: "list", path: folder, source })?;
    Ok(entries.iter().filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack")).count())
}
