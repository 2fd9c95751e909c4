//! Rows: what a look-up needs to know of a release without reading the ledger.

use jiff::Timestamp;
use pack::Digest;
use registry::release::{FindingCounts, Flag, Form, Release, Removal};
use rules::Bump;
use semver::Version;
use serde::{Deserialize, Serialize};

/// One release in the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseRow {
    /// The pack's id.
    pub id: String,
    /// The version.
    pub version: Version,
    /// Digest and size of each form that is kept.
    pub forms: Vec<(Form, Digest, u64)>,
    /// Identity of the content.
    pub content: Digest,
    /// The source.
    pub source: String,
    /// The path of the pack file in the source.
    pub path: String,
    /// The commit that brought it.
    pub commit: String,
    /// When it was published.
    pub published_at: Timestamp,
    /// How much its version moved.
    pub bump: Option<Bump>,
    /// How much its changes required.
    pub required_bump: Option<Bump>,
    /// Whether it holds a major change.
    pub breaking: bool,
    /// Why ranges skip it.
    pub flags: Vec<Flag>,
    /// How many findings it was published with.
    pub findings: FindingCounts,
    /// The pack's display name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// That its bytes were removed.
    pub removed: Option<Removal>,
}

impl ReleaseRow {
    /// The row of a release.
    pub fn new(release: &Release) -> ReleaseRow {
        ReleaseRow {
            id: release.id.clone(),
            version: release.version.clone(),
            forms: release.forms.iter().map(|(form, record)| (*form, record.digest, record.size)).collect(),
            content: release.content,
            source: release.source.clone(),
            path: release.path.clone(),
            commit: release.commit.clone(),
            published_at: release.published_at,
            bump: release.bump,
            required_bump: release.required_bump,
            breaking: release.breaking,
            flags: release.flags.clone(),
            findings: release.findings,
            name: release.summary.name.clone(),
            description: release.summary.description.clone(),
            tags: release.summary.tags.clone(),
            removed: release.removed.clone(),
        }
    }

    /// The form whose file in the ledger holds what is asked; see [`Form::kept_as`].
    pub fn kept_as(&self, form: Form) -> Option<Form> {
        form.kept_as(&|known| self.recorded(known).map(|(digest, _)| digest))
    }

    /// Digest and size of a form; none for one that the release does not have.
    pub fn form(&self, form: Form) -> Option<(Digest, u64)> {
        self.recorded(form).or_else(|| self.recorded(self.kept_as(form)?))
    }

    fn recorded(&self, form: Form) -> Option<(Digest, u64)> {
        self.forms.iter().find(|(known, ..)| *known == form).map(|(_, digest, size)| (*digest, *size))
    }

    /// The digest of the source bytes.
    pub fn digest(&self) -> Digest {
        self.recorded(Form::Source).map_or(self.content, |(digest, _)| digest)
    }

    /// Whether its version moved less than its changes require.
    pub fn is_insufficient(&self) -> bool {
        self.flags.contains(&Flag::InsufficientBump)
    }

    /// Its folder in the ledger.
    pub fn folder(&self) -> String {
        registry::release::release_folder(&self.id, &self.version)
    }
}

/// A source as the ledger keeps it: the one place that decides who sees its packs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Its name.
    pub name: String,
    /// Where its repository is.
    pub url: String,
    /// Groups that may see its packs; empty means everybody who may read.
    #[serde(default)]
    pub readers: Vec<String>,
    /// Ids that it may claim, with `*`.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Names that it had before.
    #[serde(default)]
    pub former_names: Vec<String>,
    /// The head when it was first scanned; versions that stood there may be adopted more gently.
    #[serde(default)]
    pub first_head: Option<String>,
}

impl SourceRecord {
    /// Its path in the ledger.
    pub fn path(name: &str) -> String {
        format!("sources/{name}.json")
    }
}
