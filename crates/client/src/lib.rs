//! Asks a registry: fetch, verify, search.
//!
//! The room is synchronous and knows HTTP, but neither Git nor a store. Bytes are handed out only after their digest
//! was verified; answers are bounded in size and time. It never prints and reads no environment.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

mod cache;
mod change;
mod documents;
mod error;
mod http;
mod lock;
mod url;

#[cfg(test)]
mod tests;

pub use cache::Cache;
pub use change::Deed;
pub use documents::{
    Facet, Hit, Manifest, ManifestFile, ManifestForm, ManifestSkill, PackDocument, RemovedEntry,
    SearchResult, VersionEntry,
};
pub use error::ClientError;
pub use http::{Client, Fetched, SearchQuery};
pub use lock::{Lock, LockedPack};
pub use registry::Form;
