//! Lists the branches and tags of a source.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use git2::{ErrorCode, ObjectType, Reference, Repository};

use crate::objects::MESSAGE_BYTES;
use crate::source::lossy;
use crate::{GitError, ObjectId, SourceRepository};

const BRANCHES: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";
/// The longest line of `packed-refs` that is read as one.
const LINE_BYTES: u64 = 8192;
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
    /// Whether every ref leads to a commit that is there: then nothing but the refs themselves can change it.
    pub fn is_whole(&self) -> bool {
        self.unreadable.is_empty() && self.tags.iter().all(|tag| tag.commit.is_some())
    }

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
        // Counted before libgit2 loads all of them at once.
        let loose = loose_refs(self.common_dir(), limit);
        if loose.len() > limit || has_more_packed(self.common_dir(), limit) {
            return Err(GitError::TooManyRefs { limit });
        }
        let mut snapshot = RefSnapshot { head: self.head()?, ..RefSnapshot::default() };
        let mut seen = BTreeSet::new();
        for prefix in [BRANCHES, TAGS] {
            self.list(prefix, limit, &mut snapshot, &mut seen)?;
        }
        self.add_damaged(&mut snapshot, &seen, loose);
        snapshot.branches.sort_by(|a, b| a.name.cmp(&b.name));
        snapshot.tags.sort_by(|a, b| a.name.cmp(&b.name));
        snapshot.unreadable.sort();
        Ok(snapshot)
    }

    /// A digest of the files that hold `HEAD`, the branches and the tags: while it stays, none of them moved. Reading
    /// these files costs a fraction of listing the refs, which looks every tag's object up.
    ///
    /// None where the files alone do not tell: a file cannot be read, a ref names one outside of branches and tags,
    /// or there are more of them than `limit` branches and tags can need.
    pub fn refs_digest(&self, limit: usize) -> Option<ObjectId> {
        let mut loose = loose_refs(self.common_dir(), limit);
        if loose.len() > limit {
            return None;
        }
        loose.sort();
        let mut bytes = ref_file(&self.git_dir().join("HEAD"))?;
        for name in loose {
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
            bytes.extend(ref_file(&self.common_dir().join(&name))?);
        }
        bytes.push(0);
        bytes.extend(packed_refs(self.common_dir(), limit)?);
        git2::Oid::hash_object(ObjectType::Blob, &bytes).ok().map(ObjectId::from)
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

    /// The branch that is checked out, whether or not it has a commit yet; none where a commit alone is.
    ///
    /// # Errors
    /// [`GitError::Reference`].
    pub fn head_branch(&self) -> Result<Option<String>, GitError> {
        Ok(self.head()?.branch)
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
    fn add_damaged(&self, snapshot: &mut RefSnapshot, seen: &BTreeSet<Vec<u8>>, loose: Vec<String>) {
        for name in loose {
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

/// How many tag objects may name each other before a commit comes.
const NESTED_TAGS: usize = 100;

/// The commit that an object is or, through tag objects, leads to; none where one of them is too large to be read.
fn peel(repository: &Repository, id: git2::Oid) -> Option<git2::Oid> {
    let odb = repository.odb().ok()?;
    let mut id = id;
    for _ in 0..NESTED_TAGS {
        match odb.read_header(id).ok()? {
            (_, ObjectType::Commit) => return Some(id),
            (size, ObjectType::Tag) if size as u64 <= MESSAGE_BYTES => {
                id = repository.find_tag(id).ok()?.target_id();
            }
            _ => return None,
        }
    }
    None
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

/// The content of a file that holds one ref; none where that leads to a ref that is not listed.
fn ref_file(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    fs::File::open(path).ok()?.take(LINE_BYTES).read_to_end(&mut content).ok()?;
    let Some(target) = content.strip_prefix(b"ref:") else { return Some(content) };
    let target = target.trim_ascii_start();
    let is_listed = target.starts_with(BRANCHES.as_bytes()) || target.starts_with(TAGS.as_bytes());
    is_listed.then_some(content)
}

/// The content of `packed-refs`, empty where there is none; none where it is longer than `limit` refs can need.
fn packed_refs(common_dir: &Path, limit: usize) -> Option<Vec<u8>> {
    let path = common_dir.join("packed-refs");
    let most = LINE_BYTES.saturating_mul(limit as u64);
    match fs::metadata(&path) {
        Ok(file) if file.len() > most => None,
        Ok(_) => fs::read(&path).ok(),
        Err(error) => (error.kind() == ErrorKind::NotFound).then(Vec::new),
    }
}

/// Whether `packed-refs` names more than `limit` branches and tags.
fn has_more_packed(common_dir: &Path, limit: usize) -> bool {
    let Ok(file) = fs::File::open(common_dir.join("packed-refs")) else { return false };
    let (mut reader, mut line, mut count) = (BufReader::new(file), Vec::new(), 0_usize);
    // A line without end is read in pieces, of which none looks like a ref.
    while count <= limit
        && (&mut reader).take(LINE_BYTES).read_until(b'\n', &mut line).is_ok_and(|read| read > 0)
    {
        let name = line.get(41..).unwrap_or_default();
        count += usize::from(name.starts_with(BRANCHES.as_bytes()) || name.starts_with(TAGS.as_bytes()));
        line.clear();
    }
    count > limit
}

/// The names of the files that hold branches and tags, and at most one more than `limit` of them. Folders that cannot
/// be listed are passed over: libgit2 reports those itself.
fn loose_refs(common_dir: &Path, limit: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<String> = [BRANCHES, TAGS].map(|prefix| prefix.trim_end_matches('/').to_owned()).into();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(common_dir.join(&folder)) else { continue };
        for entry in entries.flatten() {
            if names.len() > limit {
                return names;
            }
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
