//! The cache: bytes by their digest, so that what stands there can only be right or damaged, never outdated.

use std::fs;
use std::path::{Path, PathBuf};

use registry::Digest;

use crate::error::ClientError;
use crate::lock::write_whole;

/// A folder of bytes by digest.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in that folder, which is made when something is put there.
    pub fn new(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned() }
    }

    /// The bytes of a digest; none where they are absent or damaged.
    pub fn get(&self, digest: Digest) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(digest)).ok()?;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    /// Keeps bytes.
    ///
    /// # Errors
    /// [`ClientError::Io`]
    pub fn put(&self, bytes: &[u8]) -> Result<(), ClientError> {
        let path = self.path(Digest::of(bytes));
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(|source| ClientError::Io {
            operation: "make",
            path: folder.to_owned(),
            source,
        })?;
        write_whole(&path, bytes)
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let hex = digest.hex();
        self.folder.join("sha256").join(&hex[..2]).join(&hex[2..])
    }
}
