//! Writes a commit of the ledger: one pack file, then the branch.
//!
//! New objects are collected in memory and only they go into the pack: libgit2's own dump of the memory would repeat
//! every tree, and loose objects cost ten times the space. Each commit is made through a fresh handle, so that a
//! failed one leaves nothing behind.

use std::collections::BTreeSet;

use git2::{Commit, ErrorCode, Odb, OdbLookupFlags, Oid, Repository, Signature, Time, Tree};

use super::edits::{self, Content, Edit, Folder, Node};
use super::{BRANCH, Ledger};
use crate::{GitError, ObjectId, objects, open};

const AUTHOR: (&str, &str) = ("packhouse", "packhouse@localhost");
const FILE: i32 = 0o100644;
const EXECUTABLE: i32 = 0o100755;
const FOLDER: i32 = 0o040000;
/// Above the priorities of libgit2's own backends, so that everything new is written to memory.
const MEMORY_FIRST: i32 = 1000;
const PACK_MODE: u32 = 0o444;

impl Ledger {
    /// Records edits as one commit on the newest one, with the time in seconds since 1970. It is on disk, and the
    /// branch has moved, when this returns.
    ///
    /// # Errors
    /// [`GitError::ReadOnly`], [`GitError::NoEdits`], [`GitError::Edit`], [`GitError::Write`], or
    /// [`GitError::Moved`] when something else moved the branch meanwhile.
    pub fn append(&mut self, edits: &[Edit], message: &str, time: i64) -> Result<ObjectId, GitError> {
        let head = self.head()?;
        let commit = self.commit_on(head, edits, message, time)?;
        self.move_head(head, commit)?;
        Ok(commit)
    }

    /// Writes the objects of a commit on `parent`, flushed, without moving the branch: for a ledger whose commits are
    /// pushed before they count.
    ///
    /// # Errors
    /// As [`Ledger::append`], except for [`GitError::Moved`].
    pub fn commit_on(
        &mut self,
        parent: Option<ObjectId>,
        edits: &[Edit],
        message: &str,
        time: i64,
    ) -> Result<ObjectId, GitError> {
        self.refuse_reader()?;
        if edits.is_empty() {
            return Err(GitError::NoEdits);
        }
        let root = edits::fold(edits)?;
        let memory = open::open_bare(&self.path)?;
        let odb = memory.odb().map_err(|source| self.failed("open the objects", source))?;
        odb.add_new_mempack_backend(MEMORY_FIRST).map_err(|source| self.failed("collect objects", source))?;
        let disk = self.repository.borrow();
        let known = disk.odb().and_then(|known| known.refresh().map(|()| known));
        let known = known.map_err(|source| self.failed("open the objects", source))?;
        let mut writer =
            Writer { ledger: self, memory: &memory, odb, known, new: BTreeSet::new(), order: Vec::new() };
        let commit = writer.commit(parent, &root, message, time)?;
        writer.write_pack()?;
        Ok(commit.into())
    }

    /// Moves the branch from `expected` to the commit `to`, flushed.
    ///
    /// # Errors
    /// [`GitError::Moved`] when the branch does not stand at `expected`; [`GitError::ReadOnly`],
    /// [`GitError::MissingObject`], [`GitError::Object`], [`GitError::Reference`].
    pub fn move_head(&mut self, expected: Option<ObjectId>, to: ObjectId) -> Result<(), GitError> {
        self.refuse_reader()?;
        self.reading(|repository| objects::commit(repository, to).map(|_| ()))?;
        let repository = self.repository.borrow();
        let moved = match expected {
            Some(expected) => repository.reference_matching(BRANCH, to.oid(), true, expected.oid(), ""),
            None => repository.reference(BRANCH, to.oid(), false, ""),
        };
        match moved {
            Ok(_) => Ok(()),
            Err(source)
                if matches!(source.code(), ErrorCode::Modified | ErrorCode::Exists | ErrorCode::NotFound) =>
            {
                Err(GitError::Moved { expected })
            }
            Err(source) => Err(GitError::reference("move", BRANCH, source)),
        }
    }

    /// Tells why the ledger cannot hold a file at `path`: a part of it is empty, `.`, `..` or means `.git` to some
    /// file system, or it is too long.
    ///
    /// # Errors
    /// [`GitError::Edit`] with the reason.
    pub fn check_path(path: &str) -> Result<(), GitError> {
        edits::check_path(path)
    }
}

/// Collects the new objects of one commit.
struct Writer<'ledger> {
    ledger: &'ledger Ledger,
    memory: &'ledger Repository,
    odb: Odb<'ledger>,
    /// What is on disk, without the objects in memory.
    known: Odb<'ledger>,
    new: BTreeSet<Oid>,
    order: Vec<Oid>,
}

impl Writer<'_> {
    fn commit(
        &mut self,
        parent: Option<ObjectId>,
        root: &Folder<'_>,
        message: &str,
        time: i64,
    ) -> Result<Oid, GitError> {
        let parent = parent.map(|parent| objects::commit(self.memory, parent)).transpose()?;
        let old_root =
            parent.as_ref().map(|parent| objects::tree(self.memory, parent.tree_id().into())).transpose()?;
        let (tree, _) = self.folder(old_root.as_ref(), root)?;
        let parents: Vec<&Commit<'_>> = parent.iter().collect();
        let written = Signature::new(AUTHOR.0, AUTHOR.1, &Time::new(time, 0)).and_then(|signature| {
            let tree = self.memory.find_tree(tree)?;
            self.memory.commit(None, &signature, &signature, message, &tree, &parents)
        });
        let commit = written.map_err(|source| self.ledger.failed("write a commit", source))?;
        self.collect(commit);
        Ok(commit)
    }

    /// Writes the new state of a folder and of everything below it; tells whether it is empty.
    fn folder(&mut self, old: Option<&Tree<'_>>, folder: &Folder<'_>) -> Result<(Oid, bool), GitError> {
        let old = old.filter(|_| !folder.is_cleared);
        let fail = |source| self.ledger.failed("write a folder", source);
        let mut builder = self.memory.treebuilder(old).map_err(fail)?;
        for (name, node) in &folder.children {
            let entry = match node {
                Node::Write(content) => Some((self.blob(content)?, mode(content))),
                Node::Remove => None,
                Node::Inside(inside) => match self.inside(old, name, inside)? {
                    Inside::Folder(id) => Some((id, FOLDER)),
                    Inside::Nothing => None,
                    Inside::Untouched => continue,
                },
            };
            let fail = |source: git2::Error| edits::refuse(name, source.message());
            match entry {
                Some((id, mode)) => builder.insert(*name, id, mode).map(|_| ()).map_err(fail)?,
                None if builder.get(*name).map_err(fail)?.is_some() => builder.remove(*name).map_err(fail)?,
                None => {}
            }
        }
        let fail = |source| self.ledger.failed("write a folder", source);
        let (id, is_empty) = (builder.write().map_err(fail)?, builder.is_empty());
        self.collect(id);
        Ok((id, is_empty))
    }

    fn inside(
        &mut self,
        old: Option<&Tree<'_>>,
        name: &str,
        inside: &Folder<'_>,
    ) -> Result<Inside, GitError> {
        let entry = old.and_then(|old| old.get_name(name));
        let is_other = entry.as_ref().is_some_and(|entry| entry.filemode() != FOLDER);
        let old = match entry {
            Some(entry) if !is_other => Some(objects::tree(self.memory, entry.id().into())?),
            _ => None,
        };
        let (id, is_empty) = self.folder(old.as_ref(), inside)?;
        Ok(match is_empty {
            false => Inside::Folder(id),
            true if is_other && !inside.is_cleared => Inside::Untouched,
            true => Inside::Nothing,
        })
    }

    fn blob(&mut self, content: &Content) -> Result<Oid, GitError> {
        let id = ObjectId::of_blob(&content.bytes).oid();
        if !self.is_known(id) {
            let written = self.odb.write(git2::ObjectType::Blob, &content.bytes);
            written.map_err(|source| self.ledger.failed("write a file", source))?;
            self.collect(id);
        }
        Ok(id)
    }

    fn is_known(&self, id: Oid) -> bool {
        self.known.exists_ext(id, OdbLookupFlags::NO_REFRESH)
    }

    fn collect(&mut self, id: Oid) {
        if !self.is_known(id) && self.new.insert(id) {
            self.order.push(id);
        }
    }

    /// Writes the collected objects, the commit first, as one pack file with its index, both flushed.
    fn write_pack(&self) -> Result<(), GitError> {
        let folder = self.ledger.path.join("objects").join("pack");
        let written = self.memory.packbuilder().and_then(|mut builder| {
            builder.set_threads(1);
            self.order.iter().rev().try_for_each(|id| builder.insert_object(*id, None))?;
            builder.write(&folder, PACK_MODE)
        });
        written.map_err(|source| self.ledger.failed("write a pack file", source))
    }
}

/// What an edit inside a folder comes to.
enum Inside {
    Folder(Oid),
    Nothing,
    /// A removal below something that is no folder: nothing was there to remove.
    Untouched,
}

fn mode(content: &Content) -> i32 {
    if content.executable { EXECUTABLE } else { FILE }
}
