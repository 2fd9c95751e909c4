//! One pack against its base and against the release that its version is judged by.

use std::collections::BTreeSet;

use pack::model::Pack;
use registry::acknowledge::Holder;
use registry::gate::{Judged, Line, acknowledge, common_changes, cover, lowest_free, version_findings};
use registry::judge::same_content;
use registry::report::{BaselineView, FindingView};
use registry::version::{Known, baseline};
use registry::{DiffReport, Input, Parsed, Settings, compare_parsed};
use rules::{Bump, Change};
use semver::Version;

use super::releases::Releases;
use super::sides::BaseSide;
use crate::judging::{FoundChange, JudgedFile};

/// What is said of one changed or new pack.
#[derive(Default)]
pub struct Judgement {
    /// The changes from BASE to HEAD; none for a new pack.
    pub diff: Option<DiffReport>,
    /// The release that the version is judged by.
    pub baseline: Option<BaselineView>,
    /// The findings of the gate; paths in them count from the root of the repository.
    pub findings: Vec<FindingView>,
    /// The `[[allow]]` entries that accepted something.
    pub matched: BTreeSet<usize>,
    /// The changes as an `[[allow]]` entry may speak of them.
    pub changes: Vec<FoundChange>,
    /// Remarks on the run.
    pub notes: Vec<String>,
    /// The version that the changes require; none where that cannot be said.
    pub enough: Option<Version>,
    /// The bump that the changes require.
    pub required: Bump,
    /// The versions that are published.
    pub taken: Vec<Version>,
}

/// A pack at HEAD, ready to be compared.
struct Head<'h> {
    input: Input<'h>,
    id: &'h str,
    version: Option<&'h Version>,
    settings: Settings<'h>,
}

/// Judges a pack. Several bases are several merge bases: only what changed against each of them counts.
///
/// # Errors
/// When a registry does not answer.
pub fn judge(
    file: &JudgedFile,
    bases: &[BaseSide],
    releases: &Releases,
    settings: Settings<'_>,
    transitive: bool,
) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement::default();
    let (Some(document), Some(id)) = (&file.evaluated.document, &file.evaluated.id) else {
        return Ok(judgement);
    };
    let tree = file.file.tree.as_deref().map(|tree| tree as &dyn pack::tree::Tree);
    let input = Input { bytes: &file.file.bytes, path: &file.file.path, tree };
    let now = Parsed { input, document };
    let head = Head { input, id, version: file.evaluated.version.as_ref(), settings };
    let mut diffs = bases.iter().filter_map(|base| compare_parsed(base.parsed(), now, settings));
    let mut diff = diffs.next();
    if let Some(diff) = &mut diff {
        for other in diffs {
            common_changes(diff, &other, settings);
        }
    }
    let known = releases.known(id)?;
    let found = baseline_of(&head, bases.first(), &known, releases)?;
    if found.side.is_none() && !bases.is_empty() && !known.is_empty() && head.version.is_some() {
        judgement.notes.push(format!("{id}: no release below its version is known to judge it by"));
    }
    let since = found.side.as_ref().and_then(|side| {
        let diff = compare_parsed(side.parsed(), now, settings)?;
        Some((side, diff))
    });
    if let (Some(diff), Some((side, _))) = (&mut diff, &since)
        && let Some(version) = side.version()
    {
        cover(diff, &version, head.version, settings);
    }
    let taken: Vec<Version> = known.iter().map(|known| known.version.clone()).collect();
    let judged = Judged {
        new: document,
        path: &file.file.path,
        base: bases.first().zip(diff.as_ref()).map(|(base, diff)| (base.document.as_ref(), diff)),
        baseline: since.as_ref().map(|(side, diff)| (side.document.as_ref(), diff)),
        taken: &taken,
        reused: found.reused,
        settings,
    };
    judgement.findings = version_findings(judged);
    if transitive {
        let older = line(judged, now, &known, releases, diff.as_ref())?;
        judgement.add_older(id, older, diff.as_mut());
    }
    let version = head.version;
    judgement.matched = acknowledge(&mut judgement.findings, &file.file.path, version, settings);
    judgement.taken.clone_from(&taken);
    if let Some((side, diff)) = &since {
        judgement.required = diff.required_bump;
        judgement.enough = side.version().map(|version| lowest_free(&version, diff.required_bump, &taken));
        judgement.note(diff, &head);
        judgement.baseline = Some(BaselineView {
            version: diff.old.version.clone(),
            digest: diff.old.digest,
            required_bump: diff.required_bump,
        });
    }
    if let Some(diff) = diff {
        judgement.note(&diff, &head);
        judgement.diff = Some(diff);
    }
    Ok(judgement)
}

/// What only older releases show: the finding on the version, and the breaks.
type Older = (Option<FindingView>, Vec<Change>);

/// The pack against every release of its line, for `--transitive`.
fn line(
    judged: Judged<'_>,
    now: Parsed<'_>,
    known: &[Known],
    releases: &Releases,
    diff: Option<&DiffReport>,
) -> anyhow::Result<Older> {
    let mut line = Line::new(judged, now, diff);
    let pack = Pack(now.document.root());
    for version in pack.version().map(|version| Line::of(known, &version)).unwrap_or_default() {
        if let Some(side) = releases.side(pack.id().unwrap_or_default(), &version)? {
            line.add(&version, side.parsed());
        }
    }
    Ok((line.finding, line.changes))
}

impl Judgement {
    /// Adds what only older releases show.
    fn add_older(&mut self, id: &str, (finding, changes): Older, diff: Option<&mut DiffReport>) {
        let is_known = self.findings.iter().any(|finding| finding.rule == "version-bump-too-small");
        self.findings.extend(finding.filter(|_| !is_known));
        match diff {
            Some(diff) => diff.changes.extend(changes),
            None if !changes.is_empty() => {
                self.notes.push(format!("{id}: its line of releases was compared"));
            }
            None => {}
        }
    }

    /// Remembers the changes of a comparison, and which entries accepted them.
    fn note(&mut self, diff: &DiffReport, head: &Head<'_>) {
        let path = head.settings.relative(head.input.path);
        let holder = Holder { path, pack: head.id, version: head.version };
        for change in &diff.changes {
            self.matched.extend(holder.accept_change(change, head.settings));
            self.changes.push(FoundChange {
                rule: change.rule.clone(),
                fingerprint: change.fingerprint.clone(),
                path: head.input.path.to_owned(),
                pack: head.id.to_owned(),
                place: change.place.clone(),
            });
        }
    }
}

struct FoundBaseline {
    side: Option<BaseSide>,
    reused: bool,
}

/// The release that the version is judged by.
///
/// A version that is that of BASE and published is judged by that very release: it was not raised. Where no release is
/// known at all, BASE stands in.
fn baseline_of(
    head: &Head<'_>,
    base: Option<&BaseSide>,
    known: &[Known],
    releases: &Releases,
) -> anyhow::Result<FoundBaseline> {
    let Some(version) = head.version else { return Ok(FoundBaseline { side: None, reused: false }) };
    if known.is_empty() {
        return Ok(FoundBaseline { side: base.cloned(), reused: false });
    }
    let taken = known.iter().find(|known| known.version.cmp_precedence(version).is_eq());
    let same = match taken {
        Some(known) => releases.side(head.id, &known.version)?,
        None => None,
    };
    let reused = same.as_ref().is_some_and(|same| !same_content(same.input(), head.input));
    let is_of_base =
        base.and_then(BaseSide::version).is_some_and(|of_base| of_base.cmp_precedence(version).is_eq());
    if reused && is_of_base {
        return Ok(FoundBaseline { side: same, reused });
    }
    let below = baseline(known, version).map(|known| known.version.clone());
    let side = match below {
        Some(below) => releases.side(head.id, &below)?,
        None => None,
    };
    Ok(FoundBaseline { side, reused })
}
