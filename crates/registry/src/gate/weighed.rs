//! One pack against its base and against the release that its version is judged by: what every door says of it.

use std::collections::BTreeSet;

use pack::json::Document;
use pack::model::Pack;
use rules::{Bump, Level};
use semver::Version;

use super::prompts::{PromptVersion, prompt_verdicts};
use super::versions::{Judged, common_changes, cover, findings_with};
use crate::judge::{Parsed, Settings, compare_parsed};
use crate::report::{DiffReport, FindingView};
use crate::version::{Known, baseline};

/// What a pack is compared with.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The pack at HEAD.
    pub head: Parsed<'a>,
    /// The pack at BASE. Several are several merge bases: only what changed against each of them counts.
    pub bases: &'a [Parsed<'a>],
    /// The release that the version is judged by; none where none is known.
    pub since: Option<Parsed<'a>>,
    /// The release that the next version will be judged by, where that is another one.
    pub below: Option<Parsed<'a>>,
    /// The versions that are published.
    pub taken: &'a [Version],
    /// Whether the pack's version is published with other content.
    pub reused: bool,
    /// How the version that is enough is asked for and written: [`BUMP`], with what this run was asked for.
    ///
    /// [`BUMP`]: super::BUMP
    pub bump: &'a str,
    /// What the authors say.
    pub settings: Settings<'a>,
}

/// What comparing gave.
#[derive(Debug, Default)]
pub struct Weighed {
    /// The changes from BASE to HEAD, and what of the older ones the version does not cover; none without a base.
    pub diff: Option<DiffReport>,
    /// The changes since the release that the version is judged by.
    pub since: Option<DiffReport>,
    /// The lowest version that the pack may have, and the bump that it needs; none where nothing judges it.
    pub enough: Option<(Version, Bump)>,
    /// The verdicts on the versions of the prompts, whose findings are among the others.
    pub prompts: Vec<PromptVersion>,
    /// The findings on versions; paths in them are that of the pack.
    pub findings: Vec<FindingView>,
}

/// Compares a pack with its base, and judges its version over everything since the last release (change rules
/// section 2).
pub fn weigh(sides: Sides<'_>) -> Weighed {
    let Sides { head, bases, since, below, settings, .. } = sides;
    let mut diffs = bases.iter().filter_map(|base| compare_parsed(*base, head, settings));
    let mut diff = diffs.next();
    if let Some(diff) = &mut diff {
        for other in diffs {
            common_changes(diff, &other, settings);
        }
    }
    let since_diff = since.and_then(|since| compare_parsed(since, head, settings));
    if let (Some(diff), Some(since), Some(since_diff)) = (&mut diff, since, &since_diff)
        && let Some(since_version) = version_of(since.document)
    {
        let version = version_of(head.document);
        cover(diff, (&since_version, since_diff), version.as_ref(), settings);
        add_uncovered(diff, &since_version, since_diff);
    }
    let below_diff = below.and_then(|below| compare_parsed(below, head, settings));
    let below = below.map(|below| below.document).zip(below_diff.as_ref());
    let judged = Judged { below, ..judged(sides, diff.as_ref(), since_diff.as_ref()) };
    let prompts = prompt_verdicts(judged);
    let (findings, enough) = (findings_with(judged, &prompts), judged.enough());
    Weighed { diff, since: since_diff, enough, prompts, findings }
}

/// Whether two files were compared and nothing is to be said of them, not even that changes are switched off.
pub fn is_silent(diff: Option<&DiffReport>, findings: &[FindingView]) -> bool {
    let is_same = |diff: &DiffReport| {
        diff.changes.is_empty() && diff.notes.is_empty() && diff.old.version == diff.new.version
    };
    diff.is_some_and(is_same) && findings.is_empty()
}

/// The remark on a pack that has no older version to be compared with.
pub fn not_compared(name: &str, has_base: bool) -> String {
    format!("{name}: {}", if has_base { "it is new" } else { "nothing was compared" })
}

/// The remarks of a pack's comparison as those of a run over several packs.
pub fn remarks(name: &str, diff: Option<&DiffReport>) -> Vec<String> {
    diff.iter().flat_map(|diff| &diff.notes).map(|note| format!("{name}: {note}")).collect()
}

/// The sides with what comparing them gave.
pub fn judged<'a>(
    sides: Sides<'a>,
    diff: Option<&'a DiffReport>,
    since: Option<&'a DiffReport>,
) -> Judged<'a> {
    let base: Option<&'a Document> = sides.bases.first().map(|base| base.document);
    Judged {
        new: sides.head.document,
        path: sides.head.input.path,
        base: base.zip(diff),
        baseline: sides.since.map(|since| since.document).zip(since),
        below: None,
        taken: sides.taken,
        reused: sides.reused,
        bump: sides.bump,
        settings: sides.settings,
    }
}

fn version_of(document: &Document) -> Option<Version> {
    Pack(document.root()).version()
}

/// What keeps the version from being enough although it came before BASE: without it nobody could see why.
fn add_uncovered(diff: &mut DiffReport, since: &Version, since_diff: &DiffReport) {
    if since_diff.sufficient {
        return;
    }
    let seen: BTreeSet<String> = diff.changes.iter().map(|change| change.fingerprint.clone()).collect();
    let fails = |change: &&rules::Change| change.level == Level::Error && !change.acknowledged;
    for change in since_diff.changes.iter().filter(fails) {
        if !seen.contains(&change.fingerprint) {
            let mut change = change.clone();
            change.message = format!("{} (since {since})", change.message);
            change.since = Some(since.to_string());
            diff.changes.push(change);
        }
    }
}

/// Whether nothing of a pack fails the check.
pub fn passes(findings: &[FindingView], diff: Option<&DiffReport>) -> bool {
    let changes = diff.map_or(&[][..], |diff| &diff.changes);
    !findings.iter().any(|finding| finding.level == Level::Error && !finding.acknowledged)
        && !changes.iter().any(|change| change.level == Level::Error && !change.acknowledged)
}

/// The release that `registry:line` means for a version: the one it is judged by. A version that is published, and
/// may be taken, is compared with itself when it `is_same` content; so is one below which there is no release.
pub fn line_release<'k>(known: &'k [Known], version: &Version, is_same: bool) -> Option<&'k Known> {
    let own = known.iter().find(|release| release.version.cmp_precedence(version).is_eq());
    let stands = own.filter(|own| is_same && !own.yanked && !own.insufficient);
    stands.or_else(|| baseline(known, version)).or(own)
}

/// The release that a version is judged by: the highest below it that may be taken; but its own one, where the base is
/// that version already and it `is_reused`, published with other content: it was not raised.
pub fn judging_release<'k>(
    known: &'k [Known],
    version: &Version,
    is_reused: bool,
    base: Option<&Version>,
) -> Option<&'k Known> {
    let is_of_base = base.is_some_and(|base| base.cmp_precedence(version).is_eq());
    let own = known.iter().find(|release| release.version.cmp_precedence(version).is_eq());
    own.filter(|_| is_reused && is_of_base).or_else(|| baseline(known, version))
}

/// The release that the next version will be judged by, where `judging` is the own one, which judges no other: a
/// prerelease, or one that is yanked or held back.
pub fn next_judging_release<'k>(
    known: &'k [Known],
    version: &Version,
    judging: &Version,
) -> Option<&'k Known> {
    let is_own = judging.cmp_precedence(version).is_eq();
    let mut same = known.iter().filter(|known| known.version.cmp_precedence(version).is_eq());
    let goes_on = same.any(Known::may_judge);
    baseline(known, version).filter(|_| is_own && !goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(version: &str, insufficient: bool) -> Known {
        Known { version: version.parse().expect("a version"), yanked: false, insufficient }
    }

    #[test]
    fn the_next_version_is_judged_by_what_may_be_taken() {
        let releases = [known("1.0.0", false), known("1.1.0-rc.1", false), known("1.2.0", true)];
        let next = |version: &str, judging: &str| {
            let (version, judging) =
                (version.parse().expect("a version"), judging.parse().expect("a version"));
            next_judging_release(&releases, &version, &judging).map(|known| known.version.to_string())
        };
        assert_eq!(next("1.1.0-rc.1", "1.1.0-rc.1").as_deref(), Some("1.0.0"));
        assert_eq!(next("1.2.0", "1.2.0").as_deref(), Some("1.0.0"));
        assert_eq!(next("1.0.0", "1.0.0"), None, "it may be taken");
        assert_eq!(next("1.1.0-rc.2", "1.0.0"), None, "it is judged by that one already");
    }

    #[test]
    fn the_line_goes_through_what_may_be_taken() {
        let releases = [known("1.0.0", false), known("1.1.0", false), known("1.2.0", true)];
        let line = |version: &str, is_same| {
            let version = version.parse().expect("a version");
            line_release(&releases, &version, is_same).map(|known| known.version.to_string())
        };
        assert_eq!(line("1.1.0", true).as_deref(), Some("1.1.0"), "published as it is");
        assert_eq!(line("1.1.0", false).as_deref(), Some("1.0.0"), "published with other content");
        assert_eq!(line("1.2.0", true).as_deref(), Some("1.1.0"), "published and held back");
        assert_eq!(line("1.3.0", false).as_deref(), Some("1.1.0"));
        assert_eq!(line("1.0.0", false).as_deref(), Some("1.0.0"), "nothing stands below");
        assert_eq!(line("0.9.0", false), None);
    }
}
