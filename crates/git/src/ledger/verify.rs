//! Reads every object of the ledger and compares it with its name.

use std::collections::HashSet;

use git2::{Odb, Oid, Repository};
use pack::tree::EntryKind;

use super::Ledger;
use crate::source::lossy;
use crate::{GitError, open, tree};

impl Ledger {
    /// Hashes every object that is reachable from the newest commit again. Each damage names the object and the path
    /// or commit at which it was met first; an empty list says that all is well. A pack file that was removed while
    /// this process had it open is still read: the surest check is one from a new process.
    ///
    /// # Errors
    /// [`GitError::Open`] or [`GitError::Reference`]: damaged objects are results, not errors.
    pub fn verify(&self) -> Result<Vec<String>, GitError> {
        let Some(head) = self.head()? else { return Ok(Vec::new()) };
        // A fresh handle, whose cache of objects is empty.
        let repository = open::open_bare(&self.path)?;
        let odb = repository.odb().map_err(|source| self.failed("open the objects", source))?;
        let mut verification =
            Verification { repository: &repository, odb, seen: HashSet::new(), damage: Vec::new() };
        verification.commits(head.oid());
        Ok(verification.damage)
    }
}

struct Verification<'repository> {
    repository: &'repository Repository,
    odb: Odb<'repository>,
    seen: HashSet<Oid>,
    damage: Vec<String>,
}

impl Verification<'_> {
    fn commits(&mut self, head: Oid) {
        let mut open = vec![head];
        while let Some(id) = open.pop() {
            if !self.is_sound(id, "commit", "the history") {
                continue;
            }
            match self.repository.find_commit(id) {
                Ok(commit) => {
                    self.folders(commit.tree_id(), id);
                    open.extend(commit.parent_ids());
                }
                Err(error) => self.damage.push(format!("commit {id}: {}", error.message())),
            }
        }
    }

    fn folders(&mut self, root: Oid, commit: Oid) {
        let mut open = vec![(String::new(), root)];
        while let Some((path, id)) = open.pop() {
            let place =
                if path.is_empty() { format!("the root of commit {commit}") } else { format!("`{path}`") };
            if !self.is_sound(id, "tree", &place) {
                continue;
            }
            match self.repository.find_tree(id) {
                Ok(folder) => self.entries(&path, &folder, &mut open),
                Err(error) => self.damage.push(format!("tree {id} at {place}: {}", error.message())),
            }
        }
    }

    fn entries(&mut self, folder: &str, entries: &git2::Tree<'_>, open: &mut Vec<(String, Oid)>) {
        for entry in entries.iter() {
            let name = lossy(entry.name_bytes());
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            match tree::kind(&entry) {
                EntryKind::Folder => open.push((path, entry.id())),
                EntryKind::File { .. } | EntryKind::Link => {
                    self.is_sound(entry.id(), "blob", &format!("`{path}`"));
                }
                EntryKind::Nameless => self.damage.push(format!("`{path}` has no readable name")),
                EntryKind::Submodule => self.damage.push(format!("`{path}` is a submodule")),
            }
        }
    }

    /// Reads and hashes an object that was not seen before; false when it was, or when it is damaged.
    fn is_sound(&mut self, id: Oid, kind: &str, place: &str) -> bool {
        if !self.seen.insert(id) {
            return false;
        }
        let problem = match self.odb.read(id) {
            Err(error) => error.message().to_owned(),
            Ok(object) if object.kind().str() != kind => format!("it is a {}", object.kind()),
            Ok(object) => match Oid::hash_object(object.kind(), object.data()) {
                Ok(hash) if hash == id => return true,
                Ok(hash) => format!("its bytes have the id {hash}"),
                Err(error) => error.message().to_owned(),
            },
        };
        self.damage.push(format!("{kind} {id} at {place}: {problem}"));
        false
    }
}
