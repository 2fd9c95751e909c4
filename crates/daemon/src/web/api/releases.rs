//! `/v1/packs/{id}/versions/{version}`: one release, its bytes and what was said of it.

use std::sync::Arc;

use axum::extract::State;
use pack::Digest;
use pack::model::parse_version;
use registry::release::{Form, SkillFile};
use registry::{Release, Report};
use serde_json::json;
use store::{PackEntry, ReleaseRow};

use crate::web::App;
use crate::web::address;
use crate::web::answer::Answer;
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, OnePack, OneRelease, View};
use crate::web::views::{Manifest, SchemaFileView, forms};

/// The manifest of a release.
pub(crate) async fn manifest(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    manifest_of(&app, &target.pack, &target.row).await
}

/// The manifest of a release that was found.
pub(crate) async fn manifest_of(
    app: &App,
    pack: &PackEntry,
    row: &Arc<ReleaseRow>,
) -> Result<Answer, Problem> {
    let release = app.blobs.release(row).await?;
    let files = schema_files(app, row, &release).await?;
    Ok(Answer::json(&Manifest::new(pack, row, &release, files))?.of_release(pack, row))
}

/// What a manifest says of the schema files of a release.
pub(crate) async fn schema_files(
    app: &App,
    row: &ReleaseRow,
    release: &Release,
) -> Result<Vec<SchemaFileView>, Problem> {
    let mut files = Vec::with_capacity(release.files.len());
    for path in &release.files {
        files.push(SchemaFileView::new(release, path, &app.blobs.schema_file(row, path).await?));
    }
    Ok(files)
}

/// A schema file that the pack refers to.
pub(crate) async fn schema_file(
    State(app): State<App>,
    names: Names,
    target: OneRelease,
) -> Result<Answer, Problem> {
    let release = app.blobs.release(&target.row).await?;
    let path = names.get("file");
    if !release.files.iter().any(|known| known == path) {
        return Err(Problem::new(
            Kind::FileNotFound,
            format!("the release refers to no schema file `{path}`"),
        ));
    }
    let bytes = app.blobs.schema_file(&target.row, path).await?;
    let (digest, media_type) = (Digest::of(&bytes), media_type(path, &bytes));
    Ok(Answer::exact(bytes, digest, media_type).of_release(&target.pack, &target.row).with_digest())
}

/// The exact source bytes.
pub(crate) async fn source(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    form_of(&app, &target.pack, &target.row, Form::Source).await
}

/// The resolved form.
pub(crate) async fn resolved(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    form_of(&app, &target.pack, &target.row, Form::Resolved).await
}

/// The resolved form with fragments written out.
pub(crate) async fn portable(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    form_of(&app, &target.pack, &target.row, Form::Portable).await
}

/// The archive of the pack and the files that it names.
pub(crate) async fn bundle(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    form_of(&app, &target.pack, &target.row, Form::Bundle).await
}

/// The bytes of a form of a release that was found.
pub(crate) async fn form_of(
    app: &App,
    pack: &PackEntry,
    row: &Arc<ReleaseRow>,
    form: Form,
) -> Result<Answer, Problem> {
    let Some((digest, _)) = row.form(form) else { return Err(no_form(row, form)) };
    let bytes = app.blobs.form(row, form, digest).await?;
    Ok(Answer::exact(bytes, digest, form.media_type()).of_release(pack, row).with_digest())
}

/// What is said where a release does not have a form that others have.
fn no_form(row: &ReleaseRow, form: Form) -> Problem {
    let known: Vec<&str> = forms(row).into_keys().chain(["manifest"]).collect();
    let detail = format!(
        "`{}@{}` has no form `{}`: the `warnings` of its manifest say why, or it was published before there was \
         this form; it has `{}`",
        row.id,
        row.version,
        form.as_str(),
        known.join("`, `")
    );
    Problem::new(Kind::FormNotFound, detail).with("forms", json!(known))
}

/// What was said of a release when it was published.
pub(crate) async fn report(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    let answer = match app.blobs.report(&target.row).await? {
        bytes if target.view.sees_all(&target.pack) => Answer::text(bytes, "application/json"),
        bytes => Answer::json(&seen_report(&target.view, &target.pack, &bytes)?)?,
    };
    Ok(answer.of_release(&target.pack, &target.row))
}

/// What was said of a release, without the comparison with one that the reader does not see: an id may have moved here
/// from a source with other readers.
pub(crate) fn seen_report(view: &View, pack: &PackEntry, bytes: &[u8]) -> Result<Report, Problem> {
    let report: Report = serde_json::from_slice(bytes).map_err(|error| Problem::internal(&error))?;
    let against = report.baseline.as_ref().and_then(|baseline| parse_version(&baseline.version));
    if against.is_none_or(|version| view.sees_version(pack, &version)) {
        return Ok(report);
    }
    let findings = report.findings.into_iter().filter(|finding| !is_of_gate(finding.rule.as_ref())).collect();
    Ok(Report { baseline: None, diff: None, findings, ..report })
}

/// Whether a rule compares the version with that of another release.
fn is_of_gate(rule: &str) -> bool {
    rule.starts_with("version-") || rule.starts_with("prompt-version-")
}

/// One file of a skill.
pub(crate) async fn skill_file(
    State(app): State<App>,
    names: Names,
    target: OneRelease,
) -> Result<Answer, Problem> {
    let release = app.blobs.release(&target.row).await?;
    let (name, path) = (names.get("name"), names.get("file"));
    let file = find_file(&release, name, path).ok_or_else(|| {
        Problem::new(Kind::FileNotFound, format!("the release has no file `{path}` of a skill `{name}`"))
    })?;
    file_of(&app, &target.pack, &target.row, file).await
}

fn find_file<'r>(release: &'r Release, key: &str, path: &str) -> Option<&'r SkillFile> {
    let keys = address::skill_keys(&release.skills);
    let position = keys.iter().position(|known| known == key)?;
    release.skills[position].files.iter().find(|file| file.path == path)
}

async fn file_of(app: &App, pack: &PackEntry, row: &ReleaseRow, file: &SkillFile) -> Result<Answer, Problem> {
    let bytes = app.blobs.file(row, file).await?;
    let media_type = media_type(&file.path, &bytes);
    Ok(Answer::exact(bytes, file.digest, media_type).of_release(pack, row).with_digest())
}

/// Text is served as plain text and everything else as mere bytes: nothing of a pack is a page.
fn media_type(path: &str, bytes: &[u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(_) if path.ends_with(".json") => "application/json",
        Ok(_) => "text/plain; charset=utf-8",
        Err(_) => "application/octet-stream",
    }
}

/// Bytes of one of a pack's forms or skill files, by their digest.
pub(crate) async fn blob(
    State(app): State<App>,
    names: Names,
    OnePack { view, pack }: OnePack,
) -> Result<Answer, Problem> {
    let hex = names.get("hex");
    let fits = "64 hexadecimal digits stand here";
    let digest = Digest::from_hex(hex).ok_or_else(|| Problem::malformed("hex", hex, fits))?;
    let no_form = match view.resolve_in(&pack.id, &digest.to_string()) {
        Ok(found) => {
            return form_of(&app, &pack, &found.release, found.form.unwrap_or(Form::Source)).await;
        }
        Err(problem) => problem,
    };
    for row in view.releases(&pack).rev() {
        let release = app.blobs.release(row).await?;
        let mut files = release.skills.iter().flat_map(|skill| &skill.files);
        if let Some(file) = files.find(|file| file.digest == digest) {
            return file_of(&app, &pack, row, file).await;
        }
    }
    // Another release may serve the bytes of a removed one: only then were they looked for in vain.
    if no_form.kind() == Kind::Removed {
        return Err(no_form);
    }
    Err(Problem::new(Kind::FileNotFound, format!("no bytes of `{}` have the digest {digest}", pack.id)))
}
