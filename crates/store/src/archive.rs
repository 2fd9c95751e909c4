//! The store as the room `registry` asks it while candidates are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use pack::Digest;
use pack::tree::{MemoryTree, Tree};
use registry::candidate::{Archive, ReleaseContent};
use registry::lifting::Flagged;
use registry::release::{Form, NewRelease, Release, SkillRecord};
use registry::settings::{RepositorySettings, SourceSettings};
use registry::status::{PackStatus, StatusLayer, source_layer};
use registry::version::Known;
use semver::Version;

use crate::snapshot::Snapshot;
use crate::store::Store;

/// What is published, and what the running scan will publish: a later candidate sees the earlier one.
pub struct StoreArchive<'s> {
    store: &'s Store,
    snapshot: Arc<Snapshot>,
    sources: &'s [SourceSettings],
    pending: BTreeMap<String, Vec<Arc<NewRelease>>>,
    /// Those of them that are flagged for their bump and were not asked for yet.
    added_flagged: Vec<(String, Flagged)>,
    /// The root settings of the source as of the commit that is judged; none where they are as recorded.
    root: Option<RepositorySettings>,
    /// The releases whose flags are lifted as of that commit, by pack; none where they are as recorded.
    lifted: Option<BTreeMap<String, BTreeMap<Version, Timestamp>>>,
}

impl<'s> StoreArchive<'s> {
    /// The state of the store now; `sources` decide who owns an id.
    pub fn new(store: &'s Store, sources: &'s [SourceSettings]) -> StoreArchive<'s> {
        let snapshot = store.snapshot();
        let pending = BTreeMap::new();
        StoreArchive {
            store,
            snapshot,
            sources,
            pending,
            added_flagged: Vec::new(),
            root: None,
            lifted: None,
        }
    }

    /// Adds a release that the running scan will publish.
    pub fn add(&mut self, release: NewRelease) {
        let flagged = flagged(&release.release).map(|flagged| (release.release.id.clone(), flagged));
        self.added_flagged.extend(flagged);
        self.pending.entry(release.release.id.clone()).or_default().push(Arc::new(release));
    }

    /// Takes in the root settings of a commit: what they yank is no baseline from there on.
    pub fn fold(&mut self, root: RepositorySettings) {
        self.root = Some(root);
    }

    /// The root settings that were taken in last.
    pub fn folded(&self) -> Option<&RepositorySettings> {
        self.root.as_ref()
    }

    /// The layer that the source's settings give a pack now.
    pub fn source_layer(&self, id: &str) -> StatusLayer {
        match &self.root {
            Some(root) => {
                StatusLayer { lifted: self.lifted(id), ..source_layer(root, id, &self.versions(id)) }
            }
            None => StatusLayer { lifted: self.lifted(id), ..self.recorded_status(id).source },
        }
    }

    /// The releases of a pack whose flag for their bump is lifted, and since when.
    fn lifted(&self, id: &str) -> BTreeMap<Version, Timestamp> {
        let recorded = || self.snapshot.packs.get(id).map(|pack| pack.status.source.lifted.clone());
        let lifted = match &self.lifted {
            Some(lifted) => lifted.get(id).cloned(),
            None => recorded(),
        };
        lifted.unwrap_or_default()
    }

    /// The releases of a pack that were flagged for their bump, or will be, whether or not that was lifted.
    pub fn flagged(&self, id: &str) -> Vec<Flagged> {
        let recorded = self.snapshot.packs.get(id).into_iter().flat_map(|pack| &pack.releases);
        let recorded = recorded.filter(|row| row.is_insufficient());
        let recorded = recorded.map(|row| Flagged { version: row.version.clone(), path: row.path.clone() });
        recorded.chain(self.pending(id).iter().filter_map(|new| flagged(&new.release))).collect()
    }

    /// Takes in all flags that are lifted as of a commit of time `at`; one that is lifted already keeps its time.
    pub fn fold_lifted(&mut self, all: BTreeMap<String, BTreeSet<Version>>, at: Timestamp) {
        let timed = |(id, versions): (String, BTreeSet<Version>)| {
            let known = self.lifted(&id);
            let since = |version: Version| (version.clone(), known.get(&version).copied().unwrap_or(at));
            (id, versions.into_iter().map(since).collect())
        };
        self.lifted = Some(all.into_iter().map(timed).collect());
    }

    /// Takes in flags that are lifted beside all that were taken in before.
    pub fn add_lifted(&mut self, id: &str, versions: BTreeSet<Version>, at: Timestamp) {
        let of_pack = self.lifted.get_or_insert_default().entry(id.to_owned()).or_default();
        of_pack.extend(versions.into_iter().map(|version| (version, at)));
    }

    /// The added releases that are flagged for their bump, since this was asked last.
    pub fn take_flagged(&mut self) -> Vec<(String, Flagged)> {
        std::mem::take(&mut self.added_flagged)
    }

    fn recorded_status(&self, id: &str) -> PackStatus {
        self.snapshot.packs.get(id).map(|pack| pack.status.clone()).unwrap_or_default()
    }

    /// The view that candidates are judged against.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.clone()
    }

    /// Takes the releases that were added, in the order of ids and additions.
    pub fn take(&mut self) -> Vec<NewRelease> {
        let pending = std::mem::take(&mut self.pending);
        pending.into_values().flatten().map(Arc::unwrap_or_clone).collect()
    }

    /// Ids of the packs to which releases were added.
    pub fn added_ids(&self) -> Vec<String> {
        self.pending.keys().cloned().collect()
    }

    /// How many releases were added.
    pub fn added(&self) -> usize {
        self.pending.values().map(Vec::len).sum()
    }

    /// Versions of a pack that are released or will be.
    pub fn versions(&self, id: &str) -> Vec<Version> {
        let recorded = self.snapshot.packs.get(id).into_iter().flat_map(|pack| &pack.releases);
        let pending = self.pending(id).iter().map(|new| new.release.version.clone());
        recorded.map(|row| row.version.clone()).chain(pending).collect()
    }

    fn pending(&self, id: &str) -> &[Arc<NewRelease>] {
        self.pending.get(id).map_or(&[], Vec::as_slice)
    }

    fn recorded(&self, id: &str, version: &Version) -> Option<ReleaseContent> {
        let pack = self.snapshot.packs.get(id)?;
        let row = pack.release(version)?;
        let bytes = self.store.form(row, Form::Source).ok()??;
        let release = self.store.release(row).ok()?;
        let folder = row.folder();
        let read = |path: &str| self.store.read(&format!("{folder}/{path}")).ok().flatten();
        let tree = release_tree(&release, &read);
        Some(ReleaseContent { bytes, path: row.path.clone(), content: row.content, tree: Box::new(tree) })
    }
}

fn flagged(release: &Release) -> Option<Flagged> {
    let flagged = || Flagged { version: release.version.clone(), path: release.path.clone() };
    release.is_insufficient().then(flagged)
}

/// The files that a release names, at their places in the source's repository.
fn release_tree(release: &Release, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> MemoryTree {
    let mut tree = MemoryTree::default();
    for skill in &release.skills {
        add_skill(&mut tree, skill, read);
    }
    for path in &release.files {
        if let Some(bytes) = read(&format!("files/{path}")) {
            tree.insert(path.clone(), bytes);
        }
    }
    tree
}

fn add_skill(tree: &mut MemoryTree, skill: &SkillRecord, read: &dyn Fn(&str) -> Option<Vec<u8>>) {
    for file in &skill.files {
        let Some(place) = skill.place(file) else { continue };
        let Some(bytes) = read(&file.ledger_path) else { continue };
        let kind = pack::tree::EntryKind::File { executable: file.executable };
        tree.insert_as(place, kind, bytes);
    }
}

impl Archive for StoreArchive<'_> {
    fn known(&self, id: &str) -> Vec<Known> {
        let status = PackStatus { source: self.source_layer(id), api: self.recorded_status(id).api };
        let yanked = |version: &Version| status.yanked(version).is_some();
        let mut known = Vec::new();
        if let Some(pack) = self.snapshot.packs.get(id) {
            known.extend(pack.releases.iter().map(|row| Known {
                version: row.version.clone(),
                yanked: yanked(&row.version),
                insufficient: row.is_insufficient() && !status.is_lifted(&row.version),
            }));
            // A removed release keeps its number, and nothing can be compared with it.
            let removed = pack.removed.iter().map(|row| row.version.clone());
            known.extend(removed.map(|version| Known { version, yanked: true, insufficient: false }));
        }
        known.extend(self.pending(id).iter().map(|new| Known {
            version: new.release.version.clone(),
            yanked: yanked(&new.release.version),
            insufficient: new.release.is_insufficient() && !status.is_lifted(&new.release.version),
        }));
        known
    }

    fn content(&self, id: &str, version: &Version) -> Option<ReleaseContent> {
        let pending = self.pending(id).iter().find(|new| new.release.version.cmp_precedence(version).is_eq());
        let Some(new) = pending else { return self.recorded(id, version) };
        let read = |path: &str| new.files.get(path).map(|file| file.bytes.clone());
        Some(ReleaseContent {
            bytes: read(Form::Source.file_name())?,
            path: new.release.path.clone(),
            content: new.release.content,
            tree: Box::new(release_tree(&new.release, &read)) as Box<dyn Tree>,
        })
    }

    fn removed_content(&self, id: &str, version: &Version) -> Option<Digest> {
        let pack = self.snapshot.packs.get(id)?;
        pack.removed.iter().find(|row| row.version.cmp_precedence(version).is_eq()).map(|row| row.content)
    }

    /// Explicit ids of a source beat first come; ties go by order in the configuration.
    fn owner(&self, id: &str) -> Option<String> {
        let claims =
            |source: &&SourceSettings| source.ids.iter().any(|p| registry::pattern::id_matches(p, id));
        let explicit = self.sources.iter().find(claims).map(|source| source.name.clone());
        let pending = || self.pending(id).first().map(|new| new.release.source.clone());
        let recorded = || self.snapshot.owner(id).map(|owner| self.present_name(owner));
        explicit.or_else(recorded).or_else(pending)
    }
}

impl StoreArchive<'_> {
    /// The name that a source has now, where it had another one before.
    fn present_name(&self, name: &str) -> String {
        let renamed = self.sources.iter().find(|source| source.is_called(name));
        renamed.map_or_else(|| name.to_owned(), |source| source.name.clone())
    }
}
