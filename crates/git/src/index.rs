//! The index: which files of the work tree Git tracks.

use crate::{GitError, SourceRepository};

impl SourceRepository {
    /// The paths that the index holds at and below the folder `below` (empty for everything), sorted.
    ///
    /// Paths that are not UTF-8 are left out, and so are files of submodules.
    ///
    /// # Errors
    /// [`GitError::Open`] when the index cannot be read.
    pub fn tracked(&self, below: &str) -> Result<Vec<String>, GitError> {
        let failed = |source| GitError::Open { path: self.git_dir().join("index"), source };
        let index = self.repository.index().map_err(failed)?;
        let is_below = |path: &str| match path.strip_prefix(below) {
            Some(rest) => below.is_empty() || rest.starts_with('/'),
            None => false,
        };
        let mut paths: Vec<String> = index
            .iter()
            .filter_map(|entry| String::from_utf8(entry.path).ok())
            .filter(|path| is_below(path))
            .collect();
        // A path in conflict stands there several times.
        paths.dedup();
        Ok(paths)
    }
}
