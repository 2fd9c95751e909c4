//! The files around an open pack: what the editor holds, over what stands on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pack::tree::{Entry, EntryKind, Tree, Unreadable};

/// The largest file that is read, in bytes.
const LIMIT: u64 = 16 << 20;

/// A folder on disk with the texts of the editor in front of it.
#[derive(Debug)]
pub(crate) struct Overlay<'o> {
    root: PathBuf,
    open: &'o BTreeMap<PathBuf, String>,
}

impl<'o> Overlay<'o> {
    /// The repository that holds `file`, or its own folder where there is none.
    pub(crate) fn around(file: &Path, open: &'o BTreeMap<PathBuf, String>) -> Overlay<'o> {
        let folder = file.parent().unwrap_or(file);
        let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
        Overlay { root: repository.unwrap_or(folder).to_owned(), open }
    }

    /// The path of a file from the root, with `/` between its parts.
    pub(crate) fn relative(&self, file: &Path) -> String {
        let below = file.strip_prefix(&self.root).unwrap_or(file);
        let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/")
    }

    /// What stands at a path; a link on the way is never followed.
    fn kind(&self, path: &str) -> Result<(PathBuf, EntryKind), Unreadable> {
        let mut at = self.root.clone();
        let mut kind = EntryKind::Folder;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            if kind != EntryKind::Folder {
                return Err(if kind == EntryKind::Link {
                    Unreadable::Other(kind)
                } else {
                    Unreadable::Missing
                });
            }
            at.push(part);
            let metadata = fs::symlink_metadata(&at).map_err(|_| Unreadable::Missing)?;
            kind = kind_of(&metadata);
        }
        Ok((at, kind))
    }
}

fn kind_of(metadata: &fs::Metadata) -> EntryKind {
    if metadata.is_symlink() {
        EntryKind::Link
    } else if metadata.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::File { executable: false }
    }
}

impl Tree for Overlay<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        if let Some(text) = self.open.get(&self.root.join(path)) {
            return Ok(text.clone().into_bytes());
        }
        let (file, kind) = self.kind(path)?;
        if !matches!(kind, EntryKind::File { .. }) {
            return Err(Unreadable::Other(kind));
        }
        let size = fs::metadata(&file).map_err(|error| Unreadable::Failed(error.to_string()))?.len();
        if size > LIMIT {
            return Err(Unreadable::TooLarge { size, limit: LIMIT });
        }
        fs::read(&file).map_err(|error| Unreadable::Failed(error.to_string()))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        let (folder, kind) = self.kind(path)?;
        if kind != EntryKind::Folder {
            return Err(Unreadable::Other(kind));
        }
        let entries = fs::read_dir(&folder).map_err(|error| Unreadable::Failed(error.to_string()))?;
        let mut listed: Vec<Entry> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name() != ".git")
            .filter_map(|entry| {
                let kind = kind_of(&fs::symlink_metadata(entry.path()).ok()?);
                Some(Entry { name: entry.file_name().to_string_lossy().into_owned(), kind })
            })
            .collect();
        listed.sort();
        Ok(listed)
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        match self.kind(path)? {
            (link, EntryKind::Link) => {
                let target = fs::read_link(&link).map_err(|error| Unreadable::Failed(error.to_string()))?;
                Ok(target.to_string_lossy().into_owned())
            }
            (_, other) => Err(Unreadable::Other(other)),
        }
    }
}
