//! `POST /v1/check`: what the registry would say of a pack, without publishing it.
//!
//! The words are those of `registry::evaluate`, which also judges what is pushed. Nothing is decided here.

use axum::extract::State;
use pack::Document;
use pack::tree::NoTree;
use registry::candidate::{Archive, ReleaseContent};
use registry::gate::{Judged, version_findings};
use registry::judge::{Baseline, Evaluated, Input, Settings, compare, evaluate, same_content};
use registry::report::{
    BaselineView, CheckReport, CheckStatus, CheckedPack, DiffReport, FindingView, count,
};
use registry::settings::RepositorySettings;
use registry::version::baseline;
use semver::Version;
use serde_json::{Value, json};
use store::StoreArchive;

use super::compare::{input, today};
use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::body::PackBody;
use crate::web::parameters::Parameters;
use crate::web::pool::Pool;
use crate::web::problem::{Kind, Problem};
use crate::web::target::View;

/// What the body is called in findings: it has no path.
const PATH: &str = "pack.json";

/// What the pack is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Against {
    /// The release that it would be judged by.
    Line,
    /// The latest release.
    Latest,
    /// An exact version.
    Version(String),
    /// Nothing.
    Nothing,
}

impl Against {
    fn parse(text: Option<&str>) -> Against {
        match text {
            None | Some("line") => Against::Line,
            Some("latest") => Against::Latest,
            Some("none") => Against::Nothing,
            Some(version) => Against::Version(version.to_owned()),
        }
    }
}

/// Judges the body.
pub(crate) async fn check(
    State(app): State<App>,
    view: View,
    parameters: Parameters,
    PackBody(bytes): PackBody,
) -> Result<Answer, Problem> {
    let against = Against::parse(parameters.text("against"));
    let pool: Pool = app.pool.clone();
    let report = pool.run(move || checked(&app, &view, &bytes, &against)).await?;
    Ok(Answer::json(&report)?.caching(Caching::Revalidate))
}

/// The release that the pack is compared with: its version, and what it holds.
type Base = Option<(Version, ReleaseContent)>;

fn checked(app: &App, view: &View, bytes: &[u8], against: &Against) -> Result<CheckReport, Problem> {
    let repository = RepositorySettings::default();
    let policy = &app.settings.policy;
    let settings = Settings { repository: &repository, base: "", policy, today: today(), spec: None };
    let body = Input { bytes, path: PATH, tree: Some(&NoTree) };
    let first = evaluate(body, None, settings);
    if !first.document.as_ref().is_some_and(|document| document.root().is_object()) {
        return Err(not_a_pack(&first));
    }
    let id = first.id.clone().unwrap_or_default();
    let archive = StoreArchive::new(&app.store, &app.settings.sources);
    let known = if view.pack(&id).is_ok() { archive.known(&id) } else { Vec::new() };
    let judged_by = first.version.as_ref().and_then(|version| baseline(&known, version));
    let line = judged_by.and_then(|known| load(&archive, &id, &known.version));
    let mut evaluated = match &line {
        Some((_, content)) => evaluate(body, Some(Baseline { input: input(content) }), settings),
        None => first,
    };
    let other = base(view, &archive, &id, against)?;
    let (name, diff) = match against {
        Against::Line => (label("line", &line), evaluated.report.diff.clone()),
        Against::Nothing => ("none".to_owned(), None),
        Against::Latest | Against::Version(_) => {
            let diff = other.as_ref().and_then(|(_, content)| compare(input(content), body, settings));
            (label("latest", &other), diff)
        }
    };
    let taken = evaluated.version.as_ref().and_then(|version| load(&archive, &id, version));
    let same = taken.as_ref().filter(|_| !known.is_empty()).map(|(_, content)| same_content(input(content), body));
    let versions: Vec<Version> = known.iter().map(|known| known.version.clone()).collect();
    let gate = gate_findings(&evaluated, line.as_ref(), &versions, same == Some(false), settings);
    evaluated.report.findings.extend(gate);
    Ok(report(evaluated, name, diff, same == Some(true)))
}

/// What the gate says about the version of the body, in the words of `packhouse check`.
fn gate_findings(
    evaluated: &Evaluated,
    line: Option<&(Version, ReleaseContent)>,
    taken: &[Version],
    reused: bool,
    settings: Settings<'_>,
) -> Vec<FindingView> {
    let Some(document) = &evaluated.document else { return Vec::new() };
    let old = line.and_then(|(_, content)| Document::parse(&content.bytes).0);
    let baseline = old.as_ref().zip(evaluated.report.diff.as_ref());
    version_findings(Judged { new: document, path: PATH, base: None, baseline, taken, reused, settings })
}

fn load(archive: &StoreArchive<'_>, id: &str, version: &Version) -> Base {
    Some((version.clone(), archive.content(id, version)?))
}

/// The release that is compared with where it is not the one that judges.
fn base(view: &View, archive: &StoreArchive<'_>, id: &str, against: &Against) -> Result<Base, Problem> {
    if id.is_empty() && matches!(against, Against::Version(_)) {
        return Err(Problem::new(
            Kind::PackNotFound,
            "the body has no valid `id`, so nothing is published of it",
        ));
    }
    let row = match against {
        Against::Line | Against::Nothing => return Ok(None),
        Against::Latest => view.pack(id).ok().and_then(|pack| view.latest(&pack)),
        Against::Version(version) => Some(view.release(id, version)?.release),
    };
    Ok(row.and_then(|row| load(archive, id, &row.version)))
}

fn label(name: &str, base: &Base) -> String {
    match base {
        Some((version, _)) => format!("registry:{name} ({version})"),
        None => format!("registry:{name} (no release)"),
    }
}

/// `known` says that the same content is published under the same version.
fn report(evaluated: Evaluated, against: String, diff: Option<DiffReport>, known: bool) -> CheckReport {
    let status = match &diff {
        None => CheckStatus::New,
        Some(diff) if diff.changes.is_empty() => CheckStatus::Unchanged,
        Some(_) => CheckStatus::Changed,
    };
    let findings = evaluated.report.findings;
    let sufficient = evaluated.report.diff.as_ref().is_none_or(|diff| diff.sufficient);
    let passed = count(&findings).error == 0 && sufficient;
    let version = evaluated.version_text.as_deref().unwrap_or_default();
    let notes = known.then(|| format!("{version} is published with the same content"));
    let baseline: Option<BaselineView> = evaluated.report.baseline;
    let pack = CheckedPack {
        pack: evaluated.id.unwrap_or_default(),
        path: PATH.to_owned(),
        status,
        passed,
        findings,
        diff,
        baseline,
    };
    CheckReport {
        version: 1,
        against,
        passed,
        findings: Vec::new(),
        packs: vec![pack],
        notes: notes.into_iter().collect(),
    }
}

fn not_a_pack(evaluated: &Evaluated) -> Problem {
    let findings = &evaluated.report.findings;
    let detail = findings.first().map_or_else(
        || "the body is JSON, but no object".to_owned(),
        |first| format!("{}:{}: {}", first.line, first.column, first.message),
    );
    let errors: Vec<Value> = findings
        .iter()
        .map(|finding| json!({"detail": finding.message, "pointer": finding.pointer, "line": finding.line, "column": finding.column}))
        .collect();
    Problem::new(Kind::NotAPack, detail).with("errors", errors.into()).with("findings", json!(findings))
}
