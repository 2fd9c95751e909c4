//! What can fail while state is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// A failure of the world behind the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another daemon works with the state folder.
    #[error("the state folder {} is locked by another packhouse", path.display())]
    Locked {
        /// The state folder.
        path: PathBuf,
    },
    /// Another batch took a version or an id since this one was judged: it has to be judged again.
    #[error("{id} was taken by another source in the meantime")]
    Taken {
        /// The pack's id.
        id: String,
    },
    /// The ledger's remote does not answer, so that nothing can be published.
    #[error("the ledger's remote is away, and publishing waits for it")]
    Remote {
        /// What Git said.
        source: git::GitError,
    },
    /// The ledger's remote stands before what it held, or beside it.
    #[error(
        "the ledger's remote {remote} was set back to {at}: what is here is served on; bring the remote back, or \
         accept it with `--accept-rewind COMMIT`"
    )]
    Rewound {
        /// The remote, without name and password.
        remote: String,
        /// Where it stands.
        at: String,
    },
    /// Another writer pushed first: what was judged before has to be judged again.
    #[error("another writer has pushed to the ledger's remote")]
    Overtaken,
    /// A follower does not write.
    #[error("this registry follows another one, which alone can change anything")]
    Follower,
    /// There is no such pack.
    #[error("there is no pack {id}")]
    NoSuchPack {
        /// The pack's id.
        id: String,
    },
    /// The pack has no such release, or its bytes were removed before.
    #[error("{id} has no release {version}")]
    NoSuchRelease {
        /// The pack's id.
        id: String,
        /// The version.
        version: semver::Version,
    },
    /// What is asked for contradicts what is released, or what the pack's repository says.
    #[error("{id}: {conflict}{}", declared_in(source_name, commit.as_deref()))]
    Conflict {
        /// The pack's id.
        id: String,
        /// What stands in the way.
        conflict: registry::status::StatusConflict,
        /// The source of the pack.
        source_name: String,
        /// The commit whose `packhouse.toml` says otherwise, where one does.
        commit: Option<String>,
    },
    /// The state folder cannot be made or read.
    #[error("state folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The ledger cannot be read or written.
    #[error("ledger: {operation}")]
    Ledger {
        /// What was being done.
        operation: String,
        /// What Git said.
        source: git::GitError,
    },
    /// A record of the ledger cannot be read.
    #[error("ledger record {path}: {reason}")]
    Record {
        /// Its path in the ledger.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The look-up rows cannot be read or written.
    #[error("look-up rows: {operation}")]
    Index {
        /// What was being done.
        operation: &'static str,
        /// What sled said.
        source: sled::Error,
    },
    /// The search index cannot be read or written.
    #[error("search index: {operation}")]
    Search {
        /// What was being done.
        operation: &'static str,
        /// What tantivy said.
        source: tantivy::TantivyError,
    },
}

fn declared_in(source: &str, commit: Option<&str>) -> String {
    commit.map_or_else(String::new, |commit| {
        format!(", in packhouse.toml at commit {commit} of the source {source}: change it there")
    })
}

/// Names the operation of a failed call on the ledger.
pub(crate) fn ledger(operation: impl Into<String>) -> impl FnOnce(git::GitError) -> StoreError {
    let operation = operation.into();
    move |source| StoreError::Ledger { operation, source }
}

/// Names the operation of a failed call on the look-up rows.
pub(crate) fn index(operation: &'static str) -> impl FnOnce(sled::Error) -> StoreError {
    move |source| StoreError::Index { operation, source }
}

/// Names the operation of a failed call on the search index.
pub(crate) fn search(operation: &'static str) -> impl FnOnce(tantivy::TantivyError) -> StoreError {
    move |source| StoreError::Search { operation, source }
}

/// Runs what a library does with files that may be damaged; none where it panics instead of saying so.
pub(crate) fn without_panic<T>(ask: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(ask)).ok()
}

/// The text of an error with those of its causes.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}
