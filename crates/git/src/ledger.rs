//! The registry's own repository: a bare one whose branch `ledger` records everything that was ever published.
//!
//! One process writes, under a lock; any number read. A commit is one pack file, flushed before the branch moves, so
//! that a crash at any point leaves either the old state or the new one. What the paths mean is not known here.

mod edits;
mod maintain;
mod remote;
mod start;
mod verify;
mod write;

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, Repository};
use pack::tree::EntryKind;

pub use edits::{Content, Edit};
pub use remote::{Pushed, without_credentials};

use self::start::WriteLock;
use crate::source::lossy;
use crate::{
    Change, CommitTree, FileEntry, GitError, ObjectId, TreeEntry, changes, objects, open, tree, walk,
};

/// The branch that is the ledger.
const BRANCH: &str = "refs/heads/ledger";

/// The ledger, open for writing or for reading. It belongs to one thread; every reading thread opens its own.
pub struct Ledger {
    path: PathBuf,
    repository: RefCell<Repository>,
    /// Held by the writer as long as it lives; none in a reader.
    lock: Option<WriteLock>,
}

/// One commit of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerCommit {
    /// The commit.
    pub id: ObjectId,
    /// Its whole message.
    pub message: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

impl Ledger {
    /// Opens the ledger for writing, creates it where there is none, and repairs what a killed writer left.
    ///
    /// # Errors
    /// [`GitError::Locked`] while another process writes, [`GitError::Io`], [`GitError::Open`],
    /// [`GitError::Write`].
    pub fn open_or_create(path: &Path) -> Result<Ledger, GitError> {
        let (lock, repository) = start::open_or_create(path)?;
        Ok(Ledger { path: path.to_owned(), repository: RefCell::new(repository), lock: Some(lock) })
    }

    /// Opens the ledger for reading; whatever writes is refused with [`GitError::ReadOnly`].
    ///
    /// # Errors
    /// [`GitError::Missing`], [`GitError::NotARepository`] or [`GitError::Open`].
    pub fn open_reader(path: &Path) -> Result<Ledger, GitError> {
        let repository = open::open_bare(path)?;
        Ok(Ledger { path: path.to_owned(), repository: RefCell::new(repository), lock: None })
    }

    /// Keeps every writer out of the ledger at `path` until what is returned is dropped. Nothing is opened or repaired.
    ///
    /// # Errors
    /// [`GitError::Locked`] while another process writes, or [`GitError::Io`].
    pub fn lock_out_writer(path: &Path) -> Result<impl Sized + use<>, GitError> {
        start::lock(path)
    }

    /// The folder of the bare repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest commit; none before the first one.
    ///
    /// # Errors
    /// [`GitError::Reference`].
    pub fn head(&self) -> Result<Option<ObjectId>, GitError> {
        self.reference(BRANCH)
    }

    fn reference(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        match self.repository.borrow().refname_to_id(name) {
            Ok(id) => Ok(Some(id.into())),
            Err(source) if source.code() == ErrorCode::NotFound => Ok(None),
            Err(source) => Err(GitError::reference("read", name, source)),
        }
    }

    /// Tells when a commit was made, in seconds since 1970.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn time(&self, commit: ObjectId) -> Result<i64, GitError> {
        self.reading(|repository| objects::commit(repository, commit).map(|commit| commit.time().seconds()))
    }

    /// Reads a file at the newest commit; none when no file stands there.
    ///
    /// # Errors
    /// [`GitError::Reference`], [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.head()? {
            Some(head) => self.read_at(head, path),
            None => Ok(None),
        }
    }

    /// Reads a file at a commit; none when no file stands there.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn read_at(&self, commit: ObjectId, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.reading(|repository| match entry(repository, commit, path)? {
            Some(TreeEntry { id, kind: EntryKind::File { .. } }) => {
                objects::blob(repository, id, u64::MAX).map(Some)
            }
            _ => Ok(None),
        })
    }

    /// Reads a file by its id.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.reading(|repository| objects::blob(repository, id, u64::MAX))
    }

    /// Tells what stands at a path of a commit; none when nothing does.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn entry(&self, commit: ObjectId, path: &str) -> Result<Option<TreeEntry>, GitError> {
        self.reading(|repository| entry(repository, commit, path))
    }

    /// Lists a folder at the newest commit as names with what they are, sorted by name; empty when no folder stands
    /// there.
    ///
    /// # Errors
    /// [`GitError::Reference`], [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn list(&self, path: &str) -> Result<Vec<(String, TreeEntry)>, GitError> {
        let Some(head) = self.head()? else { return Ok(Vec::new()) };
        self.reading(|repository| list(repository, head, path))
    }

    /// Collects all files below the folder `prefix` of a commit, sorted by path; the empty prefix is the root.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn walk(&self, commit: ObjectId, prefix: &str) -> Result<Vec<FileEntry>, GitError> {
        self.reading(|repository| match entry(repository, commit, prefix)? {
            Some(TreeEntry { id, kind: EntryKind::Folder }) => {
                walk::files(repository, prefix, id, usize::MAX).map(|below| below.files)
            }
            _ => Ok(Vec::new()),
        })
    }

    /// Compares two commits, sorted by path; without `old`, everything in `new` is new.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, GitError> {
        self.reading(|repository| {
            changes::between(repository, old, new, usize::MAX).map(|found| found.changes)
        })
    }

    /// Lists the commits since `after`, or since the beginning, oldest first.
    ///
    /// # Errors
    /// [`GitError::NotInHistory`] when the ledger does not contain `after`, as after a rewind;
    /// [`GitError::Reference`], [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn log(&self, after: Option<ObjectId>) -> Result<Vec<LedgerCommit>, GitError> {
        let head = self.head()?;
        self.reading(|repository| log(repository, head, after))
    }

    /// Opens the repository anew. Only needed after another process has merged pack files: reads that miss an object
    /// do it by themselves.
    ///
    /// # Errors
    /// [`GitError::Missing`], [`GitError::NotARepository`] or [`GitError::Open`].
    pub fn reopen(&self) -> Result<(), GitError> {
        let fresh = open::open_bare(&self.path)?;
        self.repository.replace(fresh);
        Ok(())
    }

    /// Reads through the open repository, and once more through a fresh one when an object is not found: libgit2
    /// keeps looking into pack files that a merge has deleted.
    fn reading<T>(&self, read: impl Fn(&Repository) -> Result<T, GitError>) -> Result<T, GitError> {
        let first = read(&self.repository.borrow());
        match first {
            Err(GitError::MissingObject { .. } | GitError::Object { .. }) => {
                self.reopen()?;
                read(&self.repository.borrow())
            }
            outcome => outcome,
        }
    }

    fn refuse_reader(&self) -> Result<(), GitError> {
        match self.lock {
            Some(_) => Ok(()),
            None => Err(GitError::ReadOnly { path: self.path.clone() }),
        }
    }

    fn failed(&self, operation: &'static str, source: git2::Error) -> GitError {
        GitError::Write { operation, path: self.path.clone(), source }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = self.lock.is_some();
        formatter
            .debug_struct("Ledger")
            .field("path", &self.path)
            .field("writes", &writes)
            .finish_non_exhaustive()
    }
}

fn entry(repository: &Repository, commit: ObjectId, path: &str) -> Result<Option<TreeEntry>, GitError> {
    CommitTree::new(repository, objects::root(repository, commit)?).entry(path)
}

fn list(repository: &Repository, commit: ObjectId, path: &str) -> Result<Vec<(String, TreeEntry)>, GitError> {
    let Some(TreeEntry { id, kind: EntryKind::Folder }) = entry(repository, commit, path)? else {
        return Ok(Vec::new());
    };
    let folder = objects::tree(repository, id)?;
    let named = |entry: git2::TreeEntry<'_>| {
        let found = TreeEntry { id: entry.id().into(), kind: tree::kind(&entry) };
        Some((tree::name(&entry)?.to_owned(), found))
    };
    let mut entries: Vec<(String, TreeEntry)> = folder.iter().filter_map(named).collect();
    entries.sort();
    Ok(entries)
}

fn log(
    repository: &Repository,
    head: Option<ObjectId>,
    after: Option<ObjectId>,
) -> Result<Vec<LedgerCommit>, GitError> {
    let mut commits = Vec::new();
    let mut next = head;
    while next != after {
        let Some(id) = next else {
            return after.map_or(Ok(Vec::new()), |id| Err(GitError::NotInHistory { id }));
        };
        let commit = objects::commit(repository, id)?;
        let (message, time) = (lossy(commit.message_bytes()), commit.time().seconds());
        commits.push(LedgerCommit { id, message, time });
        next = commit.parent_id(0).ok().map(ObjectId::from);
    }
    commits.reverse();
    Ok(commits)
}
