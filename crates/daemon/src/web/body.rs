//! Bodies of requests, up to a size.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;

use super::App;
use super::problem::{Kind, Problem};

/// The size of a body that is no pack, in bytes.
const MOST_BYTES: u64 = 256 << 10;

/// The bytes of a pack, not read yet.
pub(crate) struct PackBody(pub Bytes);

impl FromRequest<App> for PackBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<PackBody, Problem> {
        json_bytes(request, app.settings.limits.pack_bytes).await.map(PackBody)
    }
}

/// A JSON body of a known shape.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &App) -> Result<JsonBody<T>, Problem> {
        parsed(&json_bytes(request, MOST_BYTES).await?).map(JsonBody)
    }
}

/// A JSON body of a known shape, or none at all.
pub(crate) struct OptionalBody<T>(pub Option<T>);

impl<T: DeserializeOwned> FromRequest<App> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &App) -> Result<OptionalBody<T>, Problem> {
        let bytes = json_bytes(request, MOST_BYTES).await?;
        let value = (!bytes.is_empty()).then(|| parsed(&bytes)).transpose();
        value.map(OptionalBody)
    }
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| Problem::new(Kind::MalformedBody, error.to_string()))
}

async fn json_bytes(request: Request, limit: u64) -> Result<Bytes, Problem> {
    check_media_type(request.headers())?;
    raw_bytes(request, limit).await
}

/// The bytes of a body of any kind, up to a limit.
pub(crate) async fn raw_bytes(request: Request, limit: u64) -> Result<Bytes, Problem> {
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let too_large = || Problem::new(Kind::TooLarge, format!("the body may have up to {limit} bytes"));
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    read(request.into_body(), limit).await.map_err(|error| {
        let is_limit = std::error::Error::source(&error).is_some_and(|source| {
            // The reader of bodies says so in this way only.
            source.to_string().contains("length limit")
        });
        if is_limit { too_large() } else { Problem::new(Kind::MalformedBody, "the body broke off") }
    })
}

async fn read(body: Body, limit: u64) -> Result<Bytes, axum::Error> {
    axum::body::to_bytes(body, usize::try_from(limit).unwrap_or(usize::MAX)).await
}

/// JSON says so, in one of its names. A body without a media type is taken for JSON.
fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    let essence = text.split(';').next().unwrap_or_default().trim();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Problem::new(Kind::UnsupportedMediaType, format!("the body is `{essence}`, not `application/json`")))
}
