//! Skill packages out of other watched sources: their refs are looked up as they stand now, their files copied.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use git::{CommitTree, ObjectId, RefSnapshot, SourceRepository};
use pack::Digest;
use pack::tree::{EntryKind, MemoryTree, Tree, Unreadable, files_below, join};
use registry::package::{NoPackage, Package, PackageReference, Packages, mapped, may_carry};
use registry::settings::{RegistrySettings, SourceSettings};
use store::Store;

use super::Awaits;

/// Where the repositories of the sources stand on this machine, by name.
pub(crate) type SourcePaths = BTreeMap<String, PathBuf>;

/// The other sources as one scan sees them: each is opened once.
pub(super) struct Neighbours<'s> {
    pub(super) store: &'s Store,
    pub(super) settings: &'s RegistrySettings,
    pub(super) paths: &'s SourcePaths,
    /// The source that is scanned.
    pub(super) source: &'s str,
    opened: RefCell<BTreeMap<String, Result<Rc<Opened>, String>>>,
}

struct Opened {
    repository: SourceRepository,
    refs: RefSnapshot,
}

/// What the root settings of one commit make of package references.
pub(super) struct Mapped<'m> {
    pub(super) neighbours: &'m Neighbours<'m>,
    pub(super) packages: &'m BTreeMap<String, (String, String)>,
    /// The sources that were asked for a package.
    pub(super) asked: RefCell<Vec<String>>,
}

impl<'s> Neighbours<'s> {
    pub(super) fn new(
        store: &'s Store,
        settings: &'s RegistrySettings,
        paths: &'s SourcePaths,
        source: &'s str,
    ) -> Neighbours<'s> {
        Neighbours { store, settings, paths, source, opened: RefCell::default() }
    }

    /// Tells apart the states of a source: its refs and who may read it, or that it cannot be read.
    pub(super) fn fingerprint(&self, source: &str) -> String {
        match self.open(source) {
            Ok(opened) => {
                let state = format!("{:?} {:?}", opened.refs, self.readers(source));
                Digest::of(state.as_bytes()).hex()
            }
            Err(why) => why,
        }
    }

    /// Whether one of these sources stands no longer as it did.
    pub(super) fn have_moved(&self, stood: &Awaits) -> bool {
        stood.iter().any(|(source, stood)| self.fingerprint(source) != *stood)
    }

    fn open(&self, source: &str) -> Result<Rc<Opened>, String> {
        let mut opened = self.opened.borrow_mut();
        opened.entry(source.to_owned()).or_insert_with(|| self.read(source).map(Rc::new)).clone()
    }

    fn read(&self, source: &str) -> Result<Opened, String> {
        let path: &Path = self.paths.get(source).ok_or_else(|| format!("no source `{source}` is watched"))?;
        let cannot = |error: git::GitError| {
            format!("the source `{source}` cannot be read: {}", super::with_causes(&error))
        };
        let repository = SourceRepository::open(path).map_err(cannot)?;
        let refs = repository.refs(self.settings.limits.refs).map_err(cannot)?;
        Ok(Opened { repository, refs })
    }

    fn settings_of(&self, source: &str) -> Option<&SourceSettings> {
        self.settings.sources.iter().find(|known| known.name == source)
    }

    /// Who may read a source, as the ledger records it, or will with the first scan of the source.
    fn readers(&self, source: &str) -> Vec<String> {
        let recorded = self.store.snapshot().record(source).map(|record| record.readers.clone());
        let configured = || self.settings_of(source).map(|settings| settings.readers.clone());
        recorded.or_else(configured).unwrap_or_default()
    }
}

impl Packages for Mapped<'_> {
    fn package(&self, reference: &str) -> Result<Package, NoPackage> {
        let (parsed, source, path) = mapped(self.packages, reference)?;
        self.asked.borrow_mut().push(source.to_owned());
        let unresolved = NoPackage::Unresolved;
        // Asked before anything else: whoever may not see the other source hears nothing of it, not even its name.
        let (own, other) = (self.neighbours.readers(self.neighbours.source), self.neighbours.readers(source));
        if !may_carry(&own, &other) {
            let message =
                format!("the source of `{reference}` has narrower readers than `{}`", self.neighbours.source);
            return Err(NoPackage::Restricted(message));
        }
        let opened = self.neighbours.open(source).map_err(unresolved)?;
        let branch = self.neighbours.settings_of(source).and_then(|settings| settings.branch.as_deref());
        let commit = commit_of(&opened, parsed, branch).ok_or_else(|| {
            let wanted = parsed
                .wanted
                .map_or_else(|| "commit".to_owned(), |wanted| format!("tag, branch or commit `{wanted}`"));
            unresolved(format!("the source `{source}` has no {wanted}"))
        })?;
        let limits = self.neighbours.settings.limits;
        let tree = opened.repository.tree(commit).map_err(|error| unresolved(super::with_causes(&error)))?;
        let tree = tree.with_limit(limits.skill_bytes);
        let path = join("", path)
            .ok_or_else(|| unresolved(format!("the path `{path}` leaves the source `{source}`")))?;
        let copied = copied(&tree, &path, limits.skill_files, limits.skill_bytes)
            .map_err(|why| unresolved(format!("`{path}` in the source `{source}`: {why}")))?;
        Ok(Package { tree: Box::new(copied), path, commit: commit.to_string() })
    }
}

/// The commit that a reference asks for: a tag, a branch, a commit; the head of the branch where it asks for none.
fn commit_of(opened: &Opened, reference: PackageReference<'_>, branch: Option<&str>) -> Option<ObjectId> {
    let Opened { repository, refs } = opened;
    let Some(wanted) = reference.wanted else {
        return match branch {
            Some(branch) => refs.branch(branch).map(|branch| branch.commit),
            None => refs.head.commit,
        };
    };
    let tag = reference.tags().iter().find_map(|tag| refs.tag(tag)?.commit);
    let branch = || refs.branch(wanted).map(|branch| branch.commit);
    // Nothing but digits reaches the grammar of revisions.
    let is_id = (7..=40).contains(&wanted.len()) && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commit = || repository.resolve(wanted).ok().filter(|_| is_id);
    tag.or_else(branch).or_else(commit)
}

/// The files at and below a path.
fn copied(tree: &CommitTree<'_>, path: &str, most: usize, bytes: u64) -> Result<MemoryTree, Unreadable> {
    let below = files_below(tree, path, most)?;
    let (mut copy, mut left) = (MemoryTree::default(), bytes);
    for file in below.files {
        let content = tree.read(&file.path)?;
        let size = content.len() as u64;
        left =
            left.checked_sub(size).ok_or(Unreadable::TooLarge { size: bytes - left + size, limit: bytes })?;
        copy.insert_as(file.path, EntryKind::File { executable: file.executable }, content);
    }
    for (path, kind) in below.skipped {
        copy.insert_as(path, kind, Vec::new());
    }
    Ok(copy)
}
