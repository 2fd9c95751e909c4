//! `/v1/hooks/{source}`: a Git host says that something was pushed.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use store::Reader;

use crate::web::body;
use crate::web::hooks::is_signed;
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, View};
use crate::web::{App, Asked};

/// The size of a hook's body, in bytes. Nothing of it is read but the signature; a push of thousands of commits, whose
/// hook is larger, is found by the next poll.
const MOST_BYTES: u64 = 5 << 20;

fn unknown_hook(source: &str) -> String {
    format!(
        "no source `{source}` takes webhooks; one that not everybody may see answers the same to a body that is not \
         signed with its secret"
    )
}

/// Whether a source is not for everybody.
fn is_hidden(app: &App, source: &str) -> bool {
    let view = View { snapshot: app.store.snapshot(), reader: Reader::everybody() };
    app.settings.sources.iter().any(|known| known.name == source && !view.sees_source(known))
}

/// Rings the bell of the source.
pub(crate) async fn push(
    State(app): State<App>,
    names: Names,
    request: Request,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let source = names.get("source");
    // The same for a source that is not there, for one that takes no hooks, and for one that not everybody may see:
    // nobody learns which it is.
    let unknown = || Problem::new(Kind::SourceNotFound, unknown_hook(source));
    let secret = app.hooks.secret(source).ok_or_else(unknown)?;
    let is_hidden = is_hidden(&app, source);
    let headers = request.headers().clone();
    let bytes = body::raw_bytes(request, MOST_BYTES).await;
    let bytes = bytes.map_err(|problem| if is_hidden { unknown() } else { problem })?;
    if !is_signed(secret, &headers, &bytes) {
        if is_hidden {
            return Err(unknown());
        }
        let detail = "the body is not signed with the secret of this source";
        let how = HeaderValue::from_static("HMAC-SHA-256");
        return Err(Problem::new(Kind::Unsigned, detail).with_header(header::WWW_AUTHENTICATE, how));
    }
    if app.hooks.is_first(source, &headers) {
        app.hints.ask(source, Asked::Scan);
    }
    Ok((StatusCode::ACCEPTED, Json(json!({"source": source}))))
}
