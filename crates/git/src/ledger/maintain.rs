//! Keeps the ledger quick.

use std::ffi::OsStr;

use super::Ledger;
use crate::GitError;
use crate::packs::{self, Maintenance};

impl Ledger {
    /// Merges pack files with the installed `git` when more than fifty have piled up.
    ///
    /// # Errors
    /// [`GitError::ReadOnly`], [`GitError::Repack`] or [`GitError::Io`]; the ledger is whole all the same.
    pub fn maintain(&mut self) -> Result<Maintenance, GitError> {
        self.maintain_with(OsStr::new("git"))
    }

    pub(crate) fn maintain_with(&mut self, git: &OsStr) -> Result<Maintenance, GitError> {
        self.refuse_reader()?;
        let merged = packs::merge(&self.path, git, packs::MOST);
        if !matches!(merged, Ok(Maintenance::NotNeeded | Maintenance::NoGitBinary)) {
            self.reopen()?;
        }
        merged
    }
}
