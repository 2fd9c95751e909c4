//! Releases: what the ledger keeps of one published version, and its place there.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use pack::Digest;
use rules::Bump;
use serde::{Deserialize, Serialize};

use crate::problem::ProblemCode;
use crate::report::Report;

/// The number of the resolver that makes the resolved forms; a change of its output is a new number.
pub const RESOLVER: u32 = 1;

/// One published version, as `release.json` in the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// The pack's id.
    pub id: String,
    /// The version, without a leading `v`.
    pub version: semver::Version,
    /// SHA-256 of the exact source bytes.
    pub digest: Digest,
    /// Identity of the content: equal for two byte forms of one content.
    pub content: Digest,
    /// The forms that are kept, each with digest and size in bytes: `source`, `resolved`, `portable`, `bundle`.
    pub forms: BTreeMap<Form, FormRecord>,
    /// The name of the source.
    pub source: String,
    /// The path of the pack file in the source's repository.
    pub path: String,
    /// The commit in which the content was first accepted.
    pub commit: String,
    /// The tag that named it, in tags mode.
    pub tag: Option<String>,
    /// The id of the tag itself, where it is an annotated one: who signed a release is found there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_object: Option<String>,
    /// When it was published; never before an earlier release's time.
    pub published_at: Timestamp,
    /// The spec version that judged it.
    pub spec_version: String,
    /// How much its version moved from the baseline's; none for a first release.
    pub bump: Option<Bump>,
    /// How much its changes required; none for a first release.
    pub required_bump: Option<Bump>,
    /// Whether it holds a change that is major under the profile.
    pub breaking: bool,
    /// Why ranges skip it; empty where they do not.
    pub flags: Vec<Flag>,
    /// How many findings it was published with.
    pub findings: FindingCounts,
    /// What the catalog and the search show of it.
    pub summary: Summary,
    /// The skills that it names, in the pack's order.
    pub skills: Vec<SkillRecord>,
    /// Schema files that it refers to, by their path in the repository.
    pub files: Vec<String>,
    /// What inlining could not carry, and the like.
    pub warnings: Vec<String>,
    /// Which resolver made the resolved form.
    pub resolver: u32,
    /// That its bytes were removed; none as long as they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<Removal>,
}

/// What is kept of a removal: enough to answer every old path and digest, and nothing of the pack's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// When the bytes were removed.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
    /// Who removed them: the name of a token.
    pub by: String,
    /// The digests of every form and file that was served.
    pub digests: BTreeSet<Digest>,
}

/// The forms in which a release is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The exact bytes of the source.
    Source,
    /// Self-contained: every skill reference became an inline skill.
    Resolved,
    /// Resolved, with fragments expanded into the templates.
    Portable,
    /// A tar.gz of the pack and the files that it names.
    Bundle,
}

impl Form {
    /// The form as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Form::Source => "source",
            Form::Resolved => "resolved",
            Form::Portable => "portable",
            Form::Bundle => "bundle",
        }
    }

    /// Every form, in the order in which digests are looked up.
    pub const ALL: [Form; 4] = [Form::Source, Form::Resolved, Form::Portable, Form::Bundle];

    /// The media type of its bytes.
    pub fn media_type(self) -> &'static str {
        match self {
            Form::Source | Form::Resolved | Form::Portable => "application/json",
            Form::Bundle => "application/gzip",
        }
    }

    /// The form whose file in the ledger holds these bytes, since equal ones are kept once; `digest` gives the digest
    /// of a form that is recorded. None for what the release does not have, and for a bundle: it is made of the other
    /// files.
    pub fn kept_as(self, digest: &dyn Fn(Form) -> Option<Digest>) -> Option<Form> {
        match self {
            Form::Source => Some(Form::Source),
            Form::Resolved if digest(Form::Resolved).is_some() => Some(Form::Resolved),
            // Only a form that differs from the source was ever recorded.
            Form::Resolved => Some(Form::Source),
            Form::Portable => {
                let own = digest(Form::Portable)?;
                let equal =
                    [Form::Source, Form::Resolved].into_iter().find(|form| digest(*form) == Some(own));
                Some(equal.unwrap_or(Form::Portable))
            }
            Form::Bundle => None,
        }
    }

    /// The file name of the form, in the ledger and in the API.
    pub fn file_name(self) -> &'static str {
        match self {
            Form::Source => "pack.json",
            Form::Resolved => "resolved.json",
            Form::Portable => "portable.json",
            Form::Bundle => "bundle.tar.gz",
        }
    }
}

/// The bytes of one form, by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormRecord {
    /// SHA-256 of the form's bytes.
    pub digest: Digest,
    /// Their number.
    pub size: u64,
}

impl FormRecord {
    /// The record of these bytes.
    pub fn of(bytes: &[u8]) -> FormRecord {
        FormRecord { digest: Digest::of(bytes), size: bytes.len() as u64 }
    }
}

/// Why a release is held back from ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// Its version moved less than its changes require.
    InsufficientBump,
    /// It was published in spite of error findings.
    ErrorFindings,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Flag; 2] = [Flag::InsufficientBump, Flag::ErrorFindings];

    /// What it means, and how it goes.
    pub fn meaning(self) -> [&'static str; 2] {
        match self {
            Flag::InsufficientBump => [
                "The version moved less than the changes of the release require, so ranges and `latest` do not move \
                 onto it; its exact version is served.",
                "Publish a version that is enough (`packhouse bump --write`), or accept the changes with `[[allow]]` \
                 entries in `packhouse.toml` at the head of the branch.",
            ],
            Flag::ErrorFindings => [
                "The release was published in spite of error findings, so ranges and `latest` do not move onto it; \
                 its exact version is served.",
                "Repair what `packhouse lint` says, and publish the next version.",
            ],
        }
    }

    /// The problem that a release with this flag is for its source, as long as its owner can do something.
    pub fn problem(self) -> ProblemCode {
        match self {
            Flag::InsufficientBump => ProblemCode::InsufficientBump,
            Flag::ErrorFindings => ProblemCode::ErrorFindings,
        }
    }

    /// The flag as headers and pages write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Flag::InsufficientBump => "insufficient-bump",
            Flag::ErrorFindings => "error-findings",
        }
    }
}

/// How many findings there are at each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FindingCounts {
    /// At level error.
    pub error: usize,
    /// At level warn.
    pub warn: usize,
    /// At level info.
    pub info: usize,
}

/// What the catalog and the search show of a release.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The pack's display name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// `metadata.domain`
    pub domain: Option<String>,
    /// `metadata.language`
    pub language: Option<String>,
    /// `metadata.tags`, in order.
    pub tags: Vec<String>,
    /// Its prompts, in order.
    pub prompts: Vec<PromptSummary>,
    /// Its tools, in order.
    pub tools: Vec<ToolSummary>,
}

/// One prompt of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSummary {
    /// Its key.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// Its own version, as it is written.
    pub version: String,
    /// Its variables, in order.
    pub variables: Vec<VariableSummary>,
    /// Names of its tools, in order.
    pub tools: Vec<String>,
}

/// One variable of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableSummary {
    /// Its name.
    pub name: String,
    /// Its declared type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether callers have to send it.
    pub required: bool,
}

/// One tool of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSummary {
    /// Its key.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// One skill of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRecord {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The reference as the pack writes it; none for an inline skill.
    pub reference: Option<String>,
    /// The position of the reference in the pack's list, from 0.
    pub position: usize,
    /// Whether it is loaded eagerly.
    pub preload: bool,
    /// SHA-256 over the names and digests of its files; over its text for an inline skill.
    pub digest: Digest,
    /// The commit of a package that it was read from; see [`Release::commit_of`] for all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Where its folder (or its file) stands in its repository; none for an inline skill.
    pub root: Option<String>,
    /// Its files, sorted by path.
    pub files: Vec<SkillFile>,
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillFile {
    /// Its path below the skill's own folder.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Whether it may be run.
    #[serde(default)]
    pub executable: bool,
    /// Where its bytes stand below the release's folder in the ledger.
    pub ledger_path: String,
}

impl SkillRecord {
    /// The path of one of its files below the folder that its reference names.
    pub fn below<'f>(&self, file: &'f SkillFile) -> Option<&'f str> {
        file.ledger_path.strip_prefix(&format!("skills/{}/", self.position))
    }

    /// Where one of its files stands in the repository of the pack; none where it comes from another one.
    pub fn place(&self, file: &SkillFile) -> Option<String> {
        let root = self.root.as_ref().filter(|_| self.reference.is_some() && !self.is_package())?;
        let below = self.below(file)?;
        // A reference to a single file names the file itself.
        if root.rsplit('/').next() == Some(below) {
            Some(root.clone())
        } else {
            pack::tree::join(root, below)
        }
    }

    /// Whether it comes from a package: its root stands in another repository.
    pub fn is_package(&self) -> bool {
        self.reference.as_deref().is_some_and(|reference| reference.starts_with('@'))
    }
}

impl Release {
    /// The folder of the release in the ledger.
    pub fn folder(&self) -> String {
        release_folder(&self.id, &self.version)
    }

    /// The commit that a skill was read from; none for an inline skill.
    pub fn commit_of<'r>(&'r self, skill: &'r SkillRecord) -> Option<&'r str> {
        let own = skill.reference.as_ref().map(|_| self.commit.as_str());
        skill.commit.as_deref().or(own)
    }

    /// What stays of the release when its bytes are removed: its number, its origin, and digests. Whatever was text
    /// of the pack goes.
    #[must_use]
    pub fn tombstone(&self, at: Timestamp, reason: &str, by: &str) -> Release {
        let forms = self.forms.values().map(|form| form.digest);
        let files = self.skills.iter().flat_map(|skill| &skill.files).map(|file| file.digest);
        let digests = forms.chain(files).collect();
        Release {
            summary: Summary::default(),
            skills: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
            removed: Some(Removal { at, reason: reason.to_owned(), by: by.to_owned(), digests }),
            ..self.clone()
        }
    }

    /// Whether its version moved less than its changes require.
    pub fn is_insufficient(&self) -> bool {
        self.flags.contains(&Flag::InsufficientBump)
    }
}

/// The folder of a pack in the ledger: `packs/<first two hex digits of SHA-256 of the id>/<id>`.
pub fn pack_folder(id: &str) -> String {
    format!("packs/{}/{id}", &Digest::of(id.as_bytes()).hex()[..2])
}

/// The folder of a release in the ledger.
pub fn release_folder(id: &str, version: &semver::Version) -> String {
    format!("{}/{version}", pack_folder(id))
}

/// An accepted candidate, ready for the ledger: the record and every file below the release's folder.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRelease {
    /// The record; `published_at` is set by the store when it commits.
    pub release: Release,
    /// The words said when it was published.
    pub report: Report,
    /// Path below the release's folder to its bytes: forms, skills, schema files.
    pub files: BTreeMap<String, StoredFile>,
}

/// Bytes to be kept, and whether they may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the file may be run.
    pub executable: bool,
}

impl StoredFile {
    /// Bytes that nobody runs.
    pub fn plain(bytes: Vec<u8>) -> StoredFile {
        StoredFile { bytes, executable: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms whose files hold the bytes of all four, where those with a number have the digest of it.
    fn kept(recorded: [Option<u8>; 4]) -> [Option<Form>; 4] {
        let digest = |form: Form| {
            let at = Form::ALL.iter().position(|known| *known == form)?;
            recorded[at].map(|number| Digest::of(&[number]))
        };
        Form::ALL.map(|form| form.kept_as(&digest))
    }

    #[test]
    fn equal_forms_are_kept_once_and_bundles_never() {
        use Form::{Portable, Resolved, Source};
        assert_eq!(kept([Some(1), None, Some(1), Some(4)]), [Some(Source), Some(Source), Some(Source), None]);
        assert_eq!(kept([Some(1), None, Some(3), None]), [Some(Source), Some(Source), Some(Portable), None]);
        assert_eq!(
            kept([Some(1), Some(2), Some(2), None]),
            [Some(Source), Some(Resolved), Some(Resolved), None]
        );
        assert_eq!(
            kept([Some(1), Some(2), Some(3), None]),
            [Some(Source), Some(Resolved), Some(Portable), None]
        );
        // Published before there were portable forms.
        assert_eq!(kept([Some(1), Some(2), None, None]), [Some(Source), Some(Resolved), None, None]);
    }
}
