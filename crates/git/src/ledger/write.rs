//! Writes a commit of the ledger: one pack file, then the branch.
//!
//! New objects are collected in a repository that is only in memory, and only they go into the pack: libgit2's own dump
//! of the memory would repeat every tree, loose objects cost ten times the space, and where the memory knew the disk,
//! each new object would have the folder of pack files listed. Each commit has a memory of its own, so that a failed
//! one leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use git2::{ConfigLevel, ErrorCode, ObjectType, Odb, OdbLookupFlags, Oid, PackBuilder, Repository, Tree};

use super::edits::{self, Content, Edit, Folder, Node};
use super::{BRANCH, Ledger};
use crate::{GitError, ObjectId, objects, open};

const AUTHOR: (&str, &str) = ("packhouse", "packhouse@localhost");
const FILE: i32 = 0o100644;
const EXECUTABLE: i32 = 0o100755;
const FOLDER: i32 = 0o040000;
const PACK_MODE: u32 = 0o444;
/// From how many bytes on a file is large.
const LARGE: usize = 2048;
/// From how many on large files that stand alone go into a pack file of their own.
const MANY: usize = 50;
/// The settings file under which no object is written as a difference from another one. libgit2 takes the size that it
/// caches for the size from which on it does not look for differences.
const PLAIN: (&str, &str) = ("plain.config", "[pack]\n\tdeltaCacheSize = 1\n");

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
        let disk = open::open_bare(&self.path)?;
        let memory = in_memory().map_err(|source| self.failed("collect objects", source))?;
        let odb = memory.odb().map_err(|source| self.failed("collect objects", source))?;
        let repository = self.repository.borrow();
        let known = repository.odb().and_then(|known| known.refresh().map(|()| known));
        let known = known.map_err(|source| self.failed("open the objects", source))?;
        let (new, order, alike) = Default::default();
        let mut writer = Writer { ledger: self, disk: &disk, memory: &memory, odb, known, new, order, alike };
        let commit = writer.commit(parent, &root, message, time)?;
        writer.write_packs()?;
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
    /// What stood before.
    disk: &'ledger Repository,
    memory: &'ledger Repository,
    /// The objects in memory.
    odb: Odb<'ledger>,
    /// Those on disk.
    known: Odb<'ledger>,
    new: BTreeSet<Oid>,
    order: Vec<Oid>,
    /// New large files by what makes them alike: their name and that of the folder above their own.
    alike: BTreeMap<(String, String), Vec<Oid>>,
}

impl Writer<'_> {
    fn commit(
        &mut self,
        parent: Option<ObjectId>,
        root: &Folder<'_>,
        message: &str,
        time: i64,
    ) -> Result<Oid, GitError> {
        let old = parent.map(|parent| objects::commit(self.disk, parent)).transpose()?;
        let old_root = old.map(|old| objects::tree(self.disk, old.tree_id().into())).transpose()?;
        let (tree, _) = self.folder(old_root.as_ref(), root, ["", ""])?;
        let parent = parent.map(|parent| format!("parent {parent}\n")).unwrap_or_default();
        let by = format!("{} <{}> {time} +0000", AUTHOR.0, AUTHOR.1);
        let text = format!("tree {tree}\n{parent}author {by}\ncommitter {by}\n\n{message}");
        let written = self.odb.write(ObjectType::Commit, text.as_bytes());
        let commit = written.map_err(|source| self.ledger.failed("write a commit", source))?;
        self.collect(commit);
        Ok(commit)
    }

    /// Writes the new state of a folder and of everything below it; tells whether it is empty. `names` are those of
    /// the folder above it and its own.
    fn folder(
        &mut self,
        old: Option<&Tree<'_>>,
        folder: &Folder<'_>,
        names: [&str; 2],
    ) -> Result<(Oid, bool), GitError> {
        let old = old.filter(|_| !folder.is_cleared);
        let fail = |source| self.ledger.failed("write a folder", source);
        let mut builder = self.memory.treebuilder(old).map_err(fail)?;
        for (name, node) in &folder.children {
            let entry = match node {
                Node::Write(content) => Some((self.blob(content, [names[0], name])?, mode(content))),
                Node::Remove => None,
                Node::Inside(inside) => match self.inside(old, [names[1], name], inside)? {
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
        names: [&str; 2],
        inside: &Folder<'_>,
    ) -> Result<Inside, GitError> {
        let entry = old.and_then(|old| old.get_name(names[1]));
        let is_other = entry.as_ref().is_some_and(|entry| entry.filemode() != FOLDER);
        let old = match entry {
            Some(entry) if !is_other => Some(objects::tree(self.disk, entry.id().into())?),
            _ => None,
        };
        let (id, is_empty) = self.folder(old.as_ref(), inside, names)?;
        Ok(match is_empty {
            false => Inside::Folder(id),
            true if is_other && !inside.is_cleared => Inside::Untouched,
            true => Inside::Nothing,
        })
    }

    fn blob(&mut self, content: &Content, alike: [&str; 2]) -> Result<Oid, GitError> {
        // A folder takes in what it finds in memory only.
        let written = self.odb.write(ObjectType::Blob, &content.bytes);
        let id = written.map_err(|source| self.ledger.failed("write a file", source))?;
        if self.collect(id) && content.bytes.len() >= LARGE {
            self.alike.entry(alike.map(str::to_owned).into()).or_default().push(id);
        }
        Ok(id)
    }

    fn is_known(&self, id: Oid) -> bool {
        self.known.exists_ext(id, OdbLookupFlags::NO_REFRESH)
    }

    fn collect(&mut self, id: Oid) -> bool {
        let is_new = !self.is_known(id) && self.new.insert(id);
        if is_new {
            self.order.push(id);
        }
        is_new
    }

    /// Writes the collected objects, the commit first, as a pack file with its index, both flushed.
    ///
    /// Looking for what large files have in common takes most of the time of a large commit, and finds little unless
    /// they are versions of one file. Where many stand alone, they go into a pack file of their own, as they are;
    /// that comes first, so that the commit never lacks one.
    fn write_packs(&self) -> Result<(), GitError> {
        let lone = self.alike.values().filter(|alike| alike.len() == 1);
        let lone: BTreeSet<Oid> = lone.flatten().copied().collect();
        let is_apart = |id: &&Oid| lone.len() >= MANY && lone.contains(*id);
        let (lone, others) = self.order.iter().rev().partition::<Vec<&Oid>, _>(is_apart);
        let fail = |source| self.ledger.failed("write a pack file", source);
        let mut others = self.builder(others).map_err(fail)?;
        if !lone.is_empty() {
            // A builder reads the settings when it is made, so these are not those of the other one.
            self.forbid_deltas()?;
            self.write_pack(&mut self.builder(lone).map_err(fail)?).map_err(fail)?;
        }
        self.write_pack(&mut others).map_err(fail)
    }

    fn builder(&self, ids: Vec<&Oid>) -> Result<PackBuilder<'_>, git2::Error> {
        let mut builder = self.memory.packbuilder()?;
        // Small commits are done before a thread has begun.
        builder.set_threads(if ids.len() < MANY { 1 } else { 0 });
        ids.into_iter().try_for_each(|id| builder.insert_object(*id, None))?;
        Ok(builder)
    }

    fn write_pack(&self, builder: &mut PackBuilder<'_>) -> Result<(), git2::Error> {
        builder.write(&self.ledger.path.join("objects").join("pack"), PACK_MODE)
    }

    /// Makes the builders from now on take every object as it is.
    fn forbid_deltas(&self) -> Result<(), GitError> {
        let path = self.ledger.path.join(PLAIN.0);
        if fs::read(&path).ok().as_deref() != Some(PLAIN.1.as_bytes()) {
            let fail = |source| GitError::Io { operation: "write", path: path.clone(), source };
            fs::write(&path, PLAIN.1).map_err(fail)?;
        }
        let added =
            self.memory.config().and_then(|mut config| config.add_file(&path, ConfigLevel::App, true));
        added.map_err(|source| self.ledger.failed("read the settings of a pack file", source))
    }
}

/// A repository without a folder, whose objects are in memory.
fn in_memory() -> Result<Repository, git2::Error> {
    let odb = Odb::new()?;
    odb.add_new_mempack_backend(1)?;
    Repository::from_odb(odb)
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
