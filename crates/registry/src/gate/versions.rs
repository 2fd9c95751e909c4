//! The version of a pack and those of its prompts, judged by what changed (change rules section 2).

use std::collections::BTreeSet;

use pack::json::Document;
use pack::model::{Pack, parse_version};
use pack::{Digest, LineIndex, Node, Pointer, Position};
use rules::change::{Affected, Bumps, Certainty, Class, Side, Witness};
use rules::{Bump, Change, Level, Profile, verdict_level};
use semver::Version;
use serde_json::json;

use super::Draft;
use super::prompts::{PromptVersion, prompt_verdicts};
use crate::acknowledge::{Holder, reasons};
use crate::judge::{Settings, change_level, prompt_versions, set_level, version_pointer};
use crate::report::{DiffReport, DiffSide, FindingView};
use crate::settings::ZeroMajor;
use crate::version::{
    asks_more_than_patch, declared_bump, first_prerelease, is_sufficient, lowest_sufficient, zero_rule,
};
use crate::weigh::pack_bump;

/// One changed pack and what it is judged by.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// The pack at HEAD.
    pub new: &'a Document,
    /// Its path from the root of the repository.
    pub path: &'a str,
    /// The pack at BASE, and everything that changed since; none for a new pack.
    pub base: Option<(&'a Document, &'a DiffReport)>,
    /// The release that its version is judged by, and everything that changed since; none where none is known.
    ///
    /// It has the pack's own version where that was not raised at all.
    pub baseline: Option<(&'a Document, &'a DiffReport)>,
    /// The release that the next version will be judged by, where that is another one, and everything that changed
    /// since.
    pub below: Option<(&'a Document, &'a DiffReport)>,
    /// The versions that are published.
    pub taken: &'a [Version],
    /// Whether the pack's version is published with other content.
    pub reused: bool,
    /// How the version that is enough is asked for and written: [`BUMP`], with what this run was asked for.
    pub bump: &'a str,
    /// What the authors say.
    pub settings: Settings<'a>,
}

/// The command that says which versions are enough.
pub const BUMP: &str = "packhouse bump";

/// Everything that the gate says about the versions of one pack: `version-*`, `prompt-version-*` and
/// `removed-before-sunset`.
pub fn version_findings(judged: Judged<'_>) -> Vec<FindingView> {
    findings_with(judged, &prompt_verdicts(judged))
}

/// The same, with the verdicts on the prompts at hand.
pub(super) fn findings_with(judged: Judged<'_>, prompts: &[PromptVersion]) -> Vec<FindingView> {
    let mut findings = Vec::new();
    let pack = Pack(judged.new.root());
    if let Some(text) = pack.version_text().filter(|text| parse_version(text).is_none()) {
        let message = format!("the version `{text}` is not semantic");
        let help = "write it as MAJOR.MINOR.PATCH".to_owned();
        findings.extend(at_version(judged, "version-unreadable", message, help));
    }
    let base_text = judged.base.and_then(|(document, _)| Pack(document.root()).version_text());
    if let Some(text) = base_text.filter(|text| parse_version(text).is_none()) {
        let message = format!("the version `{text}` of the base is not semantic");
        // Nothing was published under it: a version that can be read repairs that.
        let (level, help) = match pack.version() {
            Some(_) => (Level::Warn, "nothing can be said about the bump; from this version on it can"),
            None => {
                (Level::Error, "nothing can be said about the bump; compare with a base that has a version")
            }
        };
        let node = judged.new.at(&version_pointer()).unwrap_or(judged.new.root());
        findings.extend(at_node(
            judged,
            "version-unreadable",
            level,
            message,
            Some(help.to_owned()),
            node,
            "/version",
        ));
    }
    if let Some(version) = pack.version() {
        findings.extend(pack_version(judged, &version));
        findings.extend(sunsets(judged, &version));
    }
    findings.extend(prompts.iter().map(|prompt| prompt.finding.clone()));
    findings
}

/// The finding on a pack whose id stands in several files of the base, none of which has its path or version.
pub fn pairing_ambiguous(judged: Judged<'_>, paths: &[String]) -> Option<FindingView> {
    let message =
        format!("the base has this id in {}, and none of them has this path or version", paths.join(", "));
    let help = "keep one file per id, or move the file and change its version in two steps".to_owned();
    let node = judged.new.root().get("id").unwrap_or(judged.new.root());
    at_node(judged, "pairing-ambiguous", Level::Error, message, Some(help), node, "/id")
}

/// The one finding on the version of the pack.
fn pack_version(judged: Judged<'_>, version: &Version) -> Option<FindingView> {
    let base_version = judged.base.and_then(|(document, _)| Pack(document.root()).version());
    if let Some(base) = base_version.filter(|base| version.cmp_precedence(base).is_lt()) {
        let message = format!("the version {version} is lower than {base}, which the base has");
        let help = format!("give the pack a version above {base}");
        return at_version(judged, "version-decreased", message, help);
    }
    let reused = || {
        let message = format!("{version} is already published with other content");
        let help = "releases never change: give the pack a version that is not taken".to_owned();
        at_version(judged, "version-reused", message, help)
    };
    let Some((document, diff)) = judged.baseline else {
        return if judged.reused { reused() } else { None };
    };
    let since = Pack(document.root()).version()?;
    let required = diff.required_bump;
    let (enough, _) = judged.enough()?;
    let help = judged.way_out(version, &since, required, &enough);
    if version.cmp_precedence(&since).is_eq() {
        if required == Bump::None {
            let is_same = prompt_versions(document) == prompt_versions(judged.new);
            return if is_same { None } else { reused() };
        }
        let (rule, message) = if version.build == since.build {
            let accepted = diff.changes.iter().any(|change| change.acknowledged);
            let accepted = if accepted && required == Bump::Patch { ", accepted ones too" } else { "" };
            let message = format!(
                "the changes since {since} need a {required} bump{accepted}, and the version is the same"
            );
            ("version-not-bumped", message)
        } else {
            let message =
                format!("{version} and {since} differ in build metadata only, and the contents differ");
            ("version-build-only", message)
        };
        return at_version(judged, rule, message, help);
    }
    if judged.reused {
        return reused();
    }
    let declared = declared_bump(&since, version);
    if !diff.sufficient {
        let message =
            format!("{version} is a {declared} bump since {since}, and the changes need a {required} one");
        return at_version(judged, "version-bump-too-small", message, help);
    }
    let needed = required.max(diff.suggested_bump);
    let most = declared_bump(&since, &lowest_sufficient(&since, needed, judged.zero_major()));
    if declared > most && version.pre.is_empty() && version.major > 0 {
        let needed = if required == Bump::None { "none".to_owned() } else { format!("a {required} one") };
        let message = format!("{version} is a {declared} bump since {since}, and the changes need {needed}");
        let help = format!("nothing has to be done; {enough} would be enough");
        return at_version(judged, "version-bump-larger", message, help);
    }
    None
}

impl Judged<'_> {
    /// What to do about a version that is too low. What is accepted still needs a patch, so that nobody is told to
    /// accept where that changes nothing.
    fn way_out(self, version: &Version, since: &Version, required: Bump, enough: &Version) -> String {
        let mut help = format!("raise `version` to {enough} (`{} --write` does it)", self.bump);
        let zero_major = self.zero_major();
        let patched = lowest_free(since, Bump::Patch, self.taken, zero_major);
        let patched = as_prerelease(version, patched, self.taken);
        if asks_more_than_patch(since, required, zero_major) && patched.cmp_precedence(enough).is_lt() {
            help.push_str(&match version.cmp_precedence(&patched).is_lt() {
                true => format!(
                    ", or accept what asks for more than a patch with `[[allow]]` and raise it to {patched}"
                ),
                false => ", or accept what asks for more with `[[allow]]`".to_owned(),
            });
        }
        with_zero_rule(help, since, zero_major)
    }

    fn zero_major(self) -> ZeroMajor {
        self.settings.repository.changes.zero_major
    }

    /// The lowest version that the pack may have, and the bump that it needs for it: under a prerelease, a prerelease
    /// too. Entries that end with that version accept nothing in it.
    pub fn enough(self) -> Option<(Version, Bump)> {
        let own = Pack(self.new.root()).version()?;
        let lowest = |(document, diff): (&Document, &DiffReport)| {
            let since = Pack(document.root()).version()?;
            let mut required = diff.required_bump;
            loop {
                let enough = lowest_free(&since, required, self.taken, self.zero_major());
                let in_it = self.required_in(diff, &as_prerelease(&own, enough.clone(), self.taken));
                if in_it <= required {
                    return Some((since, required, enough));
                }
                required = in_it;
            }
        };
        let (_, mut needed, mut enough) = lowest(self.baseline?)?;
        if let Some((since, required, lowest)) = self.below.and_then(lowest)
            && !is_sufficient(&since, &enough, required, self.zero_major())
        {
            (enough, needed) = (lowest, needed.max(required));
        }
        Some((as_prerelease(&own, enough, self.taken), needed))
    }

    /// The bump that the changes need if the pack had that version.
    fn required_in(self, diff: &DiffReport, version: &Version) -> Bump {
        let holder =
            Holder { path: self.settings.relative(self.path), pack: &diff.pack, version: Some(version) };
        let bumps = diff.changes.iter().map(|change| {
            if !change.acknowledged || holder.accept_change(change, self.settings).is_some() {
                return pack_bump(change);
            }
            pack_bump(&Change { acknowledged: false, ..change.clone() })
        });
        bumps.max().unwrap_or_default()
    }
}

/// Under a prerelease the first one of the release that is `needed`, which comes before that release.
pub fn as_prerelease(own: &Version, needed: Version, taken: &[Version]) -> Version {
    if own.pre.is_empty() || !needed.pre.is_empty() {
        return needed;
    }
    let first = first_prerelease(&needed, own);
    let is_taken = taken.iter().any(|taken| taken.cmp_precedence(&first).is_eq());
    // Among prereleases there is order only: no rule for versions below 1.0.0 is asked.
    if is_taken { lowest_free(&first, Bump::Patch, taken, ZeroMajor::default()) } else { first }
}

/// The lowest version above `since` that changes of this bump may have and that is not taken.
pub fn lowest_free(since: &Version, required: Bump, taken: &[Version], zero_major: ZeroMajor) -> Version {
    let mut version = lowest_sufficient(since, required, zero_major);
    while taken.iter().any(|taken| taken.cmp_precedence(&version).is_eq() && *taken != *since) {
        let next = lowest_sufficient(&version, required.max(Bump::Patch), zero_major);
        if next.cmp_precedence(&version).is_le() {
            // The last of all versions: there is none above it.
            break;
        }
        version = next;
    }
    version
}

/// A piece of advice with what is special about versions that begin with 0.
pub(super) fn with_zero_rule(help: String, since: &Version, zero_major: ZeroMajor) -> String {
    match zero_rule(since, zero_major) {
        Some(rule) => format!("{help}; {rule}"),
        None => help,
    }
}

/// Things that were announced to stay longer.
fn sunsets(judged: Judged<'_>, version: &Version) -> Vec<FindingView> {
    let Some((_, diff)) = judged.base else { return Vec::new() };
    let entries = judged.settings.repository.sunset.iter().filter(|entry| entry.pack == diff.pack);
    let mut findings = Vec::new();
    for entry in entries {
        let is_early = match (parse_version(&entry.until), entry.until.parse::<jiff::civil::Date>()) {
            (Some(until), _) => version.cmp_precedence(&until).is_lt(),
            (None, Ok(day)) => judged.settings.today < day,
            (None, Err(_)) => false,
        };
        let gone = diff.changes.iter().find(|change| change.new.is_none() && change.place == entry.place);
        let Some(change) = gone.filter(|_| is_early) else { continue };
        let message = format!("{} was announced to stay until {}", entry.place, entry.until);
        let help =
            entry.replacement.as_ref().map(|instead| format!("{instead} replaces it; keep both until then"));
        let help = help.unwrap_or_else(|| "keep it until then, or move the sunset first".to_owned());
        let node = judged.new.at(&change.anchor).unwrap_or(judged.new.root());
        let place = change.place.as_str();
        findings.extend(at_node(
            judged,
            "removed-before-sunset",
            level_of_verdict("removed-before-sunset", diff.profile),
            message,
            Some(help),
            node,
            place,
        ));
    }
    findings
}

pub(super) fn level_of_verdict(rule: &str, profile: Profile) -> Level {
    verdict_level(rule, profile).unwrap_or(Level::Error)
}

fn at_version(judged: Judged<'_>, rule: &'static str, message: String, help: String) -> Option<FindingView> {
    let level = level_of_verdict(rule, Profile::Contract);
    let node = judged.new.at(&version_pointer()).unwrap_or(judged.new.root());
    at_node(judged, rule, level, message, Some(help), node, "/version")
}

pub(super) fn at_node(
    judged: Judged<'_>,
    rule: &'static str,
    default: Level,
    message: String,
    help: Option<String>,
    node: Node<'_>,
    place: &str,
) -> Option<FindingView> {
    let pack = Pack(judged.new.root()).id().unwrap_or_default();
    let draft = Draft {
        rule,
        default,
        message,
        help,
        pack,
        pointer: node.pointer().to_string(),
        place: place.to_owned(),
        value: pack::digest::canonical(&node.to_value()),
    };
    let mut finding = draft.finish(judged.path, judged.settings)?;
    let text = judged.new.text();
    let lines = LineIndex::new(text);
    let start = lines.position(text, node.span().start);
    let end = if node.is_object() { start } else { lines.position(text, node.span().end) };
    (finding.line, finding.column) = (start.line, start.column);
    (finding.end_line, finding.end_column) = (end.line, end.column);
    Some(finding)
}

/// Sets the level of each change by whether the version covers it since the release that it is judged by.
///
/// A second change under a version that was raised already is covered, although the version is that of BASE; and one
/// that does away with what was never released breaks nobody.
pub fn cover(
    diff: &mut DiffReport,
    (since, since_diff): (&Version, &DiffReport),
    version: Option<&Version>,
    settings: Settings<'_>,
) {
    let counts: BTreeSet<&str> =
        since_diff.changes.iter().map(|change| change.fingerprint.as_str()).collect();
    for change in &mut diff.changes {
        let is_covered = since_diff.sufficient || !counts.contains(change.fingerprint.as_str());
        change.level = match is_covered {
            true => set_level(change, settings).unwrap_or(Level::Info),
            false => change_level(change, Some(since), version, settings),
        };
    }
}

/// The comparison of a pack that is gone: one change, `pack-removed`; and the `[[allow]]` entry that accepts it.
pub fn pack_removed(
    old: &Document,
    bytes: &[u8],
    path: &str,
    settings: Settings<'_>,
) -> (DiffReport, BTreeSet<usize>) {
    let pack = Pack(old.root());
    let id = pack.id().unwrap_or_default();
    let bump = settings.repository.changes.rules.get("pack-removed").and_then(|rule| rule.bump);
    let bump = bump.unwrap_or(Bump::Major);
    let value = json!(id);
    let digest = Digest::of(pack::digest::canonical(&value).as_bytes()).hex();
    let parts = [id, "pack-removed", "", "", &digest, ""];
    let fingerprint = Digest::of_parts(parts.map(str::as_bytes)).hex()[..16].to_owned();
    let version = pack.version();
    let holder = Holder { path: settings.relative(path), pack: id, version: version.as_ref() };
    let accepted = holder.accept("pack-removed", &fingerprint, "", settings);
    let level = crate::weigh::options_of("pack-removed", settings).level;
    let level = level.unwrap_or(if accepted.is_some() { Level::Info } else { Level::Error });
    let change = Change {
        rule: "pack-removed".to_owned(),
        bump,
        bumps: Bumps::new(bump, bump, bump),
        suggest: None,
        level,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: vec![Affected::Caller, Affected::Runtime],
        message: format!("the pack `{id}` is gone"),
        reason: None,
        prompt: None,
        prompts: Vec::new(),
        safety: false,
        governance: false,
        acknowledged: accepted.is_some(),
        prompt_declared: false,
        since: None,
        place: String::new(),
        old: Some(Side { pointer: Pointer::root(), line: 1, column: 1, value }),
        new: None,
        anchor: Pointer::root(),
        anchor_position: Position { line: 1, column: 1 },
        witness: Some(Witness {
            kind: "reference".to_owned(),
            input: json!(id),
            old_result: "found".to_owned(),
            new_result: "no file has this id".to_owned(),
        }),
        fingerprint,
    };
    let report = DiffReport {
        version: 1,
        pack: id.to_owned(),
        profile: settings.repository.changes.profile.max(settings.policy.profile),
        old: DiffSide {
            version: pack.version_text().unwrap_or_default().to_owned(),
            digest: Digest::of(bytes),
        },
        new: DiffSide { version: String::new(), digest: Digest::of(b"") },
        required_bump: pack_bump(&change),
        suggested_bump: pack_bump(&change),
        declared_bump: Bump::None,
        sufficient: change.acknowledged,
        breaking: bump == Bump::Major,
        accepted: reasons(std::slice::from_ref(&change), holder, settings),
        changes: if level == Level::Off { Vec::new() } else { vec![change] },
        notes: Vec::new(),
        zero_major: settings.repository.changes.zero_major,
    };
    (report, accepted.into_iter().collect())
}

/// Leaves in `diff` only the changes that `other`, the comparison with another merge base, has too.
pub fn common_changes(diff: &mut DiffReport, other: &DiffReport, settings: Settings<'_>) {
    let kept: BTreeSet<&str> = other.changes.iter().map(|change| change.fingerprint.as_str()).collect();
    diff.changes.retain(|change| kept.contains(change.fingerprint.as_str()));
    diff.required_bump = diff.changes.iter().map(pack_bump).max().unwrap_or_default();
    let suggested = diff.changes.iter().filter_map(|change| change.suggest).max().unwrap_or_default();
    diff.suggested_bump = suggested.max(diff.required_bump);
    diff.breaking = diff.changes.iter().any(|change| change.bump == Bump::Major);
    let zero_major = settings.repository.changes.zero_major;
    diff.sufficient = match (parse_version(&diff.old.version), parse_version(&diff.new.version)) {
        (Some(old), Some(new)) => is_sufficient(&old, &new, diff.required_bump, zero_major),
        _ => diff.required_bump == Bump::None,
    };
}
