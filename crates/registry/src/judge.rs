//! Judging: one candidate, its settings and the release before it in; a report and a plan out.
//!
//! [`evaluate`] stands behind every door: `lint`, `diff`, `check`, `POST /v1/check`, the pages and the daemon.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pack::json::Document;
use pack::model::{Pack, parse_version};
use pack::tree::Tree;
use pack::{Digest, Node, Pointer, SpecVersion};
use rules::{Bump, Change, Diff, DiffOptions, Finding, Level, LintOptions, Linted, Subject};
use semver::Version;

use crate::acknowledge::{Holder, reasons};
use crate::report::{BaselineView, DiffReport, DiffSide, FindingView, Report};
use crate::settings::{OnBreaking, OnInvalid, Policy, RepositorySettings, ZeroMajor};
use crate::version::{declared_bump, is_sufficient, zero_rule};
use crate::weigh::{level_of, mark_declared, options_of, pack_bump};

/// A pack file and what stands around it.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The exact bytes.
    pub bytes: &'a [u8],
    /// The path of the file from the root of its repository.
    pub path: &'a str,
    /// The files around it; none where the pack came alone.
    pub tree: Option<&'a dyn Tree>,
}

/// What the authors and the operator say, and the day on which it is judged.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The repository's own settings.
    pub repository: &'a RepositorySettings,
    /// The folder of the `packhouse.toml` that they came from, from the root of the repository.
    pub base: &'a str,
    /// What the operator demands at least.
    pub policy: &'a Policy,
    /// The day that decides whether an `[[allow]]` entry has expired.
    pub today: jiff::civil::Date,
    /// Judges by this spec version instead of the declared one.
    pub spec: Option<SpecVersion>,
}

impl Settings<'_> {
    /// A path as the settings call it: relative to the folder of their file.
    pub fn relative<'p>(&self, path: &'p str) -> &'p str {
        let below = path.strip_prefix(self.base).filter(|_| !self.base.is_empty());
        below.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    }
}

/// A release that a candidate is compared with.
#[derive(Clone, Copy)]
pub struct Baseline<'a> {
    /// Its bytes and files.
    pub input: Input<'a>,
}

/// A candidate, parsed and linted.
#[derive(Debug)]
pub struct Evaluated {
    /// The pack's id; none where it has none that can be used.
    pub id: Option<String>,
    /// The version, read; none where it is not semantic.
    pub version: Option<Version>,
    /// The version as it is written.
    pub version_text: Option<String>,
    /// The document, where the bytes are JSON.
    pub document: Option<Document>,
    /// The spec version that judged it.
    pub spec: Option<SpecVersion>,
    /// The findings, with their repairs; acknowledged ones are marked.
    pub findings: Vec<Finding>,
    /// The report as it is shown and stored.
    pub report: Report,
    /// Which `[[allow]]` entries matched something, by position.
    pub allowed: BTreeSet<usize>,
}

/// Parses, lints, compares: everything that is said about one candidate.
pub fn evaluate(input: Input<'_>, baseline: Option<Baseline<'_>>, settings: Settings<'_>) -> Evaluated {
    let path = settings.relative(input.path);
    let level = |lint: &rules::Lint| level_of(lint, path, settings);
    let options = LintOptions {
        level: &level,
        host_variables: &settings.repository.host_variables,
        spec: settings.spec,
    };
    let subject = Subject { bytes: input.bytes, path: input.path, tree: input.tree };
    let Linted { document, declared, mut findings } = rules::lint(subject, options);
    let pack = document.as_ref().map(|document| Pack(document.root()));
    let id = pack.and_then(Pack::id).filter(|id| crate::reference::is_pack_id(id)).map(str::to_owned);
    let version_text = pack.and_then(Pack::version_text).map(str::to_owned);
    let version = version_text.as_deref().and_then(parse_version);
    let mut allowed = BTreeSet::new();
    let shown_id = id.clone().unwrap_or_default();
    let holder = Holder { path, pack: &shown_id, version: version.as_ref() };
    for finding in &mut findings {
        let Finding { rule, fingerprint, place, .. } = &*finding;
        if let Some(entry) = holder.accept(rule, fingerprint, place, settings) {
            finding.acknowledged = true;
            allowed.insert(entry);
        }
    }
    let diff = match (&document, baseline) {
        (Some(document), Some(baseline)) => {
            compare_with(baseline.input, Parsed { input, document }, settings)
        }
        _ => None,
    };
    let diff = diff.map(|(report, entries)| {
        allowed.extend(entries);
        report
    });
    let report = Report {
        baseline: diff.as_ref().map(BaselineView::of),
        rule_set: RULE_SET.clone(),
        findings: findings.iter().map(|finding| FindingView::new(finding, input.path, &shown_id)).collect(),
        diff,
    };
    Evaluated {
        id,
        version,
        version_text,
        document,
        spec: declared.map(|d| d.version),
        findings,
        report,
        allowed,
    }
}

/// Compares two versions of a pack; none when one side is no JSON object.
pub fn compare(old: Input<'_>, new: Input<'_>, settings: Settings<'_>) -> Option<DiffReport> {
    let (document, _) = Document::parse(new.bytes);
    let document = document?;
    compare_with(old, Parsed { input: new, document: &document }, settings).map(|(report, _)| report)
}

/// A pack file that was parsed already.
#[derive(Clone, Copy)]
pub struct Parsed<'a> {
    /// The file.
    pub input: Input<'a>,
    /// Its document.
    pub document: &'a Document,
}

/// As [`compare`], of what is parsed already.
pub fn compare_parsed(old: Parsed<'_>, new: Parsed<'_>, settings: Settings<'_>) -> Option<DiffReport> {
    compare_documents(old, new, settings).map(|(report, _)| report)
}

type Compared = (DiffReport, BTreeSet<usize>);

fn compare_with(old: Input<'_>, new: Parsed<'_>, settings: Settings<'_>) -> Option<Compared> {
    let (document, _) = Document::parse(old.bytes);
    compare_documents(Parsed { input: old, document: document.as_ref()? }, new, settings)
}

fn compare_documents(old: Parsed<'_>, new: Parsed<'_>, settings: Settings<'_>) -> Option<Compared> {
    if !old.document.root().is_object() || !new.document.root().is_object() {
        return None;
    }
    let setting = |rule: &str| options_of(rule, settings);
    let changes = &settings.repository.changes;
    let profile = changes.profile.max(settings.policy.profile);
    let options = DiffOptions {
        profile,
        host_variables: &settings.repository.host_variables,
        runtime_floor: changes.runtime_floor,
        behaviour_bump: changes.behaviour_bump,
        setting: &setting,
    };
    let diff = rules::diff(old.version(), new.version(), options);
    let id = Pack(new.document.root()).id().unwrap_or_default().to_owned();
    Some(report_of(diff, profile, &id, old, new, settings))
}

impl<'a> Parsed<'a> {
    fn version(self) -> rules::Version<'a> {
        rules::Version { document: self.document, path: self.input.path, tree: self.input.tree }
    }
}

fn report_of(
    diff: Diff,
    profile: rules::Profile,
    id: &str,
    old: Parsed<'_>,
    new: Parsed<'_>,
    settings: Settings<'_>,
) -> Compared {
    let mut changes = diff.changes;
    let new_version = Pack(new.document.root()).version();
    let holder = Holder { path: settings.relative(new.input.path), pack: id, version: new_version.as_ref() };
    let mut allowed = BTreeSet::new();
    for change in &mut changes {
        if let Some(entry) = holder.accept_change(change, settings) {
            change.acknowledged = true;
            allowed.insert(entry);
        }
    }
    let mut notes = diff.notes;
    let zero_major = settings.repository.changes.zero_major;
    if settings.repository.changes.prompt_scope_independent {
        mark_declared(&mut changes, old.document, new.document, zero_major);
        notes.extend(declared_by_prompts(&changes));
    }
    let required_bump = changes.iter().map(pack_bump).max().unwrap_or_default();
    let suggested_bump = suggested(&changes).max(required_bump);
    let old_version = Pack(old.document.root()).version();
    let (declared_bump, sufficient) = match (&old_version, &new_version) {
        (Some(old), Some(new)) if new.cmp_precedence(old).is_lt() => {
            notes.push(format!("the version goes down, from {old} to {new}"));
            (Bump::None, false)
        }
        (Some(old), Some(new)) => {
            (declared_bump(old, new), is_sufficient(old, new, required_bump, zero_major))
        }
        _ => (Bump::None, required_bump == Bump::None),
    };
    if sufficient && declared_bump < required_bump {
        notes.extend(old_version.as_ref().and_then(|old| lower_word(old, zero_major)));
    }
    for change in &mut changes {
        change.level = change_level(change, old_version.as_ref(), new_version.as_ref(), settings);
    }
    let breaking = changes.iter().any(|change| change.bump == Bump::Major);
    let accepted = reasons(&changes, holder, settings);
    let side = |side: Parsed<'_>| DiffSide {
        version: Pack(side.document.root()).version_text().unwrap_or_default().to_owned(),
        digest: Digest::of(side.input.bytes),
    };
    let report = DiffReport {
        version: 1,
        pack: id.to_owned(),
        profile,
        old: side(old),
        new: side(new),
        required_bump,
        suggested_bump,
        declared_bump,
        sufficient,
        breaking,
        changes,
        accepted,
        notes,
        zero_major,
    };
    (report, allowed)
}

/// Why a version is enough whose bump has a lower name than the required one.
fn lower_word(old: &Version, zero_major: ZeroMajor) -> Option<String> {
    zero_rule(old, zero_major).map(|rule| format!("the version is enough: {rule}"))
}

/// Why some breaks ask for a minor version only.
fn declared_by_prompts(changes: &[Change]) -> Option<String> {
    let declared = changes.iter().filter(|change| change.prompt_declared);
    let prompts: BTreeSet<&str> = declared.filter_map(|change| change.prompt.as_deref()).collect();
    let names = prompts.iter().map(|prompt| format!("`{prompt}`")).collect::<Vec<_>>().join(", ");
    (!prompts.is_empty()).then(|| {
        format!(
            "breaks within {names} count as minor for the pack: the prompts' own versions declare them \
             (`prompt-scope = \"independent\"`)"
        )
    })
}

fn suggested(changes: &[Change]) -> Bump {
    changes.iter().filter_map(|change| change.suggest).max().unwrap_or_default()
}

/// `info` where the declared version covers the change or an entry accepts it, else `error`; a set level beats both.
pub(crate) fn change_level(
    change: &Change,
    old: Option<&Version>,
    new: Option<&Version>,
    settings: Settings<'_>,
) -> Level {
    if let Some(level) = set_level(change, settings) {
        return level;
    }
    let bump = pack_bump(change);
    let covered = match (old, new) {
        (Some(old), Some(new)) => is_sufficient(old, new, bump, settings.repository.changes.zero_major),
        _ => false,
    };
    if covered || bump == Bump::None { Level::Info } else { Level::Error }
}

/// The level that a change has whatever the version is; none where the version decides.
pub(crate) fn set_level(change: &Change, settings: Settings<'_>) -> Option<Level> {
    let of_safety = settings.repository.changes.safety;
    let is_guarded = change.safety && !change.acknowledged && of_safety > Level::Info;
    options_of(&change.rule, settings).level.or_else(|| is_guarded.then_some(of_safety))
}

/// A hash over the ids of all rules: reports say which rules they knew.
static RULE_SET: LazyLock<String> = LazyLock::new(|| {
    let lints = rules::LINTS.iter().map(|lint| lint.id.as_bytes());
    let changes = rules::CHANGES.iter().map(|rule| rule.id.as_bytes());
    Digest::of_parts(lints.chain(changes)).hex()[..16].to_owned()
});

/// Tells apart the sets of rules that reports were made with.
pub fn rule_set() -> &'static str {
    &RULE_SET
}

/// Whether a candidate becomes a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It is published, held back from ranges where there are flags.
    Publish(Vec<crate::release::Flag>),
    /// It is not published.
    Refuse(crate::problem::ProblemCode, String),
}

/// Findings that refuse a candidate whatever the operator says.
const NEVER_PUBLISHED: [&str; 5] =
    ["missing-skill", "escaping-path", "embedded-secret", "duplicate-pack", "foreign-pack-id"];

/// Decides on an evaluated candidate. `gentle` says that old versions with errors are published and flagged.
pub fn plan(evaluated: &Evaluated, policy: &Policy, gentle: bool) -> Plan {
    use crate::problem::ProblemCode;
    use crate::release::Flag;
    if evaluated.document.is_none() {
        return Plan::Refuse(
            ProblemCode::NotJson,
            first_message(&evaluated.report.findings, "it is no JSON"),
        );
    }
    let errors: Vec<&FindingView> =
        evaluated.report.findings.iter().filter(|f| f.level == Level::Error && !f.acknowledged).collect();
    let duplicate_key = errors.iter().find(|finding| finding.rule == "duplicate-key");
    let missing_identity = match (&evaluated.id, &evaluated.version) {
        (None, _) => Some("the pack has no valid `id`"),
        (_, None) => Some("the pack has no semantic `version`"),
        _ => None,
    };
    if let Some(message) = missing_identity {
        return Plan::Refuse(ProblemCode::InvalidPack, message.to_owned());
    }
    if let Some(skill) = errors.iter().find(|finding| finding.rule == "missing-skill") {
        return Plan::Refuse(ProblemCode::UnresolvedSkill, skill.message.clone());
    }
    let floor = errors.iter().find(|finding| NEVER_PUBLISHED.contains(&finding.rule.as_str()));
    if let Some(finding) = duplicate_key.or(floor) {
        return Plan::Refuse(ProblemCode::InvalidPack, located(finding));
    }
    let mut flags = Vec::new();
    if let Some(first) = errors.first() {
        if policy.on_invalid == OnInvalid::Refuse && !gentle {
            let more = match errors.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            return Plan::Refuse(ProblemCode::InvalidPack, format!("{}{more}", located(first)));
        }
        flags.push(Flag::ErrorFindings);
    }
    if let Some(diff) = evaluated.report.diff.as_ref().filter(|diff| !diff.sufficient) {
        if policy.on_breaking == OnBreaking::Refuse {
            let message = format!(
                "its changes since {} require a {} bump, and {} is a {} one",
                diff.old.version, diff.required_bump, diff.new.version, diff.declared_bump
            );
            return Plan::Refuse(ProblemCode::RefusedBreaking, message);
        }
        flags.insert(0, Flag::InsufficientBump);
    }
    Plan::Publish(flags)
}

fn located(finding: &FindingView) -> String {
    format!("{}:{}: {} [{}]", finding.line, finding.column, finding.message, finding.rule)
}

fn first_message(findings: &[FindingView], otherwise: &str) -> String {
    findings.first().map_or_else(|| otherwise.to_owned(), located)
}

/// Whether two contents are the same: nothing but `compilation` differs.
pub fn same_content(old: Input<'_>, new: Input<'_>) -> bool {
    let (Some(old_document), Some(new_document)) =
        (Document::parse(old.bytes).0, Document::parse(new.bytes).0)
    else {
        return old.bytes == new.bytes;
    };
    if !old_document.root().is_object() || !new_document.root().is_object() {
        return old.bytes == new.bytes;
    }
    let options = DiffOptions::default();
    let old = Parsed { input: old, document: &old_document };
    let new = Parsed { input: new, document: &new_document };
    let diff = rules::diff(old.version(), new.version(), options);
    diff.changes.iter().all(|change| change.rule == "compilation-changed")
        && prompt_versions(&old_document) == prompt_versions(&new_document)
}

/// The versions of the prompts as they are written: no change of what a pack does, and content all the same.
pub(crate) fn prompt_versions(document: &Document) -> BTreeMap<&str, Option<&str>> {
    let prompts = Pack(document.root()).prompts();
    prompts.map(|prompt| (prompt.name_key(), prompt.get("version").map(Node::source))).collect()
}

/// The identity of a content: canonical JSON without `compilation`, with the files of its skills.
pub fn content_digest(document: &Document, files: &[(String, Digest)]) -> Digest {
    let mut value = document.root().to_value();
    if let serde_json::Value::Object(members) = &mut value {
        members.remove("compilation");
        if let Some(version) = Pack(document.root()).version() {
            members.insert("version".to_owned(), version.to_string().into());
        }
    }
    let canonical = pack::digest::canonical(&value);
    let mut parts: Vec<Vec<u8>> = vec![canonical.into_bytes()];
    for (path, digest) in files {
        parts.push(path.clone().into_bytes());
        parts.push(digest.bytes().to_vec());
    }
    Digest::of_parts(parts.iter().map(Vec::as_slice))
}

/// The pointer of the version, where the gate's own findings stand.
pub fn version_pointer() -> Pointer {
    Pointer::parse("/version")
}
