//! Flags that authors lift: `[[allow]]` entries at a later head accept what made the bump of a release insufficient.

use std::collections::BTreeSet;

use jiff::civil::Date;
use pack::tree::Tree;
use semver::Version;

use crate::candidate::{Archive, ReleaseContent};
use crate::judge::{Input, Settings, compare};
use crate::settings::{Policy, find_settings};
use crate::version::baseline;

/// Which of the releases that are flagged for their bump the settings at `head` lift, as of `today`.
///
/// Each is compared with the baseline that it has once those below it are lifted. The release itself, its report and
/// its flag stay as they were published.
pub fn lifted(
    archive: &dyn Archive,
    id: &str,
    flagged: &[Version],
    head: &dyn Tree,
    (policy, today): (&Policy, Date),
) -> BTreeSet<Version> {
    let mut known = archive.known(id);
    for release in &mut known {
        release.insufficient = flagged.contains(&release.version);
    }
    let mut flagged: Vec<&Version> = flagged.iter().collect();
    flagged.sort_by(|a, b| a.cmp_precedence(b));
    let mut lifted = BTreeSet::new();
    for version in flagged {
        let Some(release) = archive.content(id, version) else { continue };
        let Ok(found) = find_settings(head, &release.path) else { continue };
        if !found.settings.allow.iter().any(|entry| entry.pack.as_deref().is_none_or(|pack| pack == id)) {
            continue;
        }
        let base = baseline(&known, version).and_then(|base| archive.content(id, &base.version));
        let settings = Settings { repository: &found.settings, base: &found.base, policy, today, spec: None };
        let is_enough = base.is_some_and(|base| {
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

fn input(release: &ReleaseContent) -> Input<'_> {
    Input { bytes: &release.bytes, path: &release.path, tree: Some(release.tree.as_ref()) }
}
