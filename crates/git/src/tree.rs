//! The files of one commit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use git2::Repository;
use pack::tree::{Entry, EntryKind, Tree, Unreadable};

use crate::{Files, GitError, ObjectId, objects, walk};

/// How many bytes a file may have when nobody says otherwise.
const FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How many folders of one commit are kept at hand.
const REMEMBERED_FOLDERS: usize = 64;

/// The files of one commit, read from the object database.
///
/// Nothing behind a link or a submodule is read: such a path answers [`Unreadable::Other`] with what stands in the
/// way. Names that are not UTF-8 cannot be asked for and are not listed; [`CommitTree::walk_files`] counts them.
pub struct CommitTree<'repository> {
    repository: &'repository Repository,
    root: git2::Tree<'repository>,
    /// Folders that were read: libgit2 forgets large ones at once, and reading one again costs more than the file.
    folders: RefCell<HashMap<ObjectId, git2::Tree<'repository>>>,
    limit: u64,
}

/// What stands at a path of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeEntry {
    /// The blob, the tree, or, of a submodule, the commit in another repository.
    pub id: ObjectId,
    /// What it is.
    pub kind: EntryKind,
}

enum Located {
    At(TreeEntry),
    /// Something that is no folder stands on the way.
    Behind(EntryKind),
    Nothing,
}

impl<'repository> CommitTree<'repository> {
    pub(crate) fn new(repository: &'repository Repository, root: git2::Tree<'repository>) -> Self {
        CommitTree { repository, root, folders: RefCell::default(), limit: FILE_BYTES }
    }

    /// Changes how many bytes a file may have to be read; 16 MiB otherwise.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        CommitTree { limit: bytes, ..self }
    }

    /// The id of the root folder: equal for commits with equal files.
    pub fn id(&self) -> ObjectId {
        self.root.id().into()
    }

    /// Tells what stands at `path`; none when nothing does. The empty path is the root.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`] of a folder on the way.
    pub fn entry(&self, path: &str) -> Result<Option<TreeEntry>, GitError> {
        match self.locate(path)? {
            Located::At(entry) => Ok(Some(entry)),
            Located::Behind(_) | Located::Nothing => Ok(None),
        }
    }

    /// Collects all files, links and submodules, sorted by path.
    ///
    /// # Errors
    /// [`GitError::TooManyFiles`] when there are more than `limit` entries, folders counted;
    /// [`GitError::MissingObject`] or [`GitError::Object`] of a folder.
    pub fn walk_files(&self, limit: usize) -> Result<Files, GitError> {
        walk::files(self.repository, "", self.id(), limit)
    }

    fn folder(&self, id: ObjectId) -> Result<git2::Tree<'repository>, GitError> {
        let mut folders = self.folders.borrow_mut();
        if let Some(folder) = folders.get(&id) {
            return Ok(folder.clone());
        }
        let folder = objects::tree(self.repository, id)?;
        if folders.len() >= REMEMBERED_FOLDERS {
            folders.clear();
        }
        folders.insert(id, folder.clone());
        Ok(folder)
    }

    fn locate(&self, path: &str) -> Result<Located, GitError> {
        let mut found = TreeEntry { id: self.id(), kind: EntryKind::Folder };
        if path.is_empty() {
            return Ok(Located::At(found));
        }
        for name in path.split('/') {
            if found.kind != EntryKind::Folder {
                return Ok(Located::Behind(found.kind));
            }
            let folder = self.folder(found.id)?;
            match folder.get_name_bytes(name.as_bytes()) {
                Some(entry) => found = TreeEntry { id: entry.id().into(), kind: kind(&entry) },
                None => return Ok(Located::Nothing),
            }
        }
        Ok(Located::At(found))
    }

    fn locate_readable(&self, path: &str) -> Result<TreeEntry, Unreadable> {
        match self.locate(path).map_err(failed)? {
            Located::At(entry) => Ok(entry),
            Located::Behind(EntryKind::File { .. } | EntryKind::Folder) | Located::Nothing => {
                Err(Unreadable::Missing)
            }
            Located::Behind(kind) => Err(Unreadable::Other(kind)),
        }
    }
}

impl Tree for CommitTree<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        let entry = self.locate_readable(path)?;
        match entry.kind {
            EntryKind::File { .. } => objects::blob(self.repository, entry.id, self.limit).map_err(failed),
            other => Err(Unreadable::Other(other)),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        let entry = self.locate_readable(path)?;
        if entry.kind != EntryKind::Folder {
            return Err(Unreadable::Other(entry.kind));
        }
        let folder = objects::tree(self.repository, entry.id).map_err(failed)?;
        let mut entries: Vec<Entry> = folder.iter().map(|entry| listed(&entry)).collect();
        entries.sort();
        Ok(entries)
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        let entry = self.locate_readable(path)?;
        match entry.kind {
            EntryKind::Link => {
                let target = objects::blob(self.repository, entry.id, LINK_LIMIT).map_err(failed)?;
                Ok(String::from_utf8_lossy(&target).into_owned())
            }
            other => Err(Unreadable::Other(other)),
        }
    }
}

/// The longest target of a link that is read, in bytes; systems allow less.
const LINK_LIMIT: u64 = 64 * 1024;

impl fmt::Debug for CommitTree<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CommitTree").field("id", &self.id()).field("limit", &self.limit).finish()
    }
}

/// What an entry is, by its mode; modes that old versions of git wrote count as the nearest of today's.
pub(crate) fn kind(entry: &git2::TreeEntry<'_>) -> EntryKind {
    match entry.filemode() {
        0o040000 => EntryKind::Folder,
        0o120000 => EntryKind::Link,
        0o160000 => EntryKind::Submodule,
        mode => EntryKind::File { executable: mode & 0o111 != 0 },
    }
}

/// The name of an entry; none when it is not UTF-8, or could not be one part of a path, as only tampering gives.
pub(crate) fn name<'entry>(entry: &'entry git2::TreeEntry<'_>) -> Option<&'entry str> {
    let name = std::str::from_utf8(entry.name_bytes()).ok()?;
    let is_part_of_a_path = !matches!(name, "" | "." | "..") && !name.contains('/');
    is_part_of_a_path.then_some(name)
}

/// The entry as a folder lists it; a name that cannot be read stands there as far as it can.
fn listed(entry: &git2::TreeEntry<'_>) -> Entry {
    match name(entry) {
        Some(name) => Entry { name: name.to_owned(), kind: kind(entry) },
        None => {
            let name = String::from_utf8_lossy(entry.name_bytes()).replace('/', "\u{fffd}");
            Entry { name, kind: EntryKind::Nameless }
        }
    }
}

fn failed(error: GitError) -> Unreadable {
    match error {
        GitError::TooLarge { size, limit, .. } => Unreadable::TooLarge { size, limit },
        error => match error.source() {
            Some(source) => Unreadable::Failed(format!("{error}: {source}")),
            None => Unreadable::Failed(error.to_string()),
        },
    }
}
