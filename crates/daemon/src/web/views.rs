//! What the API shows of packs and releases; the pages are a second rendering of the same.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pack::Digest;
use registry::Release;
use registry::release::{FindingCounts, Form, PromptSummary, SkillRecord, ToolSummary};
use rules::Bump;
use serde::Serialize;
use store::{PackEntry, ReleaseRow};

use super::address;
use super::target::{View, flag_names};

/// One pack in a list.
#[derive(Debug, Serialize)]
pub(crate) struct PackSummary {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub latest: Option<String>,
    pub tags: Vec<String>,
    pub updated_at: Option<Timestamp>,
}

impl PackSummary {
    /// What its latest release says; where all are held back, its highest one.
    pub(crate) fn new(view: &View, pack: &PackEntry) -> PackSummary {
        let latest = view.latest(pack);
        let shown = latest.as_ref().or_else(|| view.releases(pack).next_back());
        PackSummary {
            id: pack.id.clone(),
            name: shown.map(|row| row.name.clone()).unwrap_or_default(),
            description: shown.and_then(|row| row.description.clone()),
            latest: latest.as_ref().map(|row| row.version.to_string()),
            tags: shown.map(|row| row.tags.clone()).unwrap_or_default(),
            updated_at: view.releases(pack).map(|row| row.published_at).max(),
        }
    }
}

/// A pack and its versions.
#[derive(Debug, Serialize)]
pub(crate) struct PackDocument {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub source: String,
    pub latest: Option<String>,
    pub channels: BTreeMap<String, String>,
    pub versions: Vec<VersionView>,
    pub removed: Vec<RemovedView>,
}

/// A release whose bytes were removed.
#[derive(Debug, Serialize)]
pub(crate) struct RemovedView {
    pub version: String,
    pub removed_at: Timestamp,
    pub reason: String,
}

/// One version of a pack.
#[derive(Debug, Serialize)]
pub(crate) struct VersionView {
    pub version: String,
    pub digest: Digest,
    pub published_at: Timestamp,
    pub bump: Option<Bump>,
    pub required_bump: Option<Bump>,
    pub breaking: bool,
    pub flagged: bool,
    pub flags: Vec<&'static str>,
    /// Since when its break is accepted, where it was flagged for its bump.
    pub flag_lifted: Option<Timestamp>,
    pub yanked: Option<String>,
    pub deprecated: Option<String>,
    pub findings: FindingCounts,
}

impl PackDocument {
    /// Everything that is said of a pack.
    pub(crate) fn new(view: &View, pack: &PackEntry) -> PackDocument {
        let summary = PackSummary::new(view, pack);
        let channels = pack.status.channels().into_iter();
        let channels = channels.filter(|(_, version)| view.sees_version(pack, version));
        PackDocument {
            id: summary.id,
            name: summary.name,
            description: summary.description,
            source: view.source_of(pack),
            latest: summary.latest,
            channels: channels.map(|(name, version)| (name.to_owned(), version.to_string())).collect(),
            versions: view.releases(pack).rev().map(|row| VersionView::new(pack, row)).collect(),
            removed: view.removed(pack).rev().filter_map(|row| RemovedView::new(row)).collect(),
        }
    }
}

impl RemovedView {
    fn new(row: &ReleaseRow) -> Option<RemovedView> {
        let removal = row.removed.as_ref()?;
        let version = row.version.to_string();
        Some(RemovedView { version, removed_at: removal.at, reason: removal.reason.clone() })
    }
}

impl VersionView {
    /// What is said of one version.
    pub(crate) fn new(pack: &PackEntry, row: &ReleaseRow) -> VersionView {
        let flags = flag_names(pack, row);
        VersionView {
            version: row.version.to_string(),
            digest: row.digest(),
            published_at: row.published_at,
            bump: row.bump,
            required_bump: row.required_bump,
            breaking: row.breaking,
            flagged: !flags.is_empty(),
            flags,
            flag_lifted: flag_lifted(pack, row),
            yanked: pack.status.yanked(&row.version).map(str::to_owned),
            deprecated: pack.status.deprecated(&row.version).map(str::to_owned),
            findings: row.findings,
        }
    }
}

fn flag_lifted(pack: &PackEntry, row: &ReleaseRow) -> Option<Timestamp> {
    pack.status.lifted_since(&row.version).filter(|_| row.is_insufficient())
}

/// One form of a release.
#[derive(Debug, Serialize)]
pub(crate) struct FormView {
    pub digest: Digest,
    pub size: u64,
    pub url: String,
}

/// The forms of a release, by name. A form that equals another has its digest and an address of its own.
pub(crate) fn forms(row: &ReleaseRow) -> BTreeMap<&'static str, FormView> {
    let view = |form: Form| {
        let (digest, size) = row.form(form)?;
        Some((form.as_str(), FormView { digest, size, url: address::form(&row.id, &row.version, form) }))
    };
    Form::ALL.into_iter().filter_map(view).collect()
}

/// Everything that is said of one release.
#[derive(Debug, Serialize)]
pub(crate) struct Manifest {
    pub id: String,
    pub version: String,
    pub digest: Digest,
    pub forms: BTreeMap<&'static str, FormView>,
    pub source: String,
    pub path: String,
    pub commit: String,
    pub tag: Option<String>,
    pub published_at: Timestamp,
    pub spec_version: String,
    pub bump: Option<Bump>,
    pub required_bump: Option<Bump>,
    pub breaking: bool,
    pub flagged: bool,
    pub flags: Vec<&'static str>,
    pub flag_lifted: Option<Timestamp>,
    pub yanked: Option<String>,
    pub deprecated: Option<String>,
    pub prompts: Vec<PromptSummary>,
    pub tools: Vec<ToolSummary>,
    pub skills: Vec<SkillView>,
    pub files: Vec<SchemaFileView>,
    pub warnings: Vec<String>,
}

/// One schema file that a pack refers to.
#[derive(Debug, Serialize)]
pub(crate) struct SchemaFileView {
    pub path: String,
    pub size: u64,
    pub digest: Digest,
    pub url: String,
}

impl SchemaFileView {
    /// The file at a path of the repository.
    pub(crate) fn new(release: &Release, path: &str, bytes: &[u8]) -> SchemaFileView {
        SchemaFileView {
            path: path.to_owned(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
            url: address::schema_file(&release.id, &release.version, path),
        }
    }
}

/// One skill of a release.
#[derive(Debug, Serialize)]
pub(crate) struct SkillView {
    pub name: String,
    pub description: String,
    pub reference: Option<String>,
    pub preload: bool,
    pub digest: Digest,
    pub commit: Option<String>,
    pub files: Vec<SkillFileView>,
}

/// One file of a skill.
#[derive(Debug, Serialize)]
pub(crate) struct SkillFileView {
    pub path: String,
    pub size: u64,
    pub digest: Digest,
    pub url: String,
    pub executable: bool,
    pub place: Option<String>,
}

impl Manifest {
    /// The manifest of a release, out of its record, what is said of it since, and its schema files.
    pub(crate) fn new(
        pack: &PackEntry,
        row: &ReleaseRow,
        release: &Release,
        files: Vec<SchemaFileView>,
    ) -> Manifest {
        let flags = flag_names(pack, row);
        Manifest {
            id: release.id.clone(),
            version: release.version.to_string(),
            digest: release.digest,
            forms: forms(row),
            source: release.source.clone(),
            path: release.path.clone(),
            commit: release.commit.clone(),
            tag: release.tag.clone(),
            published_at: release.published_at,
            spec_version: release.spec_version.clone(),
            bump: release.bump,
            required_bump: release.required_bump,
            breaking: release.breaking,
            flagged: !flags.is_empty(),
            flags,
            flag_lifted: flag_lifted(pack, row),
            yanked: pack.status.yanked(&row.version).map(str::to_owned),
            deprecated: pack.status.deprecated(&row.version).map(str::to_owned),
            prompts: release.summary.prompts.clone(),
            tools: release.summary.tools.clone(),
            skills: skills(release),
            files,
            warnings: release.warnings.clone(),
        }
    }
}

fn skills(release: &Release) -> Vec<SkillView> {
    let keys = address::skill_keys(&release.skills);
    release.skills.iter().zip(&keys).map(|(skill, key)| SkillView::new(release, skill, key)).collect()
}

impl SkillView {
    fn new(release: &Release, skill: &SkillRecord, key: &str) -> SkillView {
        let files = skill.files.iter().map(|file| SkillFileView {
            path: file.path.clone(),
            size: file.size,
            digest: file.digest,
            url: address::skill_file(&release.id, &release.version, key, &file.path),
            executable: file.executable,
            place: skill.place(file),
        });
        SkillView {
            name: skill.name.clone(),
            description: skill.description.clone(),
            reference: skill.reference.clone(),
            preload: skill.preload,
            digest: skill.digest,
            commit: release.commit_of(skill).map(str::to_owned),
            files: files.collect(),
        }
    }
}
