//! `/v1/fetch` and `/v1/resolve`: from a reference to a release.

use axum::extract::State;
use registry::reference::{Reference, Wanted};
use registry::release::Form;
use serde::Deserialize;
use serde_json::{Value, json};

use super::releases::{form_of, manifest_of};
use crate::web::App;
use crate::web::address;
use crate::web::answer::{Answer, Caching};
use crate::web::body::JsonBody;
use crate::web::parameters::Parameters;
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, View};
use crate::web::views::forms;

/// What of a release is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Bytes(Form),
    Manifest,
}

/// The release that a reference means, in one request.
pub(crate) async fn fetch(
    State(app): State<App>,
    view: View,
    names: Names,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    let text = names.get("ref");
    let reference = Reference::parse(text)?;
    let wish = parameters.text("form").map(wish).transpose()?;
    let found = view.resolve(&reference, text)?;
    let (pack, row) = (&found.pack, &found.release);
    match wish.unwrap_or(Wish::Bytes(found.form.unwrap_or(Form::Resolved))) {
        Wish::Manifest => {
            let answer = manifest_of(&app, pack, row).await?;
            Ok(answer.located(&address::release(&row.id, &row.version)).with_digest())
        }
        Wish::Bytes(form) => {
            let answer = form_of(&app, pack, row, form).await?;
            Ok(answer.located(&address::form(&row.id, &row.version, form)).caching(caching(&reference)))
        }
    }
}

/// What a reference means never changes where it names a version or a digest.
fn caching(reference: &Reference) -> Caching {
    match reference.wanted {
        Wanted::Exact(_) | Wanted::Digest(_) => Caching::Immutable,
        Wanted::Range(_) | Wanted::Channel(_) => Caching::Document,
    }
}

fn wish(text: &str) -> Result<Wish, Problem> {
    if text == "manifest" {
        return Ok(Wish::Manifest);
    }
    let form = Form::ALL.into_iter().find(|form| form.as_str() == text);
    form.map(Wish::Bytes).ok_or_else(|| {
        let known: Vec<&str> = Form::ALL.iter().map(|form| form.as_str()).chain(["manifest"]).collect();
        let detail = format!("there is no form `{text}`: releases are served as `{}`", known.join("`, `"));
        Problem::new(Kind::FormUnavailable, detail).with("forms", json!(known))
    })
}

/// The most references of one request.
const MOST_REFERENCES: usize = 1000;

/// The body of `/v1/resolve`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanteds {
    refs: Vec<String>,
}

/// What several references mean; each gets its own answer.
pub(crate) async fn resolve(view: View, JsonBody(body): JsonBody<Wanteds>) -> Result<Answer, Problem> {
    if body.refs.len() > MOST_REFERENCES {
        let detail = format!("`refs` may have up to {MOST_REFERENCES} entries, and has {}", body.refs.len());
        return Err(Problem::new(Kind::MalformedBody, detail));
    }
    let results: Vec<Value> = body.refs.iter().map(|text| resolved(&view, text)).collect();
    Ok(Answer::json(&json!({"results": results}))?.caching(Caching::Revalidate))
}

fn resolved(view: &View, text: &str) -> Value {
    let found =
        Reference::parse(text).map_err(Problem::from).and_then(|reference| view.resolve(&reference, text));
    match found {
        Ok(found) => json!({
            "ref": text,
            "id": found.release.id,
            "version": found.release.version.to_string(),
            "forms": forms(&found.release),
        }),
        Err(problem) => json!({"ref": text, "problem": problem.document()}),
    }
}
