//! The files on disk as a [`Tree`].
//!
//! It is rooted at the repository (outside of one, at the nearest `packhouse.toml` or at the folder of the linted
//! path). Nothing above the root is read, and no link is followed below it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pack::tree::{Entry, EntryKind, Tree, Unreadable};
use registry::settings::FILE_NAME;

/// How many bytes a file may have to be read: far above every limit of a pack.
pub const FILE_BYTES: u64 = 64 << 20;

/// The files below one folder.
#[derive(Debug, Clone)]
pub struct WorkTree {
    root: PathBuf,
    in_repository: bool,
}

impl WorkTree {
    /// The tree that the file or folder `path` belongs to. `path` must be absolute and free of links.
    pub fn around(path: &Path) -> WorkTree {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
        let settings = || folder.ancestors().find(|folder| folder.join(FILE_NAME).is_file());
        let root = repository.or_else(settings).unwrap_or(folder);
        WorkTree { root: root.to_owned(), in_repository: repository.is_some() }
    }

    /// The folder at which it is rooted.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the root is a Git repository.
    pub fn in_repository(&self) -> bool {
        self.in_repository
    }

    /// The path of an absolute `path` from the root, with `/`; none where it lies outside or is not UTF-8.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let parts: Option<Vec<&str>> =
            path.strip_prefix(&self.root).ok()?.iter().map(|part| part.to_str()).collect();
        Some(parts?.join("/"))
    }

    /// Finds what stands at `path`, unless a link or a repository stands on the way.
    fn locate(&self, path: &str) -> Result<(PathBuf, fs::Metadata), Unreadable> {
        let mut found = self.root.clone();
        let mut metadata = fs::symlink_metadata(&found).map_err(failed)?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            match kind(&found, &metadata, &self.root) {
                EntryKind::Folder => {}
                EntryKind::File { .. } => return Err(Unreadable::Missing),
                other => return Err(Unreadable::Other(other)),
            }
            if part == ".." || part == "." {
                return Err(Unreadable::Missing);
            }
            found.push(part);
            metadata = fs::symlink_metadata(&found).map_err(failed)?;
        }
        Ok((found, metadata))
    }
}

impl Tree for WorkTree {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        let (found, metadata) = self.locate(path)?;
        match kind(&found, &metadata, &self.root) {
            EntryKind::File { .. } => read_limited(&found, &metadata),
            other => Err(Unreadable::Other(other)),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        let (found, metadata) = self.locate(path)?;
        match kind(&found, &metadata, &self.root) {
            EntryKind::Folder => {}
            other => return Err(Unreadable::Other(other)),
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(&found).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = match entry.file_name().into_string() {
                Ok(name) if name == ".git" => continue,
                Ok(name) => name,
                Err(name) => {
                    let name = name.to_string_lossy().into_owned();
                    entries.push(Entry { name, kind: EntryKind::Nameless });
                    continue;
                }
            };
            let metadata = entry.metadata().map_err(failed)?;
            entries.push(Entry { name, kind: kind(&entry.path(), &metadata, &self.root) });
        }
        entries.sort();
        Ok(entries)
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        let (found, metadata) = self.locate(path)?;
        match kind(&found, &metadata, &self.root) {
            EntryKind::Link => Ok(fs::read_link(&found).map_err(failed)?.to_string_lossy().into_owned()),
            other => Err(Unreadable::Other(other)),
        }
    }
}

/// What a path is; a folder that holds a repository of its own counts as a submodule.
fn kind(path: &Path, metadata: &fs::Metadata, root: &Path) -> EntryKind {
    if metadata.is_symlink() {
        EntryKind::Link
    } else if !metadata.is_dir() {
        EntryKind::File { executable: is_executable(metadata) }
    } else if path != root && path.join(".git").exists() {
        EntryKind::Submodule
    } else {
        EntryKind::Folder
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

fn read_limited(path: &Path, metadata: &fs::Metadata) -> Result<Vec<u8>, Unreadable> {
    if metadata.len() > FILE_BYTES {
        return Err(Unreadable::TooLarge { size: metadata.len(), limit: FILE_BYTES });
    }
    if !metadata.is_file() {
        return Err(Unreadable::Failed("it is a pipe, a socket or a device, not a file".to_owned()));
    }
    fs::read(path).map_err(failed)
}

fn failed(error: io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreadable::Missing,
        _ => Unreadable::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_above_the_root_or_behind_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path").join("root");
        fs::create_dir_all(root.join(".git")).expect("a folder");
        fs::create_dir_all(root.join("packs")).expect("a folder");
        fs::write(root.join("packs/a.json"), "{}").expect("a file");
        fs::write(root.join("../outside"), "secret").expect("a file");
        let tree = WorkTree::around(&root.join("packs"));
        assert_eq!(tree.read("packs/a.json"), Ok(b"{}".to_vec()));
        assert_eq!(tree.read("../outside"), Err(Unreadable::Missing));
        assert_eq!(tree.read("packs/a.json/b"), Err(Unreadable::Missing));
        assert_eq!(tree.list("").expect("a list").len(), 1);
        #[cfg(unix)]
        {
            std::os::unix::net::UnixListener::bind(root.join("socket")).expect("a socket");
            assert!(matches!(tree.read("socket"), Err(Unreadable::Failed(_))));
            std::os::unix::fs::symlink("../outside", root.join("link")).expect("a link");
            assert_eq!(tree.read("link"), Err(Unreadable::Other(EntryKind::Link)));
            assert_eq!(tree.link("link"), Ok("../outside".to_owned()));
        }
    }
}
