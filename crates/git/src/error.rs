//! Everything that can go wrong between this crate and the disk.

use std::io;
use std::path::PathBuf;

use crate::{FetchFailure, ObjectId};

/// Why a repository, a ref, an object, a watch or the ledger did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Nothing stands at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Something stands at the path, but no Git repository.
    #[error("`{}` is not a git repository", path.display())]
    NotARepository {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The repository uses a format that this build cannot read.
    #[error("`{}` uses {what}, which cannot be read here", path.display())]
    Unsupported {
        /// The path that was asked for.
        path: PathBuf,
        /// The format, for people: `SHA-256 objects`, `reftable references`.
        what: String,
    },
    /// The repository could not be opened for another reason.
    #[error("cannot open the repository `{}`", path.display())]
    Open {
        /// The path that was asked for.
        path: PathBuf,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// The repository has more branches and tags than it may have.
    #[error("the repository has more than {limit} branches and tags")]
    TooManyRefs {
        /// How many it may have.
        limit: usize,
    },
    /// A tree, or the difference of two, has more entries than it may have.
    #[error("tree {tree} has more than {limit} entries")]
    TooManyFiles {
        /// The root tree.
        tree: ObjectId,
        /// How many entries it may have, folders counted.
        limit: usize,
    },
    /// A revision names no commit.
    #[error("`{revision}` names no commit")]
    UnknownRevision {
        /// What was asked for.
        revision: String,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// An object is not in the repository, as happens in shallow, partial and damaged ones.
    #[error("{kind} {id} is not in the repository")]
    MissingObject {
        /// What it should be: `commit`, `tree`, `blob`, `object`.
        kind: &'static str,
        /// The object.
        id: ObjectId,
    },
    /// An object is there and could not be read.
    #[error("cannot read {kind} {id}")]
    Object {
        /// What it should be: `commit`, `tree`, `blob`, `object`.
        kind: &'static str,
        /// The object.
        id: ObjectId,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// An object is larger than it may be.
    #[error("object {id} has {size} bytes, more than {limit}")]
    TooLarge {
        /// The object.
        id: ObjectId,
        /// How many bytes it has.
        size: u64,
        /// How many it may have.
        limit: u64,
    },
    /// The history between commits could not be walked.
    #[error("cannot walk the history of commit {id}")]
    History {
        /// Where the walk began.
        id: ObjectId,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// A reference could not be read or moved.
    #[error("cannot {operation} `{reference}`")]
    Reference {
        /// What was tried: `read`, `list`, `move`.
        operation: &'static str,
        /// The reference, or a pattern.
        reference: String,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// The operating system does not watch the path.
    #[error("cannot watch `{}`", path.display())]
    Watch {
        /// The path.
        path: PathBuf,
        /// What notify says.
        #[source]
        source: notify::Error,
    },
    /// Another process writes this ledger.
    #[error("another process writes the ledger `{}`", path.display())]
    Locked {
        /// The ledger.
        path: PathBuf,
    },
    /// The ledger was opened for reading.
    #[error("the ledger `{}` is open for reading only", path.display())]
    ReadOnly {
        /// The ledger.
        path: PathBuf,
    },
    /// The branch of the ledger does not stand where its writer left it.
    #[error("the ledger has moved away from {}", name(expected))]
    Moved {
        /// Where it was expected; none before the first commit.
        expected: Option<ObjectId>,
    },
    /// A commit does not belong to the ledger's history, as after a rewind.
    #[error("commit {id} is not in the ledger's history")]
    NotInHistory {
        /// The commit.
        id: ObjectId,
    },
    /// A commit without edits was asked for.
    #[error("a ledger commit needs at least one edit")]
    NoEdits,
    /// An edit that no tree can hold.
    #[error("cannot write `{path}` to the ledger: {reason}")]
    Edit {
        /// The path of the edit.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// New objects of the ledger could not be written.
    #[error("cannot {operation} in the ledger `{}`", path.display())]
    Write {
        /// What was tried.
        operation: &'static str,
        /// The ledger.
        path: PathBuf,
        /// What libgit2 says.
        #[source]
        source: git2::Error,
    },
    /// A file or folder of the ledger could not be handled.
    #[error("cannot {operation} `{}`", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// A remote did not answer, or refused.
    #[error("cannot {operation} `{remote}`: {output}")]
    Remote {
        /// What was being done.
        operation: &'static str,
        /// The remote, without name and password.
        remote: String,
        /// The line that git printed about it.
        output: String,
    },
    /// No `git` is installed.
    #[error("no `git` is installed, which the ledger's remote needs")]
    NoGitBinary,
    /// A remote repository could not be fetched.
    #[error("cannot fetch {url}")]
    Fetch {
        /// Its address, which holds no secret.
        url: String,
        /// What is in the way.
        #[source]
        failure: Box<FetchFailure>,
    },
    /// `git repack` ended with an error.
    #[error("`git repack` failed in `{}`: {output}", path.display())]
    Repack {
        /// The ledger.
        path: PathBuf,
        /// The last line that it printed.
        output: String,
    },
}

impl GitError {
    /// Names a failed read of `id`, which should be a `kind`.
    pub(crate) fn object(kind: &'static str, id: git2::Oid, source: git2::Error) -> GitError {
        let id = ObjectId::from(id);
        match source.code() {
            git2::ErrorCode::NotFound => GitError::MissingObject { kind, id },
            _ => GitError::Object { kind, id, source },
        }
    }

    /// Names a failed walk that began at `id`.
    pub(crate) fn history(id: ObjectId, source: git2::Error) -> GitError {
        GitError::History { id, source }
    }

    /// Names a failed operation on a reference.
    pub(crate) fn reference(operation: &'static str, reference: &str, source: git2::Error) -> GitError {
        GitError::Reference { operation, reference: reference.to_owned(), source }
    }
}

fn name(expected: &Option<ObjectId>) -> String {
    expected.map_or_else(|| "its empty state".to_owned(), |id| id.to_string())
}
