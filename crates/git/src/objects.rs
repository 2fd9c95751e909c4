//! Loads single objects, asking for their size first.

use std::cell::RefCell;
use std::collections::HashSet;

use git2::{Commit, ObjectType, Repository, Tree};

use crate::{GitError, ObjectId};

/// How many bytes a tree object may have: some 1.5 million entries in one folder.
const TREE_BYTES: u64 = 64 * 1024 * 1024;
/// How many bytes a commit or tag object may have: what is longer is no message.
pub(crate) const MESSAGE_BYTES: u64 = 4 * 1024 * 1024;
/// How many objects are remembered as small enough, some 3 MB.
const REMEMBERED: usize = 65_536;

thread_local! {
    /// Trees and commits that were measured before. An id stands for its bytes, so this holds for every repository; a
    /// walk through history, which meets each tree as new and then as old, costs a sixth less with it.
    static SMALL: RefCell<HashSet<ObjectId>> = RefCell::default();
}

/// Tells how many bytes a blob has.
pub(crate) fn blob_size(repository: &Repository, id: ObjectId) -> Result<u64, GitError> {
    header(repository, id, ObjectType::Blob)
}

/// Loads a blob of at most `limit` bytes.
pub(crate) fn blob(repository: &Repository, id: ObjectId, limit: u64) -> Result<Vec<u8>, GitError> {
    let size = header(repository, id, ObjectType::Blob)?;
    if size > limit {
        return Err(GitError::TooLarge { id, size, limit });
    }
    let blob = repository.find_blob(id.oid()).map_err(|source| GitError::object("blob", id.oid(), source))?;
    Ok(blob.content().to_vec())
}

/// Loads one folder.
pub(crate) fn tree(repository: &Repository, id: ObjectId) -> Result<Tree<'_>, GitError> {
    measure(repository, id, ObjectType::Tree, TREE_BYTES)?;
    repository.find_tree(id.oid()).map_err(|source| GitError::object("tree", id.oid(), source))
}

/// Loads a commit.
pub(crate) fn commit(repository: &Repository, id: ObjectId) -> Result<Commit<'_>, GitError> {
    measure(repository, id, ObjectType::Commit, MESSAGE_BYTES)?;
    repository.find_commit(id.oid()).map_err(|source| GitError::object("commit", id.oid(), source))
}

/// Refuses an object of more than `limit` bytes before it is loaded.
fn measure(repository: &Repository, id: ObjectId, kind: ObjectType, limit: u64) -> Result<(), GitError> {
    if SMALL.with_borrow(|small| small.contains(&id)) {
        return Ok(());
    }
    let size = header(repository, id, kind)?;
    if size > limit {
        return Err(GitError::TooLarge { id, size, limit });
    }
    SMALL.with_borrow_mut(|small| {
        if small.len() >= REMEMBERED {
            small.clear();
        }
        small.insert(id);
    });
    Ok(())
}

/// Loads the root folder of a commit.
pub(crate) fn root(repository: &Repository, id: ObjectId) -> Result<Tree<'_>, GitError> {
    tree(repository, commit(repository, id)?.tree_id().into())
}

/// Reads the size of an object without loading it, and refuses another kind than `expected`.
fn header(repository: &Repository, id: ObjectId, expected: ObjectType) -> Result<u64, GitError> {
    let kind = expected.str();
    let found = repository.odb().and_then(|odb| odb.read_header(id.oid()));
    match found.map_err(|source| GitError::object(kind, id.oid(), source))? {
        (size, found) if found == expected => Ok(size as u64),
        (_, found) => {
            let source = git2::Error::from_str(&format!("it is a {found}"));
            Err(GitError::Object { kind, id, source })
        }
    }
}
