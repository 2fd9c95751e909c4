//! Folds a list of edits into the folders that they touch.

use std::collections::BTreeMap;

use crate::GitError;

/// One file to write or to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The path from the root, as [`Ledger::check_path`](crate::Ledger::check_path) wants it.
    pub path: String,
    /// The new content. None removes the file, or the whole folder, that stands at the path; removing what is not
    /// there changes nothing.
    pub content: Option<Content>,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Its exact bytes.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

impl Edit {
    /// Writes a file that may not be run.
    pub fn write(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Edit {
        Edit { path: path.into(), content: Some(Content { bytes: bytes.into(), executable: false }) }
    }

    /// Removes a file, or a whole folder.
    pub fn remove(path: impl Into<String>) -> Edit {
        Edit { path: path.into(), content: None }
    }
}

/// What happens to one folder.
#[derive(Default)]
pub(super) struct Folder<'edit> {
    /// Whether everything that stood in it goes first.
    pub(super) is_cleared: bool,
    pub(super) children: BTreeMap<&'edit str, Node<'edit>>,
}

/// What happens to one name of a folder.
pub(super) enum Node<'edit> {
    Write(&'edit Content),
    Remove,
    Inside(Folder<'edit>),
}

/// Folds edits, of which a later one at the same path wins, into the root folder. The order of a removal and of
/// writes below it does not matter: what was there goes, what is written stays.
pub(super) fn fold(edits: &[Edit]) -> Result<Folder<'_>, GitError> {
    let mut root = Folder::default();
    for edit in edits {
        check_path(&edit.path)?;
        root.add(edit, &edit.path)?;
    }
    Ok(root)
}

impl<'edit> Folder<'edit> {
    fn add(&mut self, edit: &'edit Edit, rest: &'edit str) -> Result<(), GitError> {
        let Some((name, rest)) = rest.split_once('/') else { return self.end(edit, rest) };
        let node = self.children.entry(name).or_insert_with(|| Node::Inside(Folder::default()));
        if matches!(node, Node::Remove) {
            *node = Node::Inside(Folder { is_cleared: true, ..Folder::default() });
        }
        match node {
            Node::Inside(folder) => folder.add(edit, rest),
            Node::Write(_) if edit.content.is_some() => Err(conflict(edit)),
            Node::Write(_) | Node::Remove => Ok(()),
        }
    }

    fn end(&mut self, edit: &'edit Edit, name: &'edit str) -> Result<(), GitError> {
        let existing = self.children.get_mut(name);
        let node = match (&edit.content, existing) {
            (Some(_), Some(Node::Inside(folder))) if folder.writes() => return Err(conflict(edit)),
            (Some(content), _) => Node::Write(content),
            (None, Some(Node::Inside(folder))) => {
                folder.is_cleared = true;
                return Ok(());
            }
            (None, _) => Node::Remove,
        };
        self.children.insert(name, node);
        Ok(())
    }

    fn writes(&self) -> bool {
        self.children.values().any(|node| match node {
            Node::Write(_) => true,
            Node::Remove => false,
            Node::Inside(folder) => folder.writes(),
        })
    }
}

fn conflict(edit: &Edit) -> GitError {
    refuse(&edit.path, "a file and a folder of this name are written at once")
}

/// Refuses what a tree cannot hold, or what `git fsck` and Git hosts would refuse later.
pub(super) fn check_path(path: &str) -> Result<(), GitError> {
    const PATH_BYTES: usize = 4096;
    if path.len() > PATH_BYTES {
        return Err(refuse(path, "it has more than 4096 bytes"));
    }
    for part in path.split('/') {
        if matches!(part, "" | "." | "..") {
            return Err(refuse(path, "a part of it is empty, `.` or `..`"));
        }
        if part.contains('\0') {
            return Err(refuse(path, "it contains a null character"));
        }
        if part.split('\\').any(is_dot_git) {
            return Err(refuse(path, "a part of it means `.git` to some file system"));
        }
    }
    Ok(())
}

/// Whether some file system takes the name for `.git`: Windows ignores case, trailing spaces and dots and what
/// follows a colon, and knows a short name; macOS ignores case and certain invisible characters.
fn is_dot_git(name: &str) -> bool {
    let is_ignored = |character: char| matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let on_macos: String = name.chars().filter(|character| !is_ignored(*character)).collect();
    let on_windows = name.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']);
    on_macos.eq_ignore_ascii_case(".git")
        || on_windows.eq_ignore_ascii_case(".git")
        || on_windows.eq_ignore_ascii_case("git~1")
}

pub(super) fn refuse(path: &str, reason: &str) -> GitError {
    GitError::Edit { path: path.to_owned(), reason: reason.to_owned() }
}
