//! Remembers releases and answers look-ups and searches; the only writer of state.
//!
//! The ledger is the truth; rows in sled and the index in tantivy follow it and can be rebuilt. A batch is durable in
//! the ledger before anybody is told: then come the rows, the snapshot that handlers read, and the search index. A
//! crash between any two of these steps loses nothing: what is behind the ledger is caught up when it is opened.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

mod administer;
mod archive;
mod catch_up;
mod delivery;
mod error;
mod form;
mod index;
mod ledger;
mod published;
mod row;
mod search;
mod searching;
mod snapshot;
mod source;
mod store;
mod upstream;
mod verify;

#[cfg(test)]
mod tests;

pub use archive::StoreArchive;
pub use delivery::Delivered;
pub use error::{StoreError, with_causes};
pub use ledger::Batch;
pub use published::Published;
pub use row::{ReleaseRow, SourceRecord};
pub use search::{Facet, Hit, Hits, SearchQuery};
pub use snapshot::{Found, NotFound, PackEntry, Reader, Snapshot};
pub use source::{ScanSummary, SourceState};
pub use store::{Options, Store, rebuild};
pub use upstream::{Role, Upstream};
pub use verify::{Damage, Remedy, Verified, verify};
