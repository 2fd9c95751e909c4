//! `POST /v1/check`: what the registry would say of a pack, without publishing it.
//!
//! The words are those of `registry::evaluate`, which also judges what is pushed. Nothing is decided here.

use axum::extract::State;
use pack::Document;
use pack::model::parse_version;
use registry::acknowledge::{Accepted, Holder};
use registry::candidate::{Archive, ReleaseContent};
use registry::gate::{
    AllowRun, BUMP, JudgedPack, Sides, Weighed, acknowledge, allow_findings, is_silent, judging_release,
    line_release, next_judging_release, not_compared, passes, remarks, weigh,
};
use registry::judge::{Evaluated, Input, Parsed, Settings, evaluate, same_content};
use registry::report::{BaselineView, CheckReport, CheckStatus, CheckedPack, FindingView};
use semver::Version;
use serde_json::{Value, json};
use store::StoreArchive;

use super::compare::{input, today};
use super::surroundings::Surroundings;
use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::body::PackBody;
use crate::web::parameters::Parameters;
use crate::web::pool::Pool;
use crate::web::problem::{Kind, Problem};
use crate::web::target::View;

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
    let policy = &app.settings.policy;
    let archive = StoreArchive::new(&app.store, &app.settings.sources);
    let mut around = Surroundings::of(app, view, &archive, bytes);
    let settings = Settings {
        repository: &around.found.settings,
        base: &around.found.base,
        policy,
        today: today(),
        spec: None,
    };
    let body = Input { bytes, path: &around.path, tree: Some(&around.files) };
    let evaluated = evaluate(body, None, settings);
    let Some(document) = evaluated.document.as_ref().filter(|document| document.root().is_object()) else {
        return Err(not_a_pack(&evaluated));
    };
    let head = Parsed { input: body, document };
    let id = evaluated.id.as_deref().unwrap_or_default();
    let identity = (id, evaluated.version.as_ref());
    let Compared { mut weighed, status, is_published } =
        compared(head, identity, (view, &archive), against, settings)?;
    let shown = if id.is_empty() { around.path.clone() } else { id.to_owned() };
    if status == CheckStatus::New {
        around.notes.push(not_compared(&shown, *against != Against::Nothing));
    }
    around.notes.extend(remarks(&shown, weighed.diff.as_ref()));
    if is_published {
        let version = evaluated.version_text.as_deref().unwrap_or_default();
        around.notes.push(format!("{version} is published with the same content"));
    }
    let entries = accept(&mut weighed, &evaluated, &around, settings);
    Ok(report(evaluated, (against, entries), status, weighed, around))
}

/// A pack against what was asked for.
struct Compared {
    weighed: Weighed,
    status: CheckStatus,
    /// Whether the same content is published under the same version.
    is_published: bool,
}

fn compared(
    head: Parsed<'_>,
    (id, version): (&str, Option<&Version>),
    (view, archive): (&View, &StoreArchive<'_>),
    against: &Against,
    settings: Settings<'_>,
) -> Result<Compared, Problem> {
    let known = view.known(archive, id);
    let is_known =
        |version: &&Version| known.iter().any(|known| known.version.cmp_precedence(version).is_eq());
    let own = version.filter(is_known).and_then(|version| load(archive, id, version));
    let is_same = own.as_ref().map(|own| same_content(own.parsed().input, head.input));
    let line = version.and_then(|version| line_release(&known, version, is_same == Some(true)));
    let base = match against {
        Against::Nothing => None,
        Against::Line => line.and_then(|line| load(archive, id, &line.version)),
        Against::Latest | Against::Version(_) => base(view, archive, id, against)?,
    };
    let judging = version.and_then(|version| {
        let base = base.as_ref().map(|base| &base.version);
        judging_release(&known, version, is_same == Some(false), base)
    });
    let next = version
        .zip(judging)
        .and_then(|(version, judging)| next_judging_release(&known, version, &judging.version));
    let [judging, next] =
        [judging, next].map(|release| release.and_then(|release| load(archive, id, &release.version)));
    let is_base = |base: &Base| version.is_some_and(|version| base.version.cmp_precedence(version).is_eq());
    let is_unchanged = is_same == Some(true) && base.as_ref().is_some_and(is_base);
    let mut weighed = Weighed::default();
    if *against != Against::Nothing && !is_unchanged {
        let taken: Vec<Version> = known.iter().map(|known| known.version.clone()).collect();
        let bases: Vec<Parsed<'_>> = base.iter().map(Base::parsed).collect();
        let (since, below) = (judging.as_ref().map(Base::parsed), next.as_ref().map(Base::parsed));
        let reused = is_same == Some(false);
        let bump = match against {
            Against::Line => format!("{BUMP} --against registry"),
            _ => format!("{BUMP} --against {}", label(against)),
        };
        weighed =
            weigh(Sides { head, bases: &bases, since, below, taken: &taken, reused, bump: &bump, settings });
    }
    let status = match &base {
        _ if is_unchanged || is_silent(weighed.diff.as_ref(), &weighed.findings) => CheckStatus::Unchanged,
        None => CheckStatus::New,
        Some(_) => CheckStatus::Changed,
    };
    if status == CheckStatus::Unchanged {
        weighed.diff = None;
    }
    Ok(Compared { weighed, status, is_published: is_same == Some(true) })
}

/// Marks what the source's `[[allow]]` entries accept of the gate's findings; gives what is to be said of the entries.
fn accept(
    weighed: &mut Weighed,
    evaluated: &Evaluated,
    around: &Surroundings,
    settings: Settings<'_>,
) -> Vec<FindingView> {
    let (path, version) = (around.path.as_str(), evaluated.version.as_ref());
    let id = evaluated.id.as_deref().unwrap_or_default();
    let mut matched = acknowledge(&mut weighed.findings, path, version, settings);
    matched.extend(&evaluated.allowed);
    let holder = Holder { path: settings.relative(path), pack: id, version };
    let changes = || [&weighed.diff, &weighed.since].into_iter().flatten().flat_map(|diff| &diff.changes);
    matched.extend(changes().filter_map(|change| holder.accept_change(change, settings)));
    let found = |rule, fingerprint, place| Accepted { rule, fingerprint, path, pack: id, place, version };
    let findings = evaluated.report.findings.iter();
    let findings = findings.map(|finding| found(&finding.rule, &finding.fingerprint, &finding.place));
    let of_changes = changes().map(|change| found(&change.rule, &change.fingerprint, &change.place));
    let found: Vec<Accepted<'_>> = findings.chain(of_changes).collect();
    allow_findings(AllowRun {
        settings,
        file: &around.found.file(),
        packs: &[JudgedPack { id, path, version }],
        found: &found,
        matched: &matched,
        complete: false,
        fresh: None,
    })
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
        Against::Version(version) if parse_version(version).is_none() => {
            let fits = "`line`, `latest`, `none` or an exact version such as `1.2.0` stands here";
            return Err(Problem::malformed("against", version, fits));
        }
        Against::Version(version) => Some(view.release(id, version)?.release),
    };
    Ok(row.and_then(|row| load(archive, id, &row.version)))
}

/// How the base is called, as `check --against` takes it.
fn label(against: &Against) -> String {
    match against {
        Against::Line => "registry:line".to_owned(),
        Against::Latest => "registry:latest".to_owned(),
        Against::Version(version) => format!("registry:{version}"),
        Against::Nothing => "none".to_owned(),
    }
}

fn report(
    evaluated: Evaluated,
    (against, entries): (&Against, Vec<FindingView>),
    status: CheckStatus,
    weighed: Weighed,
    around: Surroundings,
) -> CheckReport {
    let Weighed { diff, since, findings: of_gate, .. } = weighed;
    let mut findings = evaluated.report.findings;
    findings.extend(of_gate);
    findings.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
    let passed = passes(&findings, diff.as_ref());
    let baseline = since.as_ref().map(BaselineView::of);
    let pack = CheckedPack {
        pack: evaluated.id.unwrap_or_default(),
        path: around.path,
        status,
        passed,
        findings,
        diff,
        baseline,
    };
    CheckReport {
        version: 1,
        against: label(against),
        passed: passed && passes(&entries, None),
        findings: entries,
        packs: vec![pack],
        notes: around.notes,
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
