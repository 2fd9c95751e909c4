//! `/v1/sources`: the health of what is watched.

use std::collections::HashMap;

use axum::extract::State;
use jiff::Timestamp;
use registry::problem::ProblemState;
use serde::Serialize;
use serde_json::json;
use store::ScanSummary;

use crate::web::answer::{Answer, Caching};
use crate::web::parameters::Parameters;
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, View};
use crate::web::{App, Asked};

/// How many packs and releases each source has.
type Counts<'s> = HashMap<&'s str, (usize, usize)>;

/// One source, as the API shows it.
#[derive(Debug, Serialize)]
pub(crate) struct SourceView {
    pub name: String,
    pub state: &'static str,
    pub head: Option<String>,
    pub last_attempt: Option<Timestamp>,
    pub last_success: Option<Timestamp>,
    pub error: Option<String>,
    pub last_scan: Option<ScanSummary>,
    pub packs: usize,
    pub releases: usize,
    pub problems: Vec<ProblemState>,
}

impl SourceView {
    /// The source of that name; `all` keeps problems that are over.
    fn new(app: &App, counts: &Counts<'_>, name: &str, all: bool) -> SourceView {
        let state = app.store.source_state(name);
        let (packs, releases) = counts.get(name).copied().unwrap_or_default();
        let word = match (&state.error, state.last_success) {
            (Some(_), _) => "failing",
            (None, Some(_)) => "ok",
            (None, None) => "never",
        };
        let mut problems = state.problems;
        problems.retain(|problem| all || problem.current);
        // The worst and the newest first.
        problems.sort_by(|a, b| {
            let rank = |problem: &ProblemState| (problem.current, problem.level, problem.last);
            rank(b).cmp(&rank(a))
        });
        SourceView {
            name: name.to_owned(),
            state: word,
            head: state.head,
            last_attempt: state.last_attempt,
            last_success: state.last_success,
            error: state.error,
            last_scan: state.last_scan,
            packs,
            releases,
            problems,
        }
    }
}

/// The sources that the reader sees: those of the configuration in its order, then, for a follower, those of the ledger.
fn names(app: &App, view: &View) -> Vec<String> {
    let configured = app.settings.sources.iter().filter(|source| view.sees_source(source));
    let mut names: Vec<String> = configured.map(|source| source.name.clone()).collect();
    // What the configuration of a writer does not name any more is watched by nobody.
    if app.settings.follow.url.is_none() {
        return names;
    }
    let recorded = view.snapshot.sources(&view.reader).map(|source| source.name.clone());
    let recorded: Vec<String> = recorded.filter(|name| !names.contains(name)).collect();
    names.extend(recorded);
    names
}

/// Every source that the reader sees.
pub(crate) fn every(app: &App, view: &View, all: bool) -> Vec<SourceView> {
    let counts = view.snapshot.counts();
    names(app, view).iter().map(|name| SourceView::new(app, &counts, name, all)).collect()
}

/// The sources.
pub(crate) async fn list(
    State(app): State<App>,
    view: View,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    let all = parameters.flag("all")?;
    Ok(Answer::json(&json!({"sources": every(&app, &view, all)}))?.caching(Caching::Revalidate))
}

/// One source.
pub(crate) async fn one(
    State(app): State<App>,
    view: View,
    names: Names,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    let name = known(&app, &view, names.get("name"))?;
    let source = SourceView::new(&app, &view.snapshot.counts(), &name, parameters.flag("all")?);
    Ok(Answer::json(&source)?.caching(Caching::Revalidate))
}

/// Asks for a scan; with `rejudge` for one that judges again what was refused, however old it is.
pub(crate) async fn sync(
    State(app): State<App>,
    view: View,
    names: Names,
    parameters: Parameters,
) -> Result<(axum::http::StatusCode, axum::Json<serde_json::Value>), Problem> {
    let name = known(&app, &view, names.get("name"))?;
    let asked = if parameters.flag("rejudge")? { Asked::Rejudge } else { Asked::Scan };
    app.hints.ask(&name, asked);
    Ok((axum::http::StatusCode::ACCEPTED, axum::Json(json!({"source": name}))))
}

fn known(app: &App, view: &View, name: &str) -> Result<String, Problem> {
    let found = names(app, view).into_iter().find(|known| known == name);
    found.ok_or_else(|| Problem::new(Kind::SourceNotFound, format!("no source is called `{name}`")))
}
