//! The files of one commit as an owned [`Tree`]: it keeps its repository open, so that it can go anywhere.

use std::collections::HashMap;
use std::rc::Rc;

use git::{EntryKind, ObjectId, SourceRepository};
use pack::tree::{Entry, Tree, Unreadable};
use registry::discover::ChangedFile;

/// The files of one commit.
#[derive(Clone)]
pub struct GitTree {
    repository: Rc<SourceRepository>,
    commit: ObjectId,
}

impl GitTree {
    /// The files of `commit`.
    pub fn new(repository: Rc<SourceRepository>, commit: ObjectId) -> GitTree {
        GitTree { repository, commit }
    }

    fn with<T>(&self, ask: impl FnOnce(&dyn Tree) -> Result<T, Unreadable>) -> Result<T, Unreadable> {
        match self.repository.tree(self.commit) {
            Ok(tree) => ask(&tree),
            Err(error) => Err(Unreadable::Failed(error.to_string())),
        }
    }
}

impl Tree for GitTree {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        self.with(|tree| tree.read(path))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        self.with(|tree| tree.list(path))
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        self.with(|tree| tree.link(path))
    }
}

/// Contents that are at hand, by the ids that Git gives them.
#[derive(Default)]
pub struct Contents(HashMap<String, Vec<u8>>);

impl Contents {
    /// Remembers these contents.
    pub fn of<'b>(contents: impl Iterator<Item = &'b [u8]>) -> Contents {
        Contents(contents.map(|bytes| (ObjectId::of_blob(bytes).to_string(), bytes.to_vec())).collect())
    }
}

/// A tree of which nothing is read again that is at hand: most files of a base are those of HEAD.
pub struct Recalling<'t> {
    tree: &'t dyn Tree,
    known: HashMap<&'t str, &'t [u8]>,
}

impl<'t> Recalling<'t> {
    /// The tree in which `files` stand.
    pub fn new(tree: &'t dyn Tree, files: &'t [ChangedFile], contents: &'t Contents) -> Recalling<'t> {
        let known = files.iter().filter_map(|file| match &file.now {
            Some((EntryKind::File { .. }, id)) => Some((file.path.as_str(), contents.0.get(id)?.as_slice())),
            _ => None,
        });
        Recalling { tree, known: known.collect() }
    }
}

impl Tree for Recalling<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        self.known.get(path).map_or_else(|| self.tree.read(path), |bytes| Ok(bytes.to_vec()))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        self.tree.list(path)
    }

    fn link(&self, path: &str) -> Result<String, Unreadable> {
        self.tree.link(path)
    }
}
