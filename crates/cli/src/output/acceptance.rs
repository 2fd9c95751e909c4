//! Which changes an `[[allow]]` entry helps with, and what is needed besides.

use pack::model::parse_version;
use registry::report::{CheckedPack, DiffReport};
use registry::version::asks_more_than_patch;
use rules::{Bump, Level};
use semver::Version;

use super::{Item, Section};

/// What accepting a change of one pack would do.
#[derive(Debug, Default)]
pub struct Acceptance {
    /// The version that the pack is judged by.
    since: Option<Version>,
    /// Whether the version is too low.
    fails: bool,
    /// Whether the version did not rise: then what is accepted needs a patch all the same.
    pub needs_patch: bool,
}

impl Acceptance {
    /// For the changes of a pack in a check.
    pub fn of_pack(section: &Section, pack: Option<&CheckedPack>) -> Acceptance {
        let is_told = |rules: &[&str]| {
            let counts = |item: &&Item| item.level == Level::Error && !item.acknowledged;
            section.items.iter().filter(counts).any(|item| rules.contains(&item.rule.as_str()))
        };
        let of_diff = || pack.and_then(|pack| pack.diff.as_ref()).map(|diff| &diff.old.version);
        let since = pack.and_then(|pack| pack.baseline.as_ref()).map(|baseline| &baseline.version);
        let unmoved = ["version-not-bumped", "version-build-only", "version-reused", "version-decreased"];
        let needs_patch = is_told(&unmoved);
        Acceptance {
            since: since.or_else(of_diff).and_then(|text| parse_version(text)),
            fails: needs_patch || is_told(&["version-bump-too-small"]),
            needs_patch,
        }
    }

    /// For the changes between two versions.
    pub fn of_diff(diff: &DiffReport) -> Acceptance {
        Acceptance {
            since: parse_version(&diff.old.version),
            fails: !diff.sufficient,
            needs_patch: !diff.sufficient && diff.declared_bump == Bump::None,
        }
    }

    /// Whether an entry for this change would make a difference.
    pub fn helps(&self, item: &Item) -> bool {
        let Some(change) = item.change.as_ref().filter(|_| item.level == Level::Error && !item.acknowledged)
        else {
            return false;
        };
        let asks = |since| asks_more_than_patch(since, change.report.bump);
        // Where the version is high enough, the change fails by itself: its rule or a guard that it weakens says so.
        !self.fails || change.report.safety || self.since.as_ref().is_none_or(asks)
    }
}
