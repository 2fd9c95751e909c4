//! Collects everything below a folder.

use git2::Repository;
use pack::tree::EntryKind;

use crate::source::lossy;
use crate::{GitError, ObjectId, objects, tree};

/// How many bytes a path may have, as on Linux: deeper nesting is never an accident.
const PATH_BYTES: usize = 4096;

/// A file, link or submodule of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEntry {
    /// Its path from the root.
    pub path: String,
    /// The blob, or, of a submodule, the commit in another repository.
    pub id: ObjectId,
    /// What it is; never a folder.
    pub kind: EntryKind,
}

/// Everything below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// Files, links and submodules, sorted by path.
    pub files: Vec<FileEntry>,
    /// What was left out, sorted: paths that are not UTF-8 (shown with replacement characters), that have more than
    /// 4096 bytes (shown without their middle), or that hold a part such as `..`.
    pub unreadable: Vec<String>,
}

/// Collects everything below the folder `id`, whose path from the root is `path`.
pub(crate) fn files(
    repository: &Repository,
    path: &str,
    id: ObjectId,
    limit: usize,
) -> Result<Files, GitError> {
    let mut collected = Files::default();
    let mut open = vec![(path.to_owned(), id)];
    let mut visited = 0_usize;
    while let Some((folder, folder_id)) = open.pop() {
        let folder_tree = objects::tree(repository, folder_id)?;
        visited += folder_tree.len();
        if visited > limit {
            return Err(GitError::TooManyFiles { tree: id, limit });
        }
        for entry in folder_tree.iter() {
            match (path_of(&folder, &entry), tree::kind(&entry)) {
                (Err(unreadable), _) => collected.unreadable.push(unreadable),
                (Ok(path), EntryKind::Folder) => open.push((path, entry.id().into())),
                (Ok(path), kind) => collected.files.push(FileEntry { path, id: entry.id().into(), kind }),
            }
        }
    }
    collected.files.sort();
    collected.unreadable.sort();
    Ok(collected)
}

/// The path of an entry of `folder`, or, as an error, how to show one that cannot be read.
pub(crate) fn path_of(folder: &str, entry: &git2::TreeEntry<'_>) -> Result<String, String> {
    let join = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    match tree::name(entry) {
        Some(name) if folder.len() + 1 + name.len() <= PATH_BYTES => Ok(join(name)),
        _ => Err(shown(&join(&lossy(entry.name_bytes())))),
    }
}

/// A path as a person may see it: only its ends where it is very long.
fn shown(path: &str) -> String {
    const ENDS: usize = 120;
    let mut characters: Vec<char> = path.chars().collect();
    if characters.len() > 2 * ENDS {
        characters.splice(ENDS..characters.len() - ENDS, ['…']);
    }
    characters.into_iter().collect()
}
