//! Compares the files of two commits.
//!
//! Two trees are walked side by side, and folders with equal ids are never opened, so that the cost grows with what
//! differs. libgit2's own tree difference is not used: it costs a thousand times more on wide trees.

use std::cmp::Ordering;

use git2::Repository;
use pack::tree::EntryKind;

use crate::{GitError, ObjectId, TreeEntry, objects, tree, walk};

/// How many entries may differ between two commits of a source: far above the largest honest import, and low enough
/// that a tree which was folded to unpack endlessly ends early.
pub(crate) const SOURCE_LIMIT: usize = 500_000;

/// One path that differs between two commits; never a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path from the root.
    pub path: String,
    /// What stood there; none when it is new.
    pub old: Option<TreeEntry>,
    /// What stands there; none when it is gone.
    pub new: Option<TreeEntry>,
}

/// Everything that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files, links and submodules that differ, sorted by path.
    pub changes: Vec<Change>,
    /// Paths that differ and were left out, sorted; see [`Files::unreadable`](crate::Files::unreadable).
    pub unreadable: Vec<String>,
}

/// Compares two commits; without `old`, everything in `new` is new. Fails when more than `limit` entries differ.
pub(crate) fn between(
    repository: &Repository,
    old: Option<ObjectId>,
    new: ObjectId,
    limit: usize,
) -> Result<Changes, GitError> {
    let root = |commit| Ok(objects::commit(repository, commit)?.tree_id().into());
    let old = old.map(root).transpose()?;
    let new = root(new)?;
    let mut comparison =
        Comparison { repository, tree: new, limit, visited: 0, open: Vec::new(), found: Changes::default() };
    comparison.descend(String::new(), old, Some(new));
    while let Some(pair) = comparison.open.pop() {
        comparison.compare(&pair)?;
    }
    comparison.found.changes.sort();
    comparison.found.unreadable.sort();
    Ok(comparison.found)
}

struct Comparison<'repository> {
    repository: &'repository Repository,
    tree: ObjectId,
    limit: usize,
    visited: usize,
    open: Vec<FolderPair>,
    found: Changes,
}

/// The two states of one folder, of which one may be missing.
struct FolderPair {
    path: String,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
}

impl Comparison<'_> {
    /// Steps through both states of a folder in git's order, taking from whichever side is behind.
    fn compare(&mut self, pair: &FolderPair) -> Result<(), GitError> {
        let load = |id| objects::tree(self.repository, id);
        let (old_tree, new_tree) = (pair.old.map(load).transpose()?, pair.new.map(load).transpose()?);
        let mut olds = old_tree.iter().flat_map(git2::Tree::iter).peekable();
        let mut news = new_tree.iter().flat_map(git2::Tree::iter).peekable();
        loop {
            let (old, new) = match (olds.peek(), news.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => (olds.next(), None),
                (None, Some(_)) => (None, news.next()),
                (Some(old), Some(new)) => match order(old, new) {
                    Ordering::Less => (olds.next(), None),
                    Ordering::Equal => (olds.next(), news.next()),
                    Ordering::Greater => (None, news.next()),
                },
            };
            self.pair(&pair.path, old.as_ref(), new.as_ref())?;
        }
    }

    /// Handles one name of a folder. Both sides, where there are two, are folders or none is: see [`order`].
    fn pair(
        &mut self,
        folder: &str,
        old: Option<&git2::TreeEntry<'_>>,
        new: Option<&git2::TreeEntry<'_>>,
    ) -> Result<(), GitError> {
        let Some(named) = new.or(old) else { return Ok(()) };
        let state =
            |entry: &git2::TreeEntry<'_>| TreeEntry { id: entry.id().into(), kind: tree::kind(entry) };
        let (old, new) = (old.map(state), new.map(state));
        if old == new {
            return Ok(());
        }
        self.visited += 1;
        if self.visited > self.limit {
            return Err(GitError::TooManyFiles { tree: self.tree, limit: self.limit });
        }
        match walk::path_of(folder, named) {
            Err(unreadable) => self.found.unreadable.push(unreadable),
            Ok(path) if tree::kind(named) == EntryKind::Folder => {
                self.descend(path, old.map(|old| old.id), new.map(|new| new.id));
            }
            Ok(path) => self.found.changes.push(Change { path, old, new }),
        }
        Ok(())
    }

    fn descend(&mut self, path: String, old: Option<ObjectId>, new: Option<ObjectId>) {
        if old != new {
            self.open.push(FolderPair { path, old, new });
        }
    }
}

/// Git's order of the entries of a folder: by bytes, with a `/` after the names of folders. A folder and a file of
/// the same name are therefore different entries.
fn order(one: &git2::TreeEntry<'_>, other: &git2::TreeEntry<'_>) -> Ordering {
    let end = |entry: &git2::TreeEntry<'_>| (tree::kind(entry) == EntryKind::Folder).then_some(b'/');
    let (one_name, other_name) = (one.name_bytes(), other.name_bytes());
    let common = one_name.len().min(other_name.len());
    one_name[..common].cmp(&other_name[..common]).then_with(|| {
        let rest = |name: &[u8], end: Option<u8>| name.get(common).copied().or(end);
        let next = (rest(one_name, end(one)), rest(other_name, end(other)));
        next.0.cmp(&next.1).then_with(|| one_name.len().cmp(&other_name.len()))
    })
}
