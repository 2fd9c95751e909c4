//! Reports: findings and changes as every door shows them.
//!
//! The types here are the JSON of `lint`, `diff` and `check`, of the API and of `report.json` in the ledger: one
//! shape, so that no two doors can differ.

use std::collections::BTreeMap;

use pack::Digest;
use rules::{Bump, Change, Finding, Group, Level, Profile};
use serde::{Deserialize, Serialize};

use crate::release::FindingCounts;
use crate::settings::ZeroMajor;

/// One finding with the file and pack that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingView {
    /// The id of the lint.
    pub rule: String,
    /// How serious it is.
    pub level: Level,
    /// The lint's group.
    pub group: Group,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The path of the file, as it was named.
    pub path: String,
    /// The pack's id; empty where it is unknown.
    pub pack: String,
    /// The JSON Pointer of the place.
    pub pointer: String,
    /// First line, from 1.
    pub line: u32,
    /// First column in code points, from 1.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// The pointer with names instead of array positions.
    pub place: String,
    /// Sixteen hexadecimal digits that survive reformatting and moving the file.
    pub fingerprint: String,
    /// Whether an `[[allow]]` entry accepts it.
    pub acknowledged: bool,
}

impl FindingView {
    /// The view of one finding.
    pub fn new(finding: &Finding, path: &str, pack: &str) -> FindingView {
        FindingView {
            rule: finding.rule.clone(),
            level: finding.level,
            group: finding.group,
            message: finding.message.clone(),
            help: finding.help.clone(),
            path: path.to_owned(),
            pack: pack.to_owned(),
            pointer: finding.pointer.to_string(),
            line: finding.start.line,
            column: finding.start.column,
            end_line: finding.end.line,
            end_column: finding.end.column,
            place: finding.place.clone(),
            fingerprint: finding.fingerprint.clone(),
            acknowledged: finding.acknowledged,
        }
    }
}

/// Counts findings by level; acknowledged ones are left out.
pub fn count(findings: &[FindingView]) -> FindingCounts {
    let of =
        |level| findings.iter().filter(|finding| finding.level == level && !finding.acknowledged).count();
    FindingCounts { error: of(Level::Error), warn: of(Level::Warn), info: of(Level::Info) }
}

/// The JSON of `lint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintReport {
    /// The version of this shape: 1.
    pub version: u32,
    /// How many packs were linted.
    pub files: usize,
    /// How many findings count, by level.
    pub summary: FindingCounts,
    /// The findings, sorted by path, place, rule.
    pub findings: Vec<FindingView>,
}

/// One side of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffSide {
    /// The version as the pack writes it.
    pub version: String,
    /// SHA-256 of the bytes.
    pub digest: Digest,
}

/// The JSON of `diff`: the changes between two versions and what they require.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffReport {
    /// The version of this shape: 1.
    pub version: u32,
    /// The pack's id.
    pub pack: String,
    /// The profile under which bumps were weighed.
    pub profile: Profile,
    /// The older side.
    pub old: DiffSide,
    /// The newer side.
    pub new: DiffSide,
    /// The highest bump of the changes that are not acknowledged.
    pub required_bump: Bump,
    /// The highest of that and every advice.
    pub suggested_bump: Bump,
    /// The highest component that moved.
    pub declared_bump: Bump,
    /// Whether the newer version is high enough.
    pub sufficient: bool,
    /// Whether a change is major under the profile, acknowledged or not.
    pub breaking: bool,
    /// The changes, highest bump first.
    pub changes: Vec<Change>,
    /// Why changes are accepted, by their fingerprints.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accepted: BTreeMap<String, String>,
    /// Remarks on the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How versions below 1.0 were judged; no part of the JSON, in which `sufficient` says what follows.
    #[serde(skip)]
    pub zero_major: ZeroMajor,
}

/// The release that a version is judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineView {
    /// Its version.
    pub version: String,
    /// SHA-256 of its source bytes.
    pub digest: Digest,
    /// What all changes since then require.
    pub required_bump: Bump,
}

impl BaselineView {
    /// The older side of a comparison.
    pub fn of(diff: &DiffReport) -> BaselineView {
        let DiffSide { version, digest } = diff.old.clone();
        BaselineView { version, digest, required_bump: diff.required_bump }
    }
}

/// What the registry said of one candidate: the words stored with a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The release it was compared with; none for a first release.
    pub baseline: Option<BaselineView>,
    /// Hash over the ids of the rules that were run.
    pub rule_set: String,
    /// The findings.
    pub findings: Vec<FindingView>,
    /// The changes since the baseline; none for a first release.
    pub diff: Option<DiffReport>,
}

/// How a pack stands in a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// BASE lacks it.
    New,
    /// Both sides have it, with differences.
    Changed,
    /// Both sides have it, without differences.
    Unchanged,
    /// HEAD lacks it.
    Removed,
}

/// One pack of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedPack {
    /// The pack's id.
    pub pack: String,
    /// The path of its file.
    pub path: String,
    /// How it stands.
    pub status: CheckStatus,
    /// Whether nothing of it fails the check.
    pub passed: bool,
    /// Its findings; those of the gate's own rules stand among them.
    pub findings: Vec<FindingView>,
    /// The changes from BASE to HEAD; none where there is nothing to compare.
    pub diff: Option<DiffReport>,
    /// The release that its version is judged by; none where no release is known.
    pub baseline: Option<BaselineView>,
}

/// The JSON of `check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The version of this shape: 1.
    pub version: u32,
    /// What was compared with, and the commit it meant.
    pub against: String,
    /// Whether nothing fails.
    pub passed: bool,
    /// Findings of the run itself.
    pub findings: Vec<FindingView>,
    /// The packs, sorted by id.
    pub packs: Vec<CheckedPack>,
    /// Remarks on the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
