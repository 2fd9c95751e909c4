//! Flags that authors lift: `[[allow]]` entries at a later head accept what made the bump of a release insufficient.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use pack::tree::Tree;
use semver::Version;

use crate::candidate::{Archive, ReleaseContent};
use crate::judge::{Input, Settings, compare};
use crate::settings::{FoundSettings, Policy, find_settings};
use crate::version::baseline;

/// A release that is flagged for its bump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flagged {
    /// Its version.
    pub version: Version,
    /// The path of its pack file, which says where settings for it are looked for.
    pub path: String,
}

/// Which of the releases that are flagged for their bump the settings at `head` lift, as of `today`.
///
/// Each is compared with the baseline that it has once those below it are lifted. The release itself, its report and
/// its flag stay as they were published. What is not among `flagged` counts as the archive says.
pub fn lifted(
    archive: &dyn Archive,
    id: &str,
    flagged: &[Flagged],
    head: &dyn Tree,
    (policy, today): (&Policy, Date),
) -> BTreeSet<Version> {
    let mut known = archive.known(id);
    let versions: BTreeSet<&Version> = flagged.iter().map(|release| &release.version).collect();
    known.iter_mut().filter(|it| versions.contains(&it.version)).for_each(|it| it.insufficient = true);
    let mut flagged: Vec<&Flagged> = flagged.iter().collect();
    flagged.sort_by(|a, b| a.version.cmp_precedence(&b.version));
    let mut settings: BTreeMap<&str, Option<FoundSettings>> = BTreeMap::new();
    let mut lifted = BTreeSet::new();
    for Flagged { version, path } in flagged {
        let found = settings.entry(path).or_insert_with(|| accepting(head, path, id));
        let Some(found) = found else { continue };
        let settings = Settings { repository: &found.settings, base: &found.base, policy, today, spec: None };
        let base = baseline(&known, version).and_then(|base| archive.content(id, &base.version));
        let is_enough = base.zip(archive.content(id, version)).is_some_and(|(base, release)| {
            let report = compare(input(&base), input(&release), settings);
            report.is_some_and(|report| report.sufficient && report.changes.iter().any(|it| it.acknowledged))
        });
        if is_enough {
            known.iter_mut().filter(|it| it.version == *version).for_each(|it| it.insufficient = false);
            lifted.insert(version.clone());
        }
    }
    lifted
}

/// The settings for a pack, where they accept anything of it.
fn accepting(head: &dyn Tree, path: &str, id: &str) -> Option<FoundSettings> {
    let found = find_settings(head, path).ok()?;
    let accepts = found.settings.allow.iter().any(|it| it.pack.as_deref().is_none_or(|pack| pack == id));
    accepts.then_some(found)
}

fn input(release: &ReleaseContent) -> Input<'_> {
    Input { bytes: &release.bytes, path: &release.path, tree: Some(release.tree.as_ref()) }
}
