//! Lists the branches and tags of a source.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use git2::{ErrorCode, ObjectType, Reference, Repository};

use crate::source::lossy;
use crate::{GitError, ObjectId, SourceRepository};

const BRANCHES: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";
/// Symbolic refs that point at symbolic refs are followed this far, as git does.
const SYMBOLIC_DEPTH: usize = 5;

/// All refs that count, at one moment. A source has not moved when two snapshots are equal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefSnapshot {
    /// Where `HEAD` stands.
    pub head: Head,
    /// The branches, sorted by name.
    pub branches: Vec<Branch>,
    /// The tags, sorted by name.
    pub tags: Vec<Tag>,
    /// Full names of branches and tags that were left out, sorted: their name is not UTF-8 (then it is shown with
    /// replacement characters), they point nowhere, or their file is damaged.
    pub unreadable: Vec<String>,
}

/// Where `HEAD` stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The branch that it names, as `main`, whether or not that has a commit; none when detached.
    pub branch: Option<String>,
    /// The commit; none before the first one.
    pub commit: Option<ObjectId>,
}

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name without `refs/heads/`.
    pub name: String,
    /// The commit that it stands at.
    pub commit: ObjectId,
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name without `refs/tags/`.
    pub name: String,
    /// What the ref points at: a tag object when annotated, else mostly a commit.
    pub object: ObjectId,
    /// The commit at the end of the tag objects; none when something else stands there.
    pub commit: Option<ObjectId>,
}

impl RefSnapshot {
    /// Finds a branch by its name without `refs/heads/`.
    pub fn branch(&self, name: &str) -> Option<&Branch> {
        let position = self.branches.binary_search_by(|branch| branch.name.as_str().cmp(name)).ok()?;
        self.branches.get(position)
    }

    /// Finds a tag by its name without `refs/tags/`.
    pub fn tag(&self, name: &str) -> Option<&Tag> {
        let position = self.tags.binary_search_by(|tag| tag.name.as_str().cmp(name)).ok()?;
        self.tags.get(position)
    }
}

impl SourceRepository {
    /// Lists `HEAD`, all branches and all tags.
    ///
    /// # Errors
    /// [`GitError::TooManyRefs`] when there are more than `limit` branches and tags, [`GitError::Reference`].
    pub fn refs(&self, limit: usize) -> Result<RefSnapshot, GitError> {
        let mut snapshot = RefSnapshot { head: self.head()?, ..RefSnapshot::default() };
        let mut seen = BTreeSet::new();
        for prefix in [BRANCHES, TAGS] {
            self.list(prefix, limit, &mut snapshot, &mut seen)?;
        }
        self.add_damaged(&mut snapshot, &seen);
        snapshot.branches.sort_by(|a, b| a.name.cmp(&b.name));
        snapshot.tags.sort_by(|a, b| a.name.cmp(&b.name));
        snapshot.unreadable.sort();
        Ok(snapshot)
    }

    /// Tells which branch the remote `origin` calls its default, as `origin/main`; none when it was never asked.
    ///
    /// # Errors
    /// [`GitError::Reference`].
    pub fn remote_default_branch(&self) -> Result<Option<String>, GitError> {
        let Some(reference) = find(&self.repository, "refs/remotes/origin/HEAD")? else { return Ok(None) };
        let target = reference.symbolic_target_bytes().and_then(|target| std::str::from_utf8(target).ok());
        Ok(target.and_then(|target| target.strip_prefix("refs/remotes/")).map(str::to_owned))
    }

    fn head(&self) -> Result<Head, GitError> {
        let Some(head) = find(&self.repository, "HEAD")? else { return Ok(Head::default()) };
        let target = head.symbolic_target_bytes().and_then(|target| std::str::from_utf8(target).ok());
        Ok(Head {
            branch: target.map(|target| target.strip_prefix(BRANCHES).unwrap_or(target).to_owned()),
            commit: direct_target(&self.repository, head).map(ObjectId::from),
        })
    }

    fn list(
        &self,
        prefix: &str,
        limit: usize,
        snapshot: &mut RefSnapshot,
        seen: &mut BTreeSet<Vec<u8>>,
    ) -> Result<(), GitError> {
        let pattern = format!("{prefix}*");
        let fail = |source| GitError::reference("list", &pattern, source);
        for reference in self.repository.references_glob(&pattern).map_err(fail)? {
            let reference = reference.map_err(fail)?;
            seen.insert(reference.name_bytes().to_vec());
            if seen.len() > limit {
                return Err(GitError::TooManyRefs { limit });
            }
            add(&self.repository, prefix, reference, snapshot);
        }
        Ok(())
    }

    /// Adds the loose refs whose files libgit2 passes over in silence because it cannot read them.
    fn add_damaged(&self, snapshot: &mut RefSnapshot, seen: &BTreeSet<Vec<u8>>) {
        for name in loose_refs(self.common_dir()) {
            let is_damaged = |name: &str| match self.repository.find_reference(name) {
                Ok(_) => false,
                Err(error) => error.code() != ErrorCode::NotFound,
            };
            if !seen.contains(name.as_bytes()) && is_damaged(&name) {
                snapshot.unreadable.push(name);
            }
        }
    }
}

fn add(repository: &Repository, prefix: &str, reference: Reference<'_>, snapshot: &mut RefSnapshot) {
    let full_name = lossy(reference.name_bytes());
    let name = std::str::from_utf8(reference.name_bytes()).ok().and_then(|name| name.strip_prefix(prefix));
    let Some(name) = name.map(str::to_owned) else {
        snapshot.unreadable.push(full_name);
        return;
    };
    let peeled = reference.target_peel();
    let Some(target) = direct_target(repository, reference) else {
        snapshot.unreadable.push(full_name);
        return;
    };
    if prefix == BRANCHES {
        snapshot.branches.push(Branch { name, commit: target.into() });
        return;
    }
    let commit = peel(repository, peeled.unwrap_or(target)).map(ObjectId::from);
    snapshot.tags.push(Tag { name, object: target.into(), commit });
}

/// The object that a direct or symbolic ref leads to; none when it leads nowhere.
fn direct_target(repository: &Repository, reference: Reference<'_>) -> Option<git2::Oid> {
    let mut reference = reference;
    for _ in 0..SYMBOLIC_DEPTH {
        match reference.target() {
            Some(target) => return Some(target),
            None => reference = repository.find_reference(reference.symbolic_target().ok()??).ok()?,
        }
    }
    None
}

/// The commit that an object is or, through any number of tag objects, leads to.
fn peel(repository: &Repository, id: git2::Oid) -> Option<git2::Oid> {
    let (_, kind) = repository.odb().and_then(|odb| odb.read_header(id)).ok()?;
    match kind {
        ObjectType::Commit => Some(id),
        ObjectType::Tag => {
            let object = repository.find_object(id, Some(ObjectType::Tag)).ok()?;
            object.peel(ObjectType::Commit).ok().map(|commit| commit.id())
        }
        _ => None,
    }
}

fn find<'repository>(
    repository: &'repository Repository,
    name: &str,
) -> Result<Option<Reference<'repository>>, GitError> {
    match repository.find_reference(name) {
        Ok(reference) => Ok(Some(reference)),
        Err(source) if source.code() == ErrorCode::NotFound => Ok(None),
        Err(source) => Err(GitError::reference("read", name, source)),
    }
}

/// The names of the files that hold branches and tags. Folders that cannot be listed are passed over: libgit2
/// reports those itself.
fn loose_refs(common_dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<String> = [BRANCHES, TAGS].map(|prefix| prefix.trim_end_matches('/').to_owned()).into();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(common_dir.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{folder}/{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(_) if !name.ends_with(".lock") => names.push(path),
                _ => {}
            }
        }
    }
    names
}
