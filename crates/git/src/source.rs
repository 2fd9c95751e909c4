//! A repository that somebody else owns, opened for reading.

use std::fmt;
use std::path::Path;

use git2::Repository;

use crate::{Changes, CommitTree, GitError, ObjectId, changes, objects, open};

/// A source's repository. It belongs to one thread and is cheap to open again.
pub struct SourceRepository {
    pub(crate) repository: Repository,
}

/// What a commit says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The commit.
    pub id: ObjectId,
    /// Its parents, the first one first; none for a root and at the edge of a shallow clone.
    pub parents: Vec<ObjectId>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The name of its author.
    pub author: String,
}

impl SourceRepository {
    /// Opens the repository that stands exactly at `path`: a work tree, its `.git`, or a bare one.
    ///
    /// # Errors
    /// [`GitError::Missing`], [`GitError::NotARepository`], [`GitError::Unsupported`] or [`GitError::Open`].
    pub fn open(path: &Path) -> Result<SourceRepository, GitError> {
        Ok(SourceRepository { repository: open::open(path)? })
    }

    /// Opens the repository that the file or folder `path` lies in.
    ///
    /// # Errors
    /// As [`SourceRepository::open`].
    pub fn discover(path: &Path) -> Result<SourceRepository, GitError> {
        Ok(SourceRepository { repository: open::discover(path)? })
    }

    /// The work tree; none in a bare repository.
    pub fn workdir(&self) -> Option<&Path> {
        self.repository.workdir()
    }

    /// The folder that holds `HEAD`: `.git`, the bare repository, or the folder of a linked work tree.
    pub fn git_dir(&self) -> &Path {
        self.repository.path()
    }

    /// The folder that holds refs and objects: other than [`git_dir`](Self::git_dir) in a linked work tree only.
    pub fn common_dir(&self) -> &Path {
        self.repository.commondir()
    }

    /// Reads what a commit says about itself.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn commit(&self, id: ObjectId) -> Result<CommitInfo, GitError> {
        let commit = objects::commit(&self.repository, id)?;
        Ok(CommitInfo {
            id,
            parents: commit.parent_ids().map(ObjectId::from).collect(),
            time: commit.time().seconds(),
            subject: lossy(commit.summary_bytes().unwrap_or_default()),
            author: lossy(commit.author().name_bytes()),
        })
    }

    /// Opens the files of a commit.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn tree(&self, commit: ObjectId) -> Result<CommitTree<'_>, GitError> {
        Ok(CommitTree::new(&self.repository, objects::root(&self.repository, commit)?))
    }

    /// Compares a commit with its first parent, or with nothing when it has none.
    ///
    /// # Errors
    /// As [`SourceRepository::changes_between`].
    pub fn changes(&self, commit: ObjectId) -> Result<Changes, GitError> {
        self.changes_between(self.first_parent(commit)?, commit)
    }

    /// Compares two commits; without `old`, everything in `new` is new.
    ///
    /// # Errors
    /// [`GitError::MissingObject`], [`GitError::Object`], or [`GitError::TooManyFiles`] when half a million
    /// entries differ.
    pub fn changes_between(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Changes, GitError> {
        changes::between(&self.repository, old, new, changes::SOURCE_LIMIT)
    }

    /// Loads a blob of at most `limit` bytes; its size is looked up before it is loaded.
    ///
    /// # Errors
    /// [`GitError::TooLarge`], [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn blob(&self, id: ObjectId, limit: u64) -> Result<Vec<u8>, GitError> {
        objects::blob(&self.repository, id, limit)
    }

    /// Tells how many bytes a blob has, without loading it.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn blob_size(&self, id: ObjectId) -> Result<u64, GitError> {
        objects::blob_size(&self.repository, id)
    }
}

impl fmt::Debug for SourceRepository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("SourceRepository").field(&self.git_dir()).finish()
    }
}

/// The text of bytes that should be UTF-8, with replacement characters where they are not.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
