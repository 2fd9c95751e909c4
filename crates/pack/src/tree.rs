//! The files around a pack, wherever they come from.
//!
//! A commit, a work tree and an editor's overlay implement [`Tree`]; everything that judges a pack reads files
//! through it alone. Paths are relative to the root of the repository, separated by `/`, without `.` or `..`;
//! the empty path is the root. Nothing behind a link is ever followed.

use std::collections::BTreeMap;
use std::fmt;

/// Files and folders of one state of a repository.
pub trait Tree {
    /// Reads a whole file.
    ///
    /// # Errors
    /// Says why there are no bytes: see [`Unreadable`].
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable>;

    /// Lists a folder, sorted by name.
    ///
    /// # Errors
    /// Says why there is no list: see [`Unreadable`].
    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable>;

    /// Where the symbolic link at `path` points, as it is written; for saying so, never for following it.
    ///
    /// # Errors
    /// Says why there is no such text; a tree that does not keep it answers [`Unreadable::Missing`].
    fn link(&self, path: &str) -> Result<String, Unreadable> {
        let _ = path;
        Err(Unreadable::Missing)
    }
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The last part of its path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Whether it may be run.
        executable: bool,
    },
    /// A folder.
    Folder,
    /// A symbolic link, never followed.
    Link,
    /// A commit of another repository, never entered.
    Submodule,
    /// Something whose name cannot be read, so that no path leads there.
    Nameless,
}

/// Why a path gives no bytes or no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing stands there.
    Missing,
    /// Something else stands there: a folder where a file was asked for, a link, a submodule.
    Other(EntryKind),
    /// The file is larger than the limit, both in bytes.
    TooLarge {
        /// How large it is.
        size: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The folder holds more files than the limit.
    TooMany {
        /// How many it may hold.
        limit: usize,
    },
    /// The world failed; the text says how.
    Failed(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Missing => formatter.write_str("nothing stands there"),
            Unreadable::Other(EntryKind::File { .. }) => formatter.write_str("it is a file"),
            Unreadable::Other(EntryKind::Folder) => formatter.write_str("it is a folder"),
            Unreadable::Other(EntryKind::Link) => {
                formatter.write_str("it is a symbolic link, which is never followed")
            }
            Unreadable::Other(EntryKind::Submodule) => {
                formatter.write_str("it is a submodule, which is never entered")
            }
            Unreadable::Other(EntryKind::Nameless) => {
                formatter.write_str("its name is not UTF-8, or is none that a file may have")
            }
            Unreadable::TooLarge { size, limit } => {
                write!(formatter, "it has {size} bytes, more than {limit}")
            }
            Unreadable::TooMany { limit } => write!(formatter, "it holds more than {limit} files"),
            Unreadable::Failed(reason) => formatter.write_str(reason),
        }
    }
}

impl std::error::Error for Unreadable {}

/// A tree without files, for a pack that comes alone (standard input, an HTTP body).
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTree;

impl Tree for NoTree {
    fn read(&self, _: &str) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::Missing)
    }

    fn list(&self, _: &str) -> Result<Vec<Entry>, Unreadable> {
        Err(Unreadable::Missing)
    }
}

/// A tree held in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryTree {
    entries: BTreeMap<String, (EntryKind, Vec<u8>)>,
}

impl MemoryTree {
    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.insert_as(path, EntryKind::File { executable: false }, bytes);
    }

    /// Adds or replaces an entry of any kind but a folder; folders exist where something stands below them.
    /// The bytes of a link are the path that it points to.
    pub fn insert_as(&mut self, path: impl Into<String>, kind: EntryKind, bytes: impl Into<Vec<u8>>) {
        self.entries.insert(path.into(), (kind, bytes.into()));
    }
}

impl Tree for MemoryTree {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        match self.entries.get(path) {
            Some((EntryKind::File { .. }, bytes)) => Ok(bytes.clone()),
            Some((kind, _)) => Err(Unreadable::Other(*kind)),
            None if self.list(path).is_ok() => Err(Unreadable::Other(EntryKind::Folder)),
            None => Err(Unreadable::Missing),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut entries = BTreeMap::new();
        for (entry, (kind, _)) in self.entries.range(prefix.clone()..) {
            let Some(rest) = entry.strip_prefix(&prefix) else { break };
            let (name, kind) = match rest.split_once('/') {
                Some((folder, _)) => (folder, EntryKind::Folder),
                None => (rest, *kind),
            };
            entries.insert(name.to_owned(), kind);
        }
        if entries.is_empty() && !path.is_empty() {
            return Err(self
                .entries
                .get(path)
                .map_or(Unreadable::Missing, |(kind, _)| Unreadable::Other(*kind)));
        }
        Ok(entries.into_iter().map(|(name, kind)| Entry { name, kind }).collect())
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        match self.entries.get(path) {
            Some((EntryKind::Link, target)) => Ok(String::from_utf8_lossy(target).into_owned()),
            Some((kind, _)) => Err(Unreadable::Other(*kind)),
            None => Err(Unreadable::Missing),
        }
    }
}

/// Joins `relative` onto the folder `base`; none when the result would leave the root or is absolute.
pub fn join(base: &str, relative: &str) -> Option<String> {
    if relative.starts_with('/') || relative.contains('\\') || relative.contains('\0') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder that holds `path`: everything before the last `/`.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether `path` starts at the root of a machine instead of the folder that it is written in.
pub fn is_absolute(path: &str) -> bool {
    let drive = |letter: u8, colon: u8| letter.is_ascii_alphabetic() && colon == b':';
    path.starts_with(['/', '\\'])
        || matches!(path.as_bytes(), [letter, colon, b'/' | b'\\', ..] if drive(*letter, *colon))
}

/// Whether the relative path `relative`, seen from the folder `base`, leads above the root of the tree.
///
/// A backslash separates folders too: on some machines it does.
pub fn leaves(base: &str, relative: &str) -> bool {
    !is_absolute(relative) && !relative.contains('\0') && join(base, &relative.replace('\\', "/")).is_none()
}

/// The first part of `path` that is a symbolic link: nothing behind it is read.
pub fn link_on(tree: &dyn Tree, path: &str) -> Option<String> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut parts = ends.map(|end| &path[..end]).filter(|part| !part.is_empty());
    let link = |part: &&str| tree.list(part) == Err(Unreadable::Other(EntryKind::Link));
    parts.find(link).map(str::to_owned)
}

/// One file below a folder, as [`files_below`] finds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileBelow {
    /// Its path from the root of the tree.
    pub path: String,
    /// Whether it may be run.
    pub executable: bool,
}

/// Everything below a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Below {
    /// The files, sorted by path.
    pub files: Vec<FileBelow>,
    /// Links, submodules and what has no readable name: left out, sorted by path.
    pub skipped: Vec<(String, EntryKind)>,
}

/// Collects the files below `path`, a folder or a single file, up to `limit` of them.
///
/// # Errors
/// [`Unreadable`] of the first folder that could not be listed; [`Unreadable::TooMany`] when there are more than
/// `limit`.
pub fn files_below(tree: &dyn Tree, path: &str, limit: usize) -> Result<Below, Unreadable> {
    let mut below = Below::default();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = match tree.list(&folder) {
            Ok(entries) => entries,
            Err(Unreadable::Other(EntryKind::File { executable })) if folder == path => {
                below.files.push(FileBelow { path: folder, executable });
                break;
            }
            Err(error) => return Err(error),
        };
        for entry in entries {
            let path = if folder.is_empty() { entry.name } else { format!("{folder}/{}", entry.name) };
            match entry.kind {
                EntryKind::Folder => open.push(path),
                EntryKind::File { executable } => below.files.push(FileBelow { path, executable }),
                kind => below.skipped.push((path, kind)),
            }
        }
        if below.files.len() > limit {
            return Err(Unreadable::TooMany { limit });
        }
    }
    below.files.sort();
    below.skipped.sort();
    Ok(below)
}
