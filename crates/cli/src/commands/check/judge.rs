//! One pack against its base and against the release that its version is judged by.

use std::collections::BTreeSet;

use pack::model::Pack;
use registry::acknowledge::Holder;
use registry::gate::{
    Judged, Line, PromptVersion, Sides, Weighed, acknowledge, as_prerelease, judged, judging_release,
    lowest_free, next_judging_release, weigh,
};
use registry::judge::{compare_parsed, same_content};
use registry::report::{BaselineView, FindingView};
use registry::version::{Known, baseline, is_sufficient};
use registry::{DiffReport, Input, Parsed, Settings};
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
    /// The verdicts on the versions of the prompts that nothing accepts.
    pub prompts: Vec<PromptVersion>,
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
    (transitive, bump): (bool, &str),
) -> anyhow::Result<Judgement> {
    let mut judgement = Judgement::default();
    let (Some(document), Some(id)) = (&file.evaluated.document, &file.evaluated.id) else {
        return Ok(judgement);
    };
    let input = file.input();
    let now = Parsed { input, document };
    let head = Head { input, id, version: file.evaluated.version.as_ref(), settings };
    let known = releases.known(id)?;
    let found = baseline_of(&head, bases.first(), &known, releases)?;
    if found.side.is_none() && !bases.is_empty() && !known.is_empty() && head.version.is_some() {
        judgement.notes.push(format!("{id}: no release below its version is known to judge it by"));
    }
    let taken: Vec<Version> = known.iter().map(|known| known.version.clone()).collect();
    let bases: Vec<Parsed<'_>> = bases.iter().map(BaseSide::parsed).collect();
    let since = found.side.as_ref().map(BaseSide::parsed);
    let below = found.below.as_ref().map(BaseSide::parsed);
    let sides =
        Sides { head: now, bases: &bases, since, below, taken: &taken, reused: found.reused, bump, settings };
    let Weighed { mut diff, since, enough, prompts, findings } = weigh(sides);
    (judgement.findings, judgement.prompts) = (findings, prompts);
    if transitive {
        let judged = judged(sides, diff.as_ref(), since.as_ref());
        let older = line(judged, now, &known, releases, diff.as_ref())?;
        judgement.add_older(id, older, diff.as_mut());
    }
    let version = head.version;
    judgement.matched = acknowledge(&mut judgement.findings, &file.file.path, version, settings);
    judgement.leave_accepted_prompts();
    judgement.required = since.as_ref().map(|diff| diff.required_bump).unwrap_or_default();
    if let Some((enough, required)) = enough {
        (judgement.enough, judgement.required) = (Some(enough), required);
    }
    if let Some(start) = judgement.instead(head.version, bases.first(), diff.as_ref(), (&taken, settings)) {
        let (enough, required) = settled(start, sides, &known, releases)?;
        (judgement.enough, judgement.required) = (Some(enough), required);
    }
    if let Some(diff) = &since {
        judgement.note(diff, &head);
        judgement.baseline = Some(BaselineView::of(diff));
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

/// The version, or the lowest one above it that is also enough for the release that will judge it; with the bump.
fn settled(
    (mut version, mut required): (Version, Bump),
    sides: Sides<'_>,
    known: &[Known],
    releases: &Releases,
) -> anyhow::Result<(Version, Bump)> {
    let pack = Pack(sides.head.document.root());
    // Each release is passed once, on the way up.
    while let Some(release) = baseline(known, &version) {
        let Some(side) = releases.side(pack.id().unwrap_or_default(), &release.version)? else { break };
        let Some(diff) = compare_parsed(side.parsed(), sides.head, sides.settings) else { break };
        let zero_major = sides.settings.repository.changes.zero_major;
        if is_sufficient(&release.version, &version, diff.required_bump, zero_major) {
            break;
        }
        let higher = lowest_free(&release.version, diff.required_bump, sides.taken, zero_major);
        let higher = as_prerelease(&version, higher, sides.taken);
        if higher.cmp_precedence(&version).is_le() {
            break;
        }
        (version, required) = (higher, required.max(diff.required_bump));
    }
    Ok((version, required))
}

impl Judgement {
    /// Where the version is taken or went down: what to start from instead, and the bump that it has to be at least.
    fn instead(
        &self,
        own: Option<&Version>,
        base: Option<&Parsed<'_>>,
        diff: Option<&DiffReport>,
        (taken, settings): (&[Version], Settings<'_>),
    ) -> Option<(Version, Bump)> {
        let own = own?;
        let has =
            |rule: &str| self.findings.iter().any(|finding| finding.rule == rule && !finding.acknowledged);
        let (from, required) = if has("version-reused") {
            (own.clone(), self.required)
        } else if has("version-decreased") {
            (Pack(base?.document.root()).version()?, diff?.required_bump)
        } else {
            return None;
        };
        let required = required.max(Bump::Patch);
        let lowest = lowest_free(&from, required, taken, settings.repository.changes.zero_major);
        Some((as_prerelease(own, lowest, taken), required))
    }

    /// Drops the verdicts on prompts that an entry accepts.
    fn leave_accepted_prompts(&mut self) {
        let accepted = self.findings.iter().filter(|finding| finding.acknowledged);
        let accepted: BTreeSet<&str> = accepted.map(|finding| finding.fingerprint.as_str()).collect();
        self.prompts.retain(|verdict| !accepted.contains(verdict.finding.fingerprint.as_str()));
    }

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

#[derive(Default)]
struct FoundBaseline {
    side: Option<BaseSide>,
    /// The release that the next version will be judged by, where that is another one.
    below: Option<BaseSide>,
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
    let Some(version) = head.version else { return Ok(FoundBaseline::default()) };
    if known.is_empty() {
        return Ok(FoundBaseline { side: base.cloned(), ..FoundBaseline::default() });
    }
    let taken = known.iter().find(|known| known.version.cmp_precedence(version).is_eq());
    let same = match taken {
        Some(known) => releases.side(head.id, &known.version)?,
        None => None,
    };
    let reused = same.as_ref().is_some_and(|same| !same_content(same.input(), head.input));
    let base_version = base.and_then(BaseSide::version);
    let judging = judging_release(known, version, reused, base_version.as_ref());
    let next = judging.and_then(|judging| next_judging_release(known, version, &judging.version));
    let load = |known: Option<&Known>| match known {
        Some(known) => releases.side(head.id, &known.version),
        None => Ok(None),
    };
    Ok(FoundBaseline { side: load(judging)?, below: load(next)?, reused })
}
