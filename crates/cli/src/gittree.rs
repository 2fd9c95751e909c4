//! The files of one commit as an owned [`Tree`]: it keeps its repository open, so that it can go anywhere.

use std::rc::Rc;

use git::{ObjectId, SourceRepository};
use pack::tree::{Entry, Tree, Unreadable};

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
