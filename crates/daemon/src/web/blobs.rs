//! Immutable things of the ledger, kept in memory up to a number of bytes.
//!
//! Whoever asks has found the release in a snapshot first, so that nothing is served out of here that the reader may
//! not see or that was removed.

use std::sync::Arc;

use axum::body::Bytes;
use pack::Digest;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use registry::Release;
use registry::release::{Form, SkillFile};
use store::{ReleaseRow, Store};

use super::pool::blocking;
use super::problem::{Kind, Problem};

/// How many bytes of forms, files and reports are kept.
const MOST_BYTES: u64 = 64 << 20;

/// How many bytes of records are kept, as they stand in the ledger.
const MOST_RECORD_BYTES: u64 = 16 << 20;

/// What an entry is the bytes of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// A form or file, by its own digest.
    Exact(Digest),
    /// The report of the release with that source.
    Report(Digest),
    /// The schema file at a path of the repository, of the release with that source.
    SchemaFile(Digest, String),
}

#[derive(Debug, Clone)]
struct ByLength;

impl Weighter<Key, Bytes> for ByLength {
    fn weight(&self, _: &Key, bytes: &Bytes) -> u64 {
        bytes.len() as u64 + 64
    }
}

impl Weighter<Digest, Arc<Release>> for ByLength {
    fn weight(&self, _: &Digest, release: &Arc<Release>) -> u64 {
        let files: usize = release.skills.iter().map(|skill| skill.files.len()).sum();
        let texts = release.summary.prompts.len() + release.summary.tools.len() + release.skills.len();
        (1024 + 256 * (files + texts)) as u64
    }
}

/// The cache in front of the ledger.
pub(crate) struct Blobs {
    store: Arc<Store>,
    bytes: Cache<Key, Bytes, ByLength>,
    records: Cache<Digest, Arc<Release>, ByLength>,
}

impl Blobs {
    /// An empty cache in front of the ledger of `store`.
    pub(crate) fn new(store: Arc<Store>) -> Blobs {
        Blobs {
            store,
            bytes: Cache::with_weighter(10_000, MOST_BYTES, ByLength),
            records: Cache::with_weighter(2_000, MOST_RECORD_BYTES, ByLength),
        }
    }

    /// The bytes of a form, which have that digest.
    pub(crate) async fn form(
        &self,
        row: &Arc<ReleaseRow>,
        form: Form,
        digest: Digest,
    ) -> Result<Bytes, Problem> {
        let (store, row) = (self.store.clone(), row.clone());
        let read = move || store.form(&row, form)?.ok_or_else(|| damaged(&row.folder()));
        self.bytes_of(Key::Exact(digest), read).await
    }

    /// The bytes of a skill's file.
    pub(crate) async fn file(&self, row: &ReleaseRow, file: &SkillFile) -> Result<Bytes, Problem> {
        let (store, digest) = (self.store.clone(), file.digest);
        let path = format!("{}/{}", row.folder(), file.ledger_path);
        let read = move || {
            let bytes = store.read(&path)?;
            bytes.filter(|bytes| Digest::of(bytes) == digest).ok_or_else(|| damaged(&path))
        };
        self.bytes_of(Key::Exact(digest), read).await
    }

    /// The bytes of a schema file that the pack refers to, by its path in the repository.
    pub(crate) async fn schema_file(&self, row: &ReleaseRow, path: &str) -> Result<Bytes, Problem> {
        let key = Key::SchemaFile(row.digest(), path.to_owned());
        let (store, path) = (self.store.clone(), format!("{}/files/{path}", row.folder()));
        let read = move || store.read(&path)?.ok_or_else(|| damaged(&path));
        self.bytes_of(key, read).await
    }

    /// The report of a release, as it stands in the ledger.
    pub(crate) async fn report(&self, row: &ReleaseRow) -> Result<Bytes, Problem> {
        let (store, path) = (self.store.clone(), format!("{}/report.json", row.folder()));
        let read = move || store.read(&path)?.ok_or_else(|| damaged(&path));
        self.bytes_of(Key::Report(row.digest()), read).await
    }

    /// The full record of a release.
    pub(crate) async fn release(&self, row: &Arc<ReleaseRow>) -> Result<Arc<Release>, Problem> {
        let (store, row) = (self.store.clone(), row.clone());
        // A source's bytes hold id and version, so that their digest names one release.
        let load = |row: Arc<ReleaseRow>| blocking(move || Ok(Arc::new(store.release(&row)?)));
        self.records.get_or_insert_async(&row.digest(), load(row.clone())).await
    }

    async fn bytes_of(
        &self,
        key: Key,
        read: impl FnOnce() -> Result<Vec<u8>, Problem> + Send + 'static,
    ) -> Result<Bytes, Problem> {
        let load = blocking(move || read().map(Bytes::from));
        self.bytes.get_or_insert_async(&key, load).await
    }
}

fn damaged(path: &str) -> Problem {
    tracing::error!(path, "the ledger does not hold the bytes that were published");
    Problem::new(Kind::Internal, "the registry could not read its own state")
}
