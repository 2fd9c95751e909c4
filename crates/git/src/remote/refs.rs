//! The branches and tags of a remote repository, and how a mirror keeps them: in `packed-refs` alone.
//!
//! One file that is replaced as a whole moves, forces and prunes all refs at once: whoever reads the mirror sees the
//! refs before a fetch or those after it, and a name may turn from a branch into a folder of branches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use git2::{Oid, Reference, Remote, RemoteHead, Repository};

use crate::GitError;

/// What a remote repository shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Advertised {
    /// Branches and tags by their full name.
    refs: BTreeMap<String, Oid>,
    /// The branch that `HEAD` names.
    head: Option<String>,
    /// The commit of a detached `HEAD`.
    detached: Option<Oid>,
    /// How many names cannot be kept: they are not UTF-8, or no names that Git allows.
    pub(super) unreadable: usize,
}

/// Why the list could not be taken in.
pub(super) enum ListTrouble {
    /// It could not be read.
    Git(git2::Error),
    /// It is too long.
    TooManyRefs,
}

impl Advertised {
    /// Takes in the list that a connected remote has shown.
    pub(super) fn read(remote: &Remote<'_>, limit: usize) -> Result<Advertised, ListTrouble> {
        let mut advertised = Advertised::default();
        for head in remote.list().map_err(ListTrouble::Git)? {
            advertised.add(head);
            if advertised.refs.len() > limit {
                return Err(ListTrouble::TooManyRefs);
            }
        }
        Ok(advertised)
    }

    /// Whether there is nothing to fetch.
    pub(super) fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    fn add(&mut self, head: &RemoteHead<'_>) {
        // git2 panics on names that are not UTF-8, which a repository may well have.
        let read = || (head.name().to_owned(), head.symref_target().map(str::to_owned));
        let Ok((name, target)) = catch_unwind(AssertUnwindSafe(read)) else {
            self.unreadable += 1;
            return;
        };
        if name == "HEAD" {
            self.head =
                target.filter(|target| target.starts_with("refs/heads/") && Reference::is_valid_name(target));
            self.detached = self.head.is_none().then(|| head.oid());
            return;
        }
        let counts = ["refs/heads/", "refs/tags/"].iter().any(|prefix| name.starts_with(prefix));
        if !counts || name.ends_with("^{}") {
            return;
        }
        if Reference::is_valid_name(&name) {
            self.refs.insert(name, head.oid());
        } else {
            self.unreadable += 1;
        }
    }

    /// Makes the refs of a mirror those that the remote shows; tells whether that changed anything.
    pub(super) fn write(&self, repository: &Repository) -> Result<bool, GitError> {
        let folder = repository.path();
        let moved = replace(&folder.join("packed-refs"), self.packed().as_bytes())?;
        let head = match (&self.head, self.detached) {
            (Some(branch), _) => format!("ref: {branch}\n"),
            (None, Some(id)) if repository.find_commit(id).is_ok() => format!("{id}\n"),
            // A remote whose `HEAD` names no commit does not show it: what was known of it stays.
            (None, _) => return Ok(moved),
        };
        Ok(replace(&folder.join("HEAD"), head.as_bytes())? || moved)
    }

    /// The refs as Git packs them.
    fn packed(&self) -> String {
        let mut packed = "# pack-refs with: sorted \n".to_owned();
        for (name, id) in &self.refs {
            let _ = writeln!(packed, "{id} {name}");
        }
        packed
    }

    /// Whether a mirror has these refs already.
    pub(super) fn stands_in(&self, repository: &Repository) -> bool {
        let folder = repository.path();
        let packed = fs::read_to_string(folder.join("packed-refs"));
        // A mirror that was just begun has no such file, and no refs.
        let same_refs = packed.map_or(self.refs.is_empty(), |packed| packed == self.packed());
        let head = fs::read_to_string(folder.join("HEAD")).unwrap_or_default();
        let same_head = match (&self.head, self.detached) {
            (Some(branch), _) => head.trim_end().strip_prefix("ref: ") == Some(branch.as_str()),
            (None, Some(id)) => head.trim_end() == id.to_string() || repository.find_commit(id).is_err(),
            (None, None) => true,
        };
        same_refs && same_head
    }
}

/// Replaces a file as a whole, flushed; tells whether it was another one before.
fn replace(path: &Path, bytes: &[u8]) -> Result<bool, GitError> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(false);
    }
    let aside = path.with_extension("new");
    let write = || -> io::Result<()> {
        let mut file = fs::File::create(&aside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&aside, path)
    };
    write().map_err(|source| GitError::Io { operation: "write", path: path.to_owned(), source })?;
    Ok(true)
}
