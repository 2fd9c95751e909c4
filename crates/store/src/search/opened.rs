//! Opening the files of the index: nothing of them may be missing or damaged.

use std::path::{Path, PathBuf};

use tantivy::index::SegmentComponent;
use tantivy::schema::Schema;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError};

use crate::error::{StoreError, search as failed, without_panic};

/// Memory that the one writer thread may use, in bytes.
const WRITER_BUDGET: usize = 20 << 20;

/// The files that every segment has. A reader takes a segment without one of them for an empty one.
const PARTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
];

/// The length of the shortest footer of a file, in bytes. Tantivy panics as it checks a shorter file.
const SHORTEST: u64 = 8;

/// An index that was opened.
pub(super) struct Opened {
    pub(super) writer: IndexWriter,
    pub(super) reader: IndexReader,
    /// The head of the ledger that it reflects.
    pub(super) head: Option<String>,
}

impl Opened {
    /// The index in a folder, or an empty one in its place.
    pub(super) fn or_anew(path: &Path, schema: &Schema) -> Result<Opened, StoreError> {
        // Tantivy asserts what damaged files need not keep.
        let opened = without_panic(|| Opened::at(path, schema)).unwrap_or_else(|| Err(damaged("its files")));
        opened.or_else(|error| {
            tracing::warn!(%error, "the search index does not open and is rebuilt");
            Opened::anew(path, schema)
        })
    }

    /// The index in a folder, when nothing of it is missing or damaged.
    fn at(path: &Path, schema: &Schema) -> Result<Opened, StoreError> {
        let directory = tantivy::directory::MmapDirectory::open(path)
            .map_err(|error| failed("open the folder")(error.into()))?;
        let index = Index::open_or_create(directory, schema.clone()).map_err(failed("open"))?;
        let metas = index.load_metas().map_err(failed("read its state"))?;
        let mut files = metas.segments.iter().flat_map(|meta| PARTS.map(|part| meta.relative_path(part)));
        let too_short = |file: &PathBuf| !path.join(file).metadata().is_ok_and(|meta| meta.len() >= SHORTEST);
        if let Some(file) = files.find(too_short) {
            return Err(damaged(&file.display().to_string()));
        }
        let broken = index.validate_checksum().map_err(failed("check its files"))?;
        if let Some(file) = broken.iter().next() {
            return Err(damaged(&file.display().to_string()));
        }
        let writer = index.writer_with_num_threads(1, WRITER_BUDGET).map_err(failed("start the writer"))?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        Ok(Opened { writer, reader: reader.map_err(failed("start the reader"))?, head: metas.payload })
    }

    /// An empty index in place of whatever the folder holds.
    pub(super) fn anew(path: &Path, schema: &Schema) -> Result<Opened, StoreError> {
        let emptied = match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::create_dir_all(path),
        };
        emptied.map_err(|source| StoreError::Folder { path: path.to_owned(), source })?;
        Opened::at(path, schema)
    }
}

fn damaged(what: &str) -> StoreError {
    failed("check its files")(TantivyError::SystemError(format!("missing or damaged: {what}")))
}
