//! The folder of an export: each file is whole or not there, and what does not belong to it goes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{ExportError, files_below};

/// The file that marks the folder as one of an export.
const MARK: &str = ".packhouse-export";
const MARK_TEXT: &str = "`packhouse ledger export` made this folder. Whatever stands below `v1/` and is not published is removed by it.\n";
/// Where a file is written before it is put in its place.
const NEW: &str = ".packhouse-new";

/// The folder, and what was put into it.
pub(super) struct Folder {
    path: PathBuf,
    kept: BTreeSet<PathBuf>,
    written: usize,
}

impl Folder {
    /// Opens a folder that an export made, or makes one where there is none or an empty one.
    pub(super) fn open(path: &Path) -> Result<Folder, ExportError> {
        let mark = path.join(MARK);
        if !mark.exists() {
            fs::create_dir_all(path).map_err(failed(path))?;
            if fs::read_dir(path).map_err(failed(path))?.next().is_some() {
                return Err(ExportError::Foreign { path: path.to_owned() });
            }
            fs::write(&mark, MARK_TEXT).map_err(failed(&mark))?;
        }
        Ok(Folder { path: path.to_owned(), kept: BTreeSet::new(), written: 0 })
    }

    /// Puts a file at a path below the folder, where it does not stand as it should.
    pub(super) fn write(&mut self, below: &Path, bytes: &[u8]) -> Result<(), ExportError> {
        let path = self.path.join(below);
        if !self.kept.insert(path.clone()) || fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(&self.path);
        fs::create_dir_all(parent).map_err(failed(parent))?;
        let new = self.path.join(NEW);
        fs::write(&new, bytes).map_err(failed(&new))?;
        fs::rename(&new, &path).map_err(failed(&path))?;
        self.written += 1;
        Ok(())
    }

    /// How many files belong to the export.
    pub(super) fn files(&self) -> usize {
        self.kept.len()
    }

    /// How many of them were written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Takes out what does not belong to the export; gives how many files that were.
    pub(super) fn remove_others(&self) -> Result<usize, ExportError> {
        let top = self.path.join("v1");
        if !top.exists() {
            return Ok(0);
        }
        let there = files_below(&top).map_err(failed(&top))?;
        let others: Vec<&PathBuf> = there.difference(&self.kept).collect();
        for path in &others {
            fs::remove_file(path).map_err(failed(path))?;
            // The folders that it leaves empty; one that is not stays.
            for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.path) {
                if fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
        Ok(others.len())
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_owned();
    move |source| ExportError::File { path, source }
}
