//! Takes the writer's lock, creates the ledger, and cleans up behind a writer that was killed.
//!
//! All of it happens under the lock, and only at start: a lock file that a killed writer left would otherwise block
//! every later commit, and one that a living writer holds must never be touched.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryInitOptions};

use crate::{GitError, open, setup};

const LOCK_FILE: &str = "packhouse.lock";
/// Lock files of libgit2 and git that block this ledger's writer.
const STALE_LOCKS: [&str; 4] = ["refs/heads/ledger.lock", "HEAD.lock", "packed-refs.lock", "config.lock"];
/// What the names of half-written files begin with.
const TEMPORARY: [&str; 3] = ["tmp_", ".tmp-", "pack_git2_"];

/// The lock of a ledger's writer, given back when it is dropped.
///
/// Closing the file alone would not do: a process that is being started by another thread holds a copy of it until it
/// runs its own program, and the lock with it.
#[derive(Debug)]
pub(super) struct WriteLock(File);

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Where the system refuses, closing the file still gives the lock back.
        let _ = self.0.unlock();
    }
}

/// Locks the ledger at `path` and opens it, creating and repairing it as needed.
pub(super) fn open_or_create(path: &Path) -> Result<(WriteLock, Repository), GitError> {
    setup::prepare();
    fs::create_dir_all(path).map_err(|source| failed("create", path, source))?;
    let lock = lock(path)?;
    remove_leftovers(path)?;
    let repository = match open::open_bare(path) {
        Ok(repository) => repository,
        Err(GitError::NotARepository { .. }) => create(path)?,
        Err(error) => return Err(error),
    };
    Ok((lock, repository))
}

pub(super) fn lock(path: &Path) -> Result<WriteLock, GitError> {
    let lock_path = path.join(LOCK_FILE);
    let opened = File::options().create(true).truncate(false).write(true).open(&lock_path);
    let lock = opened.map_err(|source| failed("open", &lock_path, source))?;
    match lock.try_lock() {
        Ok(()) => Ok(WriteLock(lock)),
        Err(TryLockError::WouldBlock) => Err(GitError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(failed("lock", &lock_path, source)),
    }
}

fn create(path: &Path) -> Result<Repository, GitError> {
    let mut options = RepositoryInitOptions::new();
    options.bare(true).external_template(false).initial_head("ledger");
    let created = Repository::init_opts(path, &options);
    let repository = created.map_err(|source| GitError::Write {
        operation: "create the repository",
        path: path.to_owned(),
        source,
    })?;
    flush(path)?;
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        flush_one(parent)?;
    }
    Ok(repository)
}

/// Flushes a new repository: commits flush themselves, but not the folders that they stand in.
fn flush(path: &Path) -> Result<(), GitError> {
    if path.is_dir() {
        for entry in entries(path)? {
            flush(&entry)?;
        }
    }
    flush_one(path)
}

fn flush_one(path: &Path) -> Result<(), GitError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|source| failed("flush", path, source))
}

fn remove_leftovers(path: &Path) -> Result<(), GitError> {
    for stale in STALE_LOCKS {
        remove(&path.join(stale))?;
    }
    remove_empty_settings(path)?;
    let objects = path.join("objects");
    for folder in entries(&objects)? {
        if is_temporary(&folder) {
            remove(&folder)?;
        } else if folder.is_dir() {
            remove_broken(&folder)?;
        }
    }
    Ok(())
}

/// Removes `HEAD` and `config` where a crash during creation left them without a byte: libgit2 would open the ledger,
/// and git would not. Without `HEAD` it counts as not created, and both are written again.
fn remove_empty_settings(path: &Path) -> Result<(), GitError> {
    let (head, config) = (path.join("HEAD"), path.join("config"));
    if is_empty(&config) {
        remove(&config)?;
        remove(&head)?;
    }
    if is_empty(&head) {
        remove(&head)?;
    }
    Ok(())
}

/// Removes half-written files of one folder below `objects`, and loose objects without a byte: libgit2 would take
/// them for written and never write them again.
fn remove_broken(folder: &Path) -> Result<(), GitError> {
    let holds_loose_objects = folder.file_name().is_some_and(|name| name.len() == 2);
    for file in entries(folder)? {
        if is_temporary(&file) || (holds_loose_objects && is_empty(&file)) {
            remove(&file)?;
        }
    }
    Ok(())
}

fn is_empty(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    TEMPORARY.iter().any(|prefix| name.starts_with(prefix))
}

/// The paths in a folder; none when there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    let paths = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match paths {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|source| failed("list", folder, source)),
    }
}

fn remove(path: &Path) -> Result<(), GitError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, source)),
        _ => Ok(()),
    }
}

fn failed(operation: &'static str, path: &Path, source: io::Error) -> GitError {
    GitError::Io { operation, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::lock;
    use crate::GitError;

    /// A process that another thread starts holds a copy of every open file until it runs its own program.
    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path()).unwrap();
        let copy = held.0.try_clone().unwrap();
        assert!(matches!(lock(folder.path()), Err(GitError::Locked { .. })));
        drop(held);
        lock(folder.path()).unwrap();
        drop(copy);
    }
}
