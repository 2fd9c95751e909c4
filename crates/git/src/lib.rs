//! Reads sources (refs, history, trees, watching) and writes the ledger's objects; knows no pack.
//!
//! Three doors lead to Git: [`SourceRepository`] reads a repository that somebody else owns, [`Mirror`] fetches one
//! from another machine, [`Ledger`] writes the one that the registry owns. Nothing here looks inside a file, runs a
//! hook or a filter, follows a link or a submodule, or touches a work tree: bytes come from the object database alone.
//! Sizes are asked before anything is loaded.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

mod changes;
mod clone;
mod error;
mod history;
mod index;
mod ledger;
mod object_id;
mod objects;
mod open;
mod packs;
mod refs;
mod remote;
mod setup;
mod source;
mod tree;
mod walk;
mod watch;

#[cfg(test)]
mod tests;

pub use changes::{Change, Changes};
pub use clone::is_branch_name;
pub use error::GitError;
pub use history::History;
pub use ledger::{Content, Edit, Ledger, LedgerCommit, Pushed, without_credentials};
pub use object_id::{NotAnObjectId, ObjectId};
pub use pack::tree::EntryKind;
pub use packs::Maintenance;
pub use refs::{Branch, Head, RefSnapshot, Tag};
pub use remote::{Credentials, FetchFailure, FetchLimits, Fetched, Mirror, Remote, authorities};
pub use source::{CommitInfo, SourceRepository};
pub use tree::{CommitTree, TreeEntry};
pub use walk::{FileEntry, Files};
pub use watch::Watcher;
