//! `POST /v1/check`: what the registry would say of a pack, without publishing it.
//!
//! The words are those of `registry::evaluate`, which also judges what is pushed. Nothing is decided here.

use axum::extract::State;
use pack::Document;
use pack::tree::NoTree;
use registry::candidate::{Archive, ReleaseContent};
use registry::gate::{Sides, Weighed, judging_release, line_release, next_judging_release, passes, weigh};
use registry::judge::{Evaluated, Input, Parsed, Settings, evaluate, same_content};
use registry::report::{BaselineView, CheckReport, CheckStatus, CheckedPack};
use registry::settings::RepositorySettings;
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

/// A release that the pack is compared with.
struct Base {
    version: Version,
    content: ReleaseContent,
    document: Document,
}

impl Base {
    fn parsed(&self) -> Parsed<'_> {
        Parsed { input: input(&self.content), document: &self.document }
    }
}

fn checked(app: &App, view: &View, bytes: &[u8], against: &Against) -> Result<CheckReport, Problem> {
    let repository = RepositorySettings::default();
    let policy = &app.settings.policy;
    let settings = Settings { repository: &repository, base: "", policy, today: today(), spec: None };
    let body = Input { bytes, path: PATH, tree: Some(&NoTree) };
    let mut evaluated = evaluate(body, None, settings);
    let Some(document) = evaluated.document.as_ref().filter(|document| document.root().is_object()) else {
        return Err(not_a_pack(&evaluated));
    };
    let head = Parsed { input: body, document };
    let id = evaluated.id.clone().unwrap_or_default();
    let archive = StoreArchive::new(&app.store, &app.settings.sources);
    let known = if view.pack(&id).is_ok() { archive.known(&id) } else { Vec::new() };
    let version = evaluated.version.as_ref();
    let own = version.filter(|_| !known.is_empty()).and_then(|version| load(&archive, &id, version));
    let is_same = own.as_ref().map(|own| same_content(own.parsed().input, body));
    let line = version.and_then(|version| line_release(&known, version, is_same == Some(true)));
    let (name, base) = match against {
        Against::Nothing => (None, None),
        Against::Line => (Some("line"), line.and_then(|line| load(&archive, &id, &line.version))),
        Against::Latest | Against::Version(_) => (Some("latest"), base(view, &archive, &id, against)?),
    };
    let judging = version.and_then(|version| {
        let base = base.as_ref().map(|base| &base.version);
        judging_release(&known, version, is_same == Some(false), base)
    });
    let next = version
        .zip(judging)
        .and_then(|(version, judging)| next_judging_release(&known, version, &judging.version));
    let [judging, next] =
        [judging, next].map(|release| release.and_then(|release| load(&archive, &id, &release.version)));
    let is_base = |base: &Base| version.is_some_and(|version| base.version.cmp_precedence(version).is_eq());
    let is_unchanged = is_same == Some(true) && base.as_ref().is_some_and(is_base);
    let mut weighed = Weighed::default();
    if name.is_some() && !is_unchanged {
        let taken: Vec<Version> = known.iter().map(|known| known.version.clone()).collect();
        let bases: Vec<Parsed<'_>> = base.iter().map(Base::parsed).collect();
        let since = judging.as_ref().map(Base::parsed);
        weighed = weigh(Sides {
            head,
            bases: &bases,
            since,
            below: next.as_ref().map(Base::parsed),
            taken: &taken,
            reused: is_same == Some(false),
            settings,
        });
    }
    let against = name.map_or("none".to_owned(), |name| label(name, base.as_ref()));
    evaluated.report.findings.append(&mut weighed.findings);
    let status = match &weighed.diff {
        _ if is_unchanged => CheckStatus::Unchanged,
        None => CheckStatus::New,
        Some(diff) if diff.changes.is_empty() && diff.old.version == diff.new.version => {
            CheckStatus::Unchanged
        }
        Some(_) => CheckStatus::Changed,
    };
    Ok(report(evaluated, against, status, weighed, is_same == Some(true)))
}

fn load(archive: &StoreArchive<'_>, id: &str, version: &Version) -> Option<Base> {
    let content = archive.content(id, version)?;
    let document = Document::parse(&content.bytes).0?;
    Some(Base { version: version.clone(), content, document })
}

/// The release that is compared with where it is not the one that judges.
fn base(
    view: &View,
    archive: &StoreArchive<'_>,
    id: &str,
    against: &Against,
) -> Result<Option<Base>, Problem> {
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

fn label(name: &str, base: Option<&Base>) -> String {
    match base {
        Some(base) => format!("registry:{name} ({})", base.version),
        None => format!("registry:{name} (no release)"),
    }
}

/// `known` says that the same content is published under the same version.
fn report(
    evaluated: Evaluated,
    against: String,
    status: CheckStatus,
    weighed: Weighed,
    known: bool,
) -> CheckReport {
    let Weighed { diff, since, .. } = weighed;
    let findings = evaluated.report.findings;
    let passed = passes(&findings, diff.as_ref());
    let version = evaluated.version_text.as_deref().unwrap_or_default();
    let notes = known.then(|| format!("{version} is published with the same content"));
    let baseline = since.map(|since| BaselineView {
        version: since.old.version,
        digest: since.old.digest,
        required_bump: since.required_bump,
    });
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
