//! What a source says of its packs beside their releases: yanks, channels, and a head that went back.

use std::collections::{BTreeMap, BTreeSet};

use git::{ObjectId, SourceRepository};
use jiff::Timestamp;
use pack::Document;
use pack::tree::Tree;
use registry::candidate::Archive;
use registry::discover::BranchState;
use registry::idle::{Holdings, idle};
use registry::lifting::{Flagged, lifted};
use registry::problem::{Problem, ProblemCode};
use registry::settings::{FILE_NAME, find_settings};
use registry::status::PackStatus;
use rules::place::has_place;
use semver::Version;
use store::StoreArchive;

use super::{Run, ScanError};

impl Run<'_> {
    /// Takes in the root settings of a commit; ones that cannot be read are a problem, and change nothing.
    pub(super) fn fold_root(&mut self, tree: &dyn Tree, commit: &str) {
        // That of a tag stays with its tag.
        self.state
            .retract(|problem| problem.reference.is_none() && problem.path.as_deref() == Some(FILE_NAME));
        match find_settings(tree, "") {
            Ok(found) => self.archive.fold(found.settings),
            Err((path, error)) => {
                let problem = Problem::new(ProblemCode::InvalidConfiguration, error.to_string());
                self.see(&problem.at_path(path).at_commit(commit));
            }
        }
    }

    /// Takes in which flags the settings of a commit lift.
    pub(super) fn fold_lifted(&mut self, tree: &dyn Tree, at: Timestamp) {
        let mut all = BTreeMap::new();
        for id in self.own_packs() {
            let flagged = self.archive.flagged(&id);
            if !flagged.is_empty() {
                let lifted = self.lifted(&id, &flagged, tree, at);
                all.insert(id, lifted);
            }
        }
        self.archive.fold_lifted(all, at);
    }

    /// Takes in which flags of releases that were just added the settings of a commit lift; says whether any was added.
    pub(super) fn lift_added(&mut self, tree: &dyn Tree, at: Timestamp) -> bool {
        let added = self.archive.take_flagged();
        for (id, flagged) in &added {
            let lifted = self.lifted(id, std::slice::from_ref(flagged), tree, at);
            self.archive.add_lifted(id, lifted, at);
        }
        !added.is_empty()
    }

    fn lifted(&self, id: &str, flagged: &[Flagged], tree: &dyn Tree, at: Timestamp) -> BTreeSet<Version> {
        let today = jiff::tz::Offset::UTC.to_datetime(at).date();
        lifted(&self.archive, id, flagged, tree, (&self.scanner.settings.policy, today))
    }

    /// What the root settings at the head say of the source's packs, where that is news.
    pub(super) fn statuses(
        &mut self,
        repository: &SourceRepository,
        head: ObjectId,
    ) -> Result<Statuses, ScanError> {
        if self.archive.folded().is_none() {
            self.fold_root(&repository.tree(head)?, &head.to_string());
        }
        let mut statuses = Vec::new();
        for id in self.own_packs() {
            let before = self.status(&id);
            let after = PackStatus { source: self.archive.source_layer(&id), api: before.api.clone() };
            let changes = before.changes(&after);
            if before != after {
                statuses.push((id, after, changes));
            }
        }
        Ok(statuses)
    }

    /// What the root settings say of packs, versions and places that do not exist is a problem of that file.
    pub(super) fn note_idle(&mut self) {
        self.state.settle(&[ProblemCode::IdleSetting]);
        let Some(settings) = self.archive.folded() else { return };
        let mut held = self.own_packs();
        held.extend(self.head_versions.iter().flatten().map(|(id, _)| id.clone()));
        let idle = idle(settings, &Held { archive: &self.archive, ids: held });
        let commit = self.state.head.clone().unwrap_or_default();
        for (pack, message) in idle {
            let problem = Problem::new(ProblemCode::IdleSetting, message).at_path(FILE_NAME);
            self.see(&problem.at_commit(commit.as_str()).of(Some(&pack), None));
        }
    }

    fn own_packs(&self) -> BTreeSet<String> {
        let snapshot = self.scanner.store.snapshot();
        let name = &self.scanner.source.name;
        let reader = store::Reader::inner();
        let recorded = snapshot.packs(&reader).filter(|pack| snapshot.owner(&pack.id) == Some(name.as_str()));
        recorded.map(|pack| pack.id.clone()).chain(self.archive.added_ids()).collect()
    }

    fn status(&self, id: &str) -> PackStatus {
        let snapshot = self.scanner.store.snapshot();
        snapshot.pack(&store::Reader::inner(), id).map(|pack| pack.status.clone()).unwrap_or_default()
    }

    /// A lower version at the head than the latest release is a problem of that file.
    pub(super) fn note_decreased(&mut self) {
        self.state.settle(&[ProblemCode::VersionDecreased]);
        let Some(versions) = self.head_versions.take() else { return };
        let snapshot = self.scanner.store.snapshot();
        let reader = store::Reader::inner();
        let mut problems = Vec::new();
        for (id, files) in versions {
            // One that nobody owned before this scan is its own.
            let is_own = self.archive.owner(&id).is_none_or(|owner| owner == self.scanner.source.name);
            let Some(pack) = snapshot.pack(&reader, &id).filter(|_| is_own) else { continue };
            let is_left =
                |version: &semver::Version| version.pre.is_empty() && pack.status.yanked(version).is_none();
            let stable = pack.releases.iter().rev().find(|release| is_left(&release.version));
            let Some(latest) = stable else { continue };
            let highest = files.iter().map(|(_, version)| version).max_by(|a, b| a.cmp_precedence(b));
            for (path, version) in &files {
                let lower = version.cmp_precedence(&latest.version).is_lt();
                if lower && highest.is_some_and(|highest| highest.cmp_precedence(&latest.version).is_lt()) {
                    let message =
                        format!("the head holds {id}@{version}, and {} is released", latest.version);
                    let problem = Problem::new(ProblemCode::VersionDecreased, message).at_path(path.clone());
                    problems.push(problem.of(Some(&id), Some(&version.to_string())));
                }
            }
        }
        for problem in problems {
            self.see(&problem);
        }
    }
}

/// What the source that is scanned holds.
struct Held<'h, 's> {
    archive: &'h StoreArchive<'s>,
    ids: BTreeSet<String>,
}

impl Holdings for Held<'_, '_> {
    fn holds(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    fn taken(&self, id: &str) -> Vec<Version> {
        self.archive.known(id).into_iter().map(|known| known.version).collect()
    }

    fn served(&self, id: &str) -> Vec<Version> {
        self.archive.versions(id)
    }

    /// The newest release is asked first: what is announced mostly still stands there.
    fn has_place(&self, id: &str, place: &str) -> bool {
        let mut versions = self.archive.versions(id);
        versions.sort_by(|a, b| b.cmp_precedence(a));
        versions.iter().any(|version| {
            let content = self.archive.content(id, version);
            let document = content.and_then(|content| Document::parse(&content.bytes).0);
            document.is_some_and(|document| has_place(&document, place))
        })
    }
}

pub(super) type Statuses = Vec<(String, PackStatus, Vec<registry::status::StatusChange>)>;

/// Versions that stand at the head: id to (path, version).
pub(super) type HeadVersions = BTreeMap<String, Vec<(String, semver::Version)>>;

pub(super) fn head_versions(state: &BranchState) -> HeadVersions {
    let mut versions = HeadVersions::new();
    for (path, pack) in &state.packs {
        let version = pack.version.as_deref().and_then(pack::model::parse_version);
        if let (Some(id), Some(version)) = (&pack.id, version) {
            versions.entry(id.clone()).or_default().push((path.clone(), version));
        }
    }
    versions
}
