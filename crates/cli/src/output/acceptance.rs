//! What accepting the changes of a pack in a check would do.

use pack::model::parse_version;
use registry::acceptance::Acceptance;
use registry::report::CheckedPack;
use rules::Level;

use super::{Item, Section};

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
        zero_major: pack.and_then(|pack| pack.diff.as_ref()).map(|diff| diff.zero_major).unwrap_or_default(),
    }
}

/// Whether an entry for this item would make a difference.
pub fn helps(acceptance: &Acceptance, item: &Item) -> bool {
    item.change
        .as_ref()
        .is_some_and(|change| !item.acknowledged && acceptance.helps(&change.report, item.level))
}
