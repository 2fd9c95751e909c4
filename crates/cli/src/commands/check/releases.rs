//! The releases that are known: found in the repository as the daemon would find them, or asked of a registry.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use client::{Client, ClientError};
use git::{EntryKind, ObjectId, SourceRepository};
use jiff::Timestamp;
use pack::model::{Pack, parse_version};
use pack::tree::Tree;
use pack::{Digest, Document};
use registry::candidate::{Archive, Candidate, Outcome, ReleaseContent, Terms};
use registry::discover::{
    BranchState, ChangedFile, CommitStep, Selection, Sight, TagPatterns, TagStep, tagged, version_of,
};
use registry::lifting::{Flagged, lifted};
use registry::settings::{Limits, Policy, ReleasesFrom, SourceSettings, find_settings, is_settings_file};
use registry::status::source_layer;
use registry::version::Known;
use registry::{Flag, judge};
use rules::Profile;
use semver::Version;

use super::sides::{BaseSide, Lacking};
use crate::complaint::Complaint;
use crate::gittree::{Contents, GitTree, Recalling};
use crate::registry_tree::release;

/// The most files of one commit that are looked at.
const MOST_FILES: usize = 500_000;
/// The most bytes that are read of one file.
const FILE_BYTES: u64 = 20 << 20;

/// Where known releases come from.
pub enum Releases {
    /// Nobody knows any.
    None,
    /// The history of this repository.
    History(History),
    /// A registry.
    Registry(RegistryReleases),
}

impl Releases {
    /// What is known of the releases of a pack.
    ///
    /// # Errors
    /// When the registry does not answer.
    pub fn known(&self, id: &str) -> anyhow::Result<Vec<Known>> {
        match self {
            Releases::None => Ok(Vec::new()),
            Releases::History(history) => Ok(history.known(id)),
            Releases::Registry(registry) => registry.known(id),
        }
    }

    /// The content of a release.
    ///
    /// # Errors
    /// When the registry does not answer, or gives what is no pack.
    pub fn side(&self, id: &str, version: &Version) -> anyhow::Result<Option<BaseSide>> {
        match self {
            Releases::None => Ok(None),
            Releases::History(history) => Ok(history.side(id, version)),
            Releases::Registry(registry) => registry.side(&format!("{id}@{version}")),
        }
    }
}

/// The releases that the history of a repository makes.
pub struct History {
    repository: Rc<SourceRepository>,
    releases: BTreeMap<String, Vec<HistoryRelease>>,
}

struct HistoryRelease {
    version: Version,
    commit: ObjectId,
    path: String,
    bytes: Vec<u8>,
    content: Digest,
    flagged: bool,
    lifted: bool,
    yanked: bool,
}

/// What to look for in the history.
pub struct Search<'s> {
    /// The ids that matter.
    pub ids: &'s BTreeSet<String>,
    /// The newest commit that counts.
    pub tip: ObjectId,
    /// A commit whose tags do not count: the one that is being checked.
    pub without: Option<ObjectId>,
    /// Whether releases are commits or tags.
    pub from: ReleasesFrom,
    /// What has not to be read again.
    pub contents: &'s Contents,
}

impl History {
    /// Finds and judges the releases of the packs that matter, in order.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn find(repository: Rc<SourceRepository>, search: &Search<'_>) -> anyhow::Result<History> {
        let mut history = History { repository: repository.clone(), releases: BTreeMap::new() };
        let selection = Selection::new(&SourceSettings::local("local", "."), Limits::default())
            .map_err(Complaint::new)?;
        match search.from {
            ReleasesFrom::Branch => history.walk_branch(search, &selection)?,
            ReleasesFrom::Tags => history.walk_tags(search, &selection)?,
        }
        history.settle(search.tip)?;
        Ok(history)
    }

    fn walk_branch(&mut self, search: &Search<'_>, selection: &Selection) -> anyhow::Result<()> {
        let repository = self.repository.clone();
        let mut state = BranchState::default();
        for commit in repository.history(None, search.tip)?.commits {
            let changes = repository.changes(commit)?.changes;
            if changes.is_empty() {
                continue;
            }
            let changed = |change: git::Change| {
                let now = change.new.filter(|entry| entry.kind != EntryKind::Folder);
                ChangedFile { path: change.path, now: now.map(|entry| (entry.kind, entry.id.to_string())) }
            };
            let step = CommitStep {
                commit: commit.to_string(),
                at: time_of(&repository, commit)?,
                branch: "HEAD".to_owned(),
                changes: changes.into_iter().map(changed).collect(),
            };
            let tree = repository.tree(commit)?.with_limit(FILE_BYTES);
            let known = Recalling::new(&tree, &step.changes, search.contents);
            let sight = state.advance(&step, &known, selection);
            Lacking::refuse(commit, &sight.problems)?;
            // What the settings say of earlier releases counts for those of this commit.
            if step.changes.iter().any(|change| is_settings_file(&change.path)) {
                self.settle(commit)?;
            }
            self.take_in(sight, &tree, commit, search);
        }
        Ok(())
    }

    fn walk_tags(&mut self, search: &Search<'_>, selection: &Selection) -> anyhow::Result<()> {
        let repository = self.repository.clone();
        let patterns = TagPatterns::new(&SourceSettings::local("local", ".").tags);
        let mut tags = repository.refs(Limits::default().refs)?.tags;
        tags.retain(|tag| version_of(&patterns, &tag.name).is_some());
        tags.sort_by(|a, b| {
            let (one, other) = (version_of(&patterns, &a.name), version_of(&patterns, &b.name));
            let order = one.zip(other).map(|(one, other)| one.cmp_precedence(&other));
            order.unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.name.cmp(&b.name))
        });
        for tag in tags {
            let Some(commit) = tag.commit.filter(|commit| Some(*commit) != search.without) else { continue };
            let tree = repository.tree(commit)?.with_limit(FILE_BYTES);
            let files = tree.walk_files(MOST_FILES)?.files.into_iter();
            let files = files
                .map(|file| ChangedFile { path: file.path, now: Some((file.kind, file.id.to_string())) });
            let step = TagStep {
                tag: tag.name,
                object: None,
                commit: commit.to_string(),
                at: time_of(&repository, commit)?,
                files: files.collect(),
            };
            let known = Recalling::new(&tree, &step.files, search.contents);
            let sight = tagged(&step, &known, selection, &patterns);
            Lacking::refuse(commit, &sight.problems)?;
            self.take_in(sight, &tree, commit, search);
        }
        Ok(())
    }

    /// Judges what a commit or tag brought, as the daemon does.
    fn take_in(&mut self, sight: Sight, tree: &dyn Tree, commit: ObjectId, search: &Search<'_>) {
        for candidate in &sight.candidates {
            if !has_id_of(candidate, search.ids) {
                continue;
            }
            // A version under settings that cannot be read was never a release.
            let Ok(found) = find_settings(tree, &candidate.path) else { continue };
            let policy = Policy { profile: Profile::Wire, ..Policy::default() };
            let settings = registry::Settings {
                repository: &found.settings,
                base: &found.base,
                policy: &policy,
                today: jiff::tz::Offset::UTC.to_datetime(candidate.committed_at).date(),
                spec: None,
            };
            let terms = Terms {
                source: "local",
                ids: &[],
                settings,
                limits: Limits::default(),
                gentle: false,
                packages: &registry::package::NoPackages,
            };
            let Outcome::Publish(new) = judge(candidate, tree, self, terms) else { continue };
            self.releases.entry(new.release.id.clone()).or_default().push(HistoryRelease {
                version: new.release.version.clone(),
                commit,
                path: candidate.path.clone(),
                bytes: candidate.bytes.clone(),
                content: new.release.content,
                flagged: new.release.flags.contains(&Flag::InsufficientBump),
                lifted: false,
                yanked: false,
            });
        }
    }

    /// Applies what the settings at the tip say of releases: yanks, and entries that lift a flag.
    fn settle(&mut self, tip: ObjectId) -> anyhow::Result<()> {
        let tree = GitTree::new(self.repository.clone(), tip);
        let Ok(root) = find_settings(&tree, "") else { return Ok(()) };
        for (id, releases) in &mut self.releases {
            let versions: Vec<Version> = releases.iter().map(|release| release.version.clone()).collect();
            let layer = source_layer(&root.settings, id, &versions);
            for release in releases.iter_mut() {
                release.yanked = layer.yanked.contains_key(&release.version);
            }
        }
        let today = jiff::tz::Offset::UTC.to_datetime(time_of(&self.repository, tip)?).date();
        let policy = Policy { profile: Profile::Wire, ..Policy::default() };
        let flagged = |releases: &[HistoryRelease]| -> Vec<Flagged> {
            let flagged = releases.iter().filter(|release| release.flagged);
            flagged.map(|it| Flagged { version: it.version.clone(), path: it.path.clone() }).collect()
        };
        let packs = self.releases.iter().map(|(id, releases)| (id.clone(), flagged(releases)));
        let packs: Vec<(String, Vec<Flagged>)> = packs.filter(|(_, flagged)| !flagged.is_empty()).collect();
        for (id, flagged) in packs {
            let lifted = lifted(self, &id, &flagged, &tree, (&policy, today));
            for release in self.releases.get_mut(&id).into_iter().flatten() {
                release.lifted = lifted.contains(&release.version);
            }
        }
        Ok(())
    }

    fn release(&self, id: &str, version: &Version) -> Option<&HistoryRelease> {
        self.releases.get(id)?.iter().find(|release| release.version.cmp_precedence(version).is_eq())
    }

    fn side(&self, id: &str, version: &Version) -> Option<BaseSide> {
        let release = self.release(id, version)?;
        let tree = Rc::new(GitTree::new(self.repository.clone(), release.commit));
        BaseSide::new(release.path.clone(), release.bytes.clone(), tree).ok()
    }
}

impl Archive for History {
    fn known(&self, id: &str) -> Vec<Known> {
        let releases = self.releases.get(id).map_or(&[][..], Vec::as_slice);
        let known = |release: &HistoryRelease| Known {
            version: release.version.clone(),
            yanked: release.yanked,
            insufficient: release.flagged && !release.lifted,
        };
        releases.iter().map(known).collect()
    }

    fn content(&self, id: &str, version: &Version) -> Option<ReleaseContent> {
        let release = self.release(id, version)?;
        Some(ReleaseContent {
            bytes: release.bytes.clone(),
            path: release.path.clone(),
            content: release.content,
            tree: Box::new(GitTree::new(self.repository.clone(), release.commit)),
        })
    }

    fn owner(&self, _: &str) -> Option<String> {
        None
    }
}

fn has_id_of(candidate: &Candidate, ids: &BTreeSet<String>) -> bool {
    let (document, _) = Document::parse(&candidate.bytes);
    let id = document.as_ref().and_then(|document| Pack(document.root()).id());
    id.is_some_and(|id| ids.contains(id))
}

fn time_of(repository: &SourceRepository, commit: ObjectId) -> anyhow::Result<Timestamp> {
    Ok(Timestamp::from_second(repository.commit(commit)?.time).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// The releases of a registry, each asked for once.
pub struct RegistryReleases {
    client: Client,
    known: RefCell<BTreeMap<String, Vec<Known>>>,
    latest: RefCell<BTreeMap<String, Option<String>>>,
}

impl RegistryReleases {
    /// The releases of the registry behind a client.
    pub fn new(client: Client) -> RegistryReleases {
        RegistryReleases { client, known: RefCell::default(), latest: RefCell::default() }
    }

    /// What `latest` means for a pack; none where the registry does not know the pack.
    ///
    /// # Errors
    /// When the registry does not answer.
    pub fn latest(&self, id: &str) -> anyhow::Result<Option<String>> {
        self.known(id)?;
        Ok(self.latest.borrow().get(id).cloned().flatten())
    }

    fn known(&self, id: &str) -> anyhow::Result<Vec<Known>> {
        if let Some(known) = self.known.borrow().get(id) {
            return Ok(known.clone());
        }
        let (known, latest) = match self.client.pack(id) {
            Ok(document) => {
                let entries = document.versions.iter().filter_map(|entry| {
                    Some(Known {
                        version: parse_version(&entry.version)?,
                        yanked: entry.yanked.is_some(),
                        insufficient: entry.is_insufficient(),
                    })
                });
                (entries.collect(), document.latest)
            }
            Err(ClientError::NotFound { .. }) => (Vec::new(), None),
            Err(error) => return Err(error.into()),
        };
        self.known.borrow_mut().insert(id.to_owned(), known);
        self.latest.borrow_mut().insert(id.to_owned(), latest);
        Ok(self.known.borrow().get(id).cloned().unwrap_or_default())
    }

    /// The source bytes of a release with the files of its skills; none where it is not there.
    ///
    /// # Errors
    /// When the registry does not answer, or gives what is no pack.
    pub fn side(&self, reference: &str) -> anyhow::Result<Option<BaseSide>> {
        let found = match release(&self.client, reference) {
            Ok(found) => found,
            Err(ClientError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match BaseSide::new(found.path, found.fetched.bytes, Rc::new(found.tree)) {
            Ok(side) => Ok(Some(side)),
            Err(why) => {
                Err(Complaint::new(format!("{reference}: the registry's bytes are no pack: {why}")).into())
            }
        }
    }
}
