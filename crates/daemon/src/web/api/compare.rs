//! `/v1/packs/{id}/compare/{old}...{new}`: two versions by today's rules.

use std::sync::Arc;

use axum::extract::State;
use registry::candidate::{Archive, ReleaseContent};
use registry::judge::{Input, Settings, compare as compare_contents};
use registry::report::DiffReport;
use store::{ReleaseRow, StoreArchive};

use super::surroundings::settings_of;
use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, OnePack, View};

/// The changes between two versions.
pub(crate) async fn compare(
    State(app): State<App>,
    names: Names,
    OnePack { view, pack }: OnePack,
) -> Result<Answer, Problem> {
    let (old, new) = sides(&view, &pack.id, names.get("pair"))?;
    let report = compared(&app, &view, old, new).await?;
    Ok(Answer::json(&report)?.caching(Caching::Comparison))
}

/// The two releases that `old...new` names; each side is a version, range, channel or digest.
pub(crate) fn sides(
    view: &View,
    id: &str,
    pair: &str,
) -> Result<(Arc<ReleaseRow>, Arc<ReleaseRow>), Problem> {
    let fits = "two versions with three dots between them stand here: `1.0.0...1.1.0`";
    let (old, new) = pair.split_once("...").ok_or_else(|| Problem::malformed("pair", pair, fits))?;
    Ok((view.resolve_in(id, old)?.release, view.resolve_in(id, new)?.release))
}

/// Compares two releases in the pool, under what the source of the pack says today as far as the reader may see it.
pub(crate) async fn compared(
    app: &App,
    view: &View,
    old: Arc<ReleaseRow>,
    new: Arc<ReleaseRow>,
) -> Result<DiffReport, Problem> {
    let (app, view) = (app.clone(), view.clone());
    let pool = app.pool.clone();
    let work = move || {
        let archive = StoreArchive::new(&app.store, &app.settings.sources);
        let (found, note) = settings_of(&app, &view, &archive, &new.id, &new.path);
        let (old, new) = (content(&archive, &old)?, content(&archive, &new)?);
        let policy = &app.settings.policy;
        let settings =
            Settings { repository: &found.settings, base: &found.base, policy, today: today(), spec: None };
        let report = compare_contents(input(&old), input(&new), settings);
        let mut report = report.ok_or_else(|| Problem::new(Kind::NotAPack, "one side is no JSON object"))?;
        report.notes.extend(note);
        Ok(report)
    };
    pool.run(work).await
}

/// The bytes and files of a release.
pub(crate) fn content(archive: &StoreArchive<'_>, row: &ReleaseRow) -> Result<ReleaseContent, Problem> {
    let missing = || {
        tracing::error!(pack.id = row.id, release.version = %row.version, "a release cannot be read");
        Problem::new(Kind::Internal, "the registry could not read its own state")
    };
    archive.content(&row.id, &row.version).ok_or_else(missing)
}

/// A release as it is judged.
pub(crate) fn input(content: &ReleaseContent) -> Input<'_> {
    Input { bytes: &content.bytes, path: &content.path, tree: Some(content.tree.as_ref()) }
}

/// The day that decides whether an accepted finding has expired.
pub(crate) fn today() -> jiff::civil::Date {
    jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date()
}
