//! The mirror of one remote repository: derived state, which may be deleted at any time.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use git2::{Direction, FetchOptions, Repository, RepositoryInitOptions};

use super::callbacks::callbacks;
use super::refs::{Advertised, ListTrouble};
use super::{Remote, Session, http};
use crate::packs::{self, Maintenance};
use crate::{GitError, open};

/// What is fetched: every branch and tag, wherever it moved.
const REFSPECS: [&str; 2] = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

/// A bare repository that holds what a remote one shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    path: PathBuf,
}

/// What a fetch brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fetched {
    /// Whether any branch or tag, or the default branch, moved.
    pub moved: bool,
    /// How many bytes of objects came.
    pub bytes: u64,
    /// How many objects came.
    pub objects: u64,
    /// How many branches and tags were left out because their names cannot be read.
    pub unreadable: usize,
}

/// Why a transfer ended before its time.
enum Trouble {
    Remote(git2::Error),
    Here(GitError),
}

impl Mirror {
    /// The mirror at `path`, which need not exist.
    pub fn at(path: PathBuf) -> Mirror {
        Mirror { path }
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings the mirror up to date. One fetch at a time may run in a mirror; readers need not wait.
    ///
    /// `cancelled` calls the fetch off when it becomes true.
    ///
    /// # Errors
    /// [`GitError::Fetch`] says what is in the way at the remote, [`GitError::TooManyRefs`], or why the mirror cannot
    /// be written.
    pub fn fetch(&self, remote: &Remote, cancelled: &Arc<AtomicBool>) -> Result<Fetched, GitError> {
        let repository = self.open_or_begin()?;
        self.remove_leftovers();
        let session = Arc::new(Session::new(remote, cancelled));
        http::during(&session, || transfer(&repository, &session)).map_err(|trouble| match trouble {
            Trouble::Here(error) => error,
            Trouble::Remote(error) => {
                GitError::Fetch { url: remote.url.clone(), failure: Box::new(session.failure(&error)) }
            }
        })
    }

    /// Merges pack files with the installed `git` when more than fifty have piled up: every fetch that brings something
    /// adds one. Readers may read meanwhile.
    ///
    /// # Errors
    /// [`GitError::Repack`] or [`GitError::Io`]; the mirror is whole all the same.
    pub fn maintain(&self) -> Result<Maintenance, GitError> {
        self.maintain_above(packs::MOST)
    }

    pub(crate) fn maintain_above(&self, most: usize) -> Result<Maintenance, GitError> {
        packs::merge(&self.path, OsStr::new("git"), most)
    }

    /// Deletes the mirror, so that the next fetch begins anew.
    ///
    /// # Errors
    /// [`GitError::Io`].
    pub fn delete(&self) -> Result<(), GitError> {
        match fs::remove_dir_all(&self.path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(GitError::Io { operation: "delete", path: self.path.clone(), source })
            }
            _ => Ok(()),
        }
    }

    /// Opens the mirror; one that does not open is begun anew.
    fn open_or_begin(&self) -> Result<Repository, GitError> {
        if let Ok(repository) = open::open_bare(&self.path) {
            return Ok(repository);
        }
        self.delete()?;
        let mut options = RepositoryInitOptions::new();
        options.bare(true).mkpath(true).external_template(false).initial_head("main");
        Repository::init_opts(&self.path, &options)
            .map_err(|source| GitError::Open { path: self.path.clone(), source })
    }

    /// Removes what a transfer left that was cut off. A file that stays costs disk space only.
    fn remove_leftovers(&self) {
        let Ok(entries) = fs::read_dir(self.path.join("objects").join("pack")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("pack_git2_") || name.starts_with("tmp_") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn transfer(repository: &Repository, session: &Arc<Session>) -> Result<Fetched, Trouble> {
    let limits = session.remote.limits;
    let mut remote = repository.remote_anonymous(&session.remote.url).map_err(Trouble::Remote)?;
    let mut connection =
        remote.connect_auth(Direction::Fetch, Some(callbacks(session)), None).map_err(Trouble::Remote)?;
    let remote = connection.remote();
    let advertised = Advertised::read(remote, limits.refs).map_err(|trouble| match trouble {
        ListTrouble::Git(error) => Trouble::Remote(error),
        ListTrouble::TooManyRefs => Trouble::Here(GitError::TooManyRefs { limit: limits.refs }),
    })?;
    let mut fetched = Fetched { unreadable: advertised.unreadable, ..Fetched::default() };
    if advertised.stands_in(repository) {
        return Ok(fetched);
    }
    if !advertised.is_empty() {
        let mut options = FetchOptions::new();
        options.remote_callbacks(callbacks(session)).download_tags(git2::AutotagOption::None);
        remote.download(&REFSPECS, Some(&mut options)).map_err(Trouble::Remote)?;
        let stats = remote.stats();
        fetched.bytes = u64::try_from(stats.received_bytes()).unwrap_or(u64::MAX);
        fetched.objects = u64::try_from(stats.received_objects()).unwrap_or(u64::MAX);
    }
    fetched.moved = advertised.write(repository).map_err(Trouble::Here)?;
    Ok(fetched)
}
