//! The documents of the API as far as commands read them. Fields that are not known here are passed over.

use std::collections::BTreeMap;

use registry::Digest;
use registry::release::FindingCounts;
use serde::{Deserialize, Serialize};

/// `GET /v1/packs/{id}`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackDocument {
    /// The pack's id.
    pub id: String,
    /// Its display name.
    #[serde(default)]
    pub name: Option<String>,
    /// Its description.
    #[serde(default)]
    pub description: Option<String>,
    /// The source that it comes from.
    #[serde(default)]
    pub source: Option<String>,
    /// The version that `latest` means.
    #[serde(default)]
    pub latest: Option<String>,
    /// Channels: name to version.
    #[serde(default)]
    pub channels: BTreeMap<String, String>,
    /// The versions, highest first.
    #[serde(default)]
    pub versions: Vec<VersionEntry>,
    /// Versions whose bytes were removed, highest first; their numbers stay taken.
    #[serde(default)]
    pub removed: Vec<RemovedEntry>,
}

/// One removed version in a [`PackDocument`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RemovedEntry {
    /// The version.
    pub version: String,
    /// When it was removed.
    #[serde(default)]
    pub removed_at: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// One version in a [`PackDocument`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VersionEntry {
    /// The version.
    pub version: String,
    /// The digest of its source bytes.
    pub digest: Digest,
    /// When it was published.
    #[serde(default)]
    pub published_at: Option<String>,
    /// How much its version moved; none for a first release.
    #[serde(default)]
    pub bump: Option<String>,
    /// How much its changes required; none for a first release.
    #[serde(default)]
    pub required_bump: Option<String>,
    /// Whether it holds a change that is major.
    #[serde(default)]
    pub breaking: bool,
    /// Why ranges skip it; `null`, `false` or nothing where they do not.
    #[serde(default)]
    pub flagged: serde_json::Value,
    /// Since when its break is accepted, where it was flagged for its bump.
    #[serde(default)]
    pub flag_lifted: Option<String>,
    /// Why it is yanked; none where it is not.
    #[serde(default)]
    pub yanked: Option<String>,
    /// Why it is deprecated; none where it is not.
    #[serde(default)]
    pub deprecated: Option<String>,
    /// How many findings it was published with.
    #[serde(default)]
    pub findings: FindingCounts,
}

impl VersionEntry {
    /// The reasons for which ranges skip it.
    pub fn flags(&self) -> Vec<String> {
        match &self.flagged {
            serde_json::Value::String(flag) => vec![flag.clone()],
            serde_json::Value::Array(flags) => {
                flags.iter().filter_map(|flag| flag.as_str().map(str::to_owned)).collect()
            }
            serde_json::Value::Bool(true) => vec!["flagged".to_owned()],
            _ => Vec::new(),
        }
    }

    /// Whether its bump was insufficient, or may have been.
    pub fn is_insufficient(&self) -> bool {
        self.flags().iter().any(|flag| flag != "error-findings")
    }
}

/// `GET /v1/packs/{id}/versions/{version}`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// The pack's id.
    pub id: String,
    /// The version.
    pub version: String,
    /// The digest of its source bytes.
    pub digest: Digest,
    /// The forms by name.
    #[serde(default)]
    pub forms: BTreeMap<String, ManifestForm>,
    /// The source that it comes from.
    #[serde(default)]
    pub source: Option<String>,
    /// The path of its file in the source.
    #[serde(default)]
    pub path: Option<String>,
    /// The commit in which it was found.
    #[serde(default)]
    pub commit: Option<String>,
    /// The tag that named it.
    #[serde(default)]
    pub tag: Option<String>,
    /// When it was published.
    #[serde(default)]
    pub published_at: Option<String>,
    /// Whether it holds a change that is major.
    #[serde(default)]
    pub breaking: bool,
    /// Why ranges skip it.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Since when its break is accepted, where it was flagged for its bump.
    #[serde(default)]
    pub flag_lifted: Option<String>,
    /// Why it is yanked; none where it is not.
    #[serde(default)]
    pub yanked: Option<String>,
    /// Why it is deprecated; none where it is not.
    #[serde(default)]
    pub deprecated: Option<String>,
    /// What inlining could not carry.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The skills, in the pack's order.
    #[serde(default)]
    pub skills: Vec<ManifestSkill>,
    /// The schema files that it refers to, by their path in the repository.
    #[serde(default)]
    pub files: Vec<ManifestFile>,
}

/// One skill in a [`Manifest`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ManifestSkill {
    /// Its name.
    pub name: String,
    /// Its files.
    #[serde(default)]
    pub files: Vec<ManifestFile>,
}

/// One file of a skill, or a schema file, in a [`Manifest`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Its path: of a skill's file below the skill's folder, of a schema file in the repository.
    pub path: String,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Where they are.
    pub url: String,
    /// Whether it may be run.
    #[serde(default)]
    pub executable: bool,
    /// Where it stands in the repository of the pack; none where it comes from another one.
    #[serde(default)]
    pub place: Option<String>,
}

/// One form in a [`Manifest`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ManifestForm {
    /// The digest of its bytes.
    pub digest: Digest,
    /// Their number.
    #[serde(default)]
    pub size: Option<u64>,
    /// Where they are.
    #[serde(default)]
    pub url: Option<String>,
}

/// `GET /v1/search`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchResult {
    /// The packs that were found, best first.
    pub hits: Vec<Hit>,
    /// Counts by tag, tool, domain and language.
    #[serde(default)]
    pub facets: BTreeMap<String, Vec<Facet>>,
    /// How many there are in all.
    #[serde(default)]
    pub total: u64,
    /// Where to go on.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// One pack that a search found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hit {
    /// The pack's id.
    pub id: String,
    /// Its display name.
    #[serde(default)]
    pub name: Option<String>,
    /// The version that is shown.
    #[serde(default)]
    pub version: Option<String>,
    /// Its description.
    #[serde(default)]
    pub description: Option<String>,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Its tools.
    #[serde(default)]
    pub tools: Vec<String>,
    /// How well it fits.
    #[serde(default)]
    pub score: Option<f64>,
}

/// One value of a facet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Facet {
    /// The value.
    pub value: String,
    /// How many hits have it.
    pub count: u64,
}
