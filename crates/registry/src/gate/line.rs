//! `--transitive`: a pack against every release of its line, not only against the last one.

use std::collections::BTreeSet;

use rules::{Bump, Change};
use semver::Version;

use super::versions::{Judged, version_findings};
use crate::judge::{Parsed, compare_parsed};
use crate::report::{DiffReport, FindingView};
use crate::version::Known;

/// What a pack breaks of the releases of its line: each break once, with the oldest release that has it.
pub struct Line<'a> {
    judged: Judged<'a>,
    head: Parsed<'a>,
    seen: BTreeSet<String>,
    /// The finding on the version, where a release of the line asks for a higher one.
    pub finding: Option<FindingView>,
    /// The breaks that `diff`, the comparison with the base, does not hold.
    pub changes: Vec<Change>,
}

impl<'a> Line<'a> {
    /// The releases of the line that a version continues, the oldest first: the same major number, below 1.0 the
    /// same minor number too.
    pub fn of(known: &[Known], version: &Version) -> Vec<Version> {
        let continues = |other: &Version| {
            other.major == version.major
                && (version.major > 0 || other.minor == version.minor)
                && other.cmp_precedence(version).is_lt()
        };
        let stands = known.iter().filter(|known| !known.yanked && continues(&known.version));
        let mut line: Vec<Version> = stands.map(|known| known.version.clone()).collect();
        line.sort_by(Version::cmp_precedence);
        line
    }

    /// Starts with what the comparison with the base has said already.
    pub fn new(judged: Judged<'a>, head: Parsed<'a>, diff: Option<&DiffReport>) -> Line<'a> {
        let seen = diff.iter().flat_map(|diff| &diff.changes).map(|change| change.fingerprint.clone());
        Line { judged, head, seen: seen.collect(), finding: None, changes: Vec::new() }
    }

    /// Compares with one release; the oldest has to come first.
    pub fn add(&mut self, version: &Version, release: Parsed<'_>) {
        let Some(report) = compare_parsed(release, self.head, self.judged.settings) else { return };
        if !report.sufficient && self.finding.is_none() {
            let baseline = Some((release.document, &report));
            let findings = version_findings(Judged { baseline, reused: false, ..self.judged });
            let of_version = |finding: &FindingView| finding.rule == "version-bump-too-small";
            self.finding = findings.into_iter().find(of_version);
        }
        for mut change in report.changes {
            if change.bump == Bump::Major && self.seen.insert(change.fingerprint.clone()) {
                change.message = format!("{} (since {version})", change.message);
                change.since = Some(version.to_string());
                self.changes.push(change);
            }
        }
    }
}
