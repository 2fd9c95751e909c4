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
use registry::release::Flag;
use registry::settings::{FILE_NAME, find_settings};
use registry::status::PackStatus;
use rules::place::has_place;
use rules::{Bump, Level};
use semver::Version;
use store::{ReleaseRow, StoreArchive};

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
        let source = self.scanner.source;
        let reader = store::Reader::inner();
        let is_own = |id: &str| snapshot.owner(id).is_some_and(|owner| source.is_called(owner));
        let recorded = snapshot.packs(&reader).filter(|pack| is_own(&pack.id));
        recorded.map(|pack| pack.id.clone()).chain(self.archive.added_ids()).collect()
    }

    fn status(&self, id: &str) -> PackStatus {
        let snapshot = self.scanner.store.snapshot();
        snapshot.pack(&store::Reader::inner(), id).map(|pack| pack.status.clone()).unwrap_or_default()
    }

    /// A release that ranges skip for its flags is a problem as long as the head or its tag shows it.
    pub(super) fn note_held_back(&mut self) {
        self.state.settle(&Flag::ALL.map(Flag::problem));
        let snapshot = self.scanner.store.snapshot();
        let mut problems = Vec::new();
        for id in self.own_packs() {
            let Some(pack) = snapshot.pack(&store::Reader::inner(), &id) else { continue };
            for row in pack.held_back().filter(|row| self.scanner.source.is_called(&row.source)) {
                for (path, tag) in self.places_of(row) {
                    for flag in pack.active_flags(row) {
                        let problem =
                            Problem::new(flag.problem(), held_back(row, *flag)).at_path(path.as_str());
                        let problem = problem.at_reference(tag.as_deref()).at_commit(&row.commit);
                        problems.push(problem.of(Some(&id), Some(&row.version.to_string())));
                    }
                }
            }
        }
        for problem in problems {
            self.see(&problem);
        }
    }

    /// Where the source shows a release now: the files of the head, or the tag that it came from.
    fn places_of(&self, row: &ReleaseRow) -> Vec<(String, Option<String>)> {
        let Some(versions) = &self.head_versions else {
            let Ok(release) = self.scanner.store.release(row) else { return Vec::new() };
            let object = release.tag_object.as_ref().unwrap_or(&release.commit);
            let shown = release.tag.filter(|tag| self.state.tags.get(tag) == Some(object));
            return shown.map(|tag| (row.path.clone(), Some(tag))).into_iter().collect();
        };
        // A file that says the same version and was refused holds something else.
        let is_refused = |path: &str| {
            let mut current = self.state.problems.iter().filter(|problem| problem.current);
            current.any(|problem| problem.level == Level::Error && problem.path.as_deref() == Some(path))
        };
        let files = versions.get(&row.id).into_iter().flatten();
        let files = files.filter(|(_, version)| version.cmp_precedence(&row.version).is_eq());
        files.filter(|(path, _)| !is_refused(path)).map(|(path, _)| (path.clone(), None)).collect()
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

fn held_back(row: &ReleaseRow, flag: Flag) -> String {
    let release = format!("{}@{} is published and flagged", row.id, row.version);
    let word = |bump: Option<Bump>| bump.map_or("nothing", Bump::as_str);
    match flag {
        Flag::InsufficientBump => format!(
            "{release}: its version moved by {}, and its changes require {}",
            word(row.bump),
            word(row.required_bump)
        ),
        Flag::ErrorFindings => format!("{release}: it has error findings"),
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
