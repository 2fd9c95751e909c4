//! Answers: bodies with their digest, and what caches may do with them.
//!
//! A handler returns the whole body. Whether the client gets it, a part of it, or only hears that its copy is
//! current, is decided in [`conclude`] for all of them.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use pack::Digest;
use serde::Serialize;
use store::{PackEntry, ReleaseRow};

use super::problem::{Kind, Problem};
use super::target::flag_names;

/// `Repr-Digest` of RFC 9530.
const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");
/// The version that was sent.
const PACKHOUSE_VERSION: HeaderName = HeaderName::from_static("packhouse-version");
/// The digest of the form that was sent.
const PACKHOUSE_DIGEST: HeaderName = HeaderName::from_static("packhouse-digest");
/// Why ranges skip the release that was sent.
const PACKHOUSE_FLAGGED: HeaderName = HeaderName::from_static("packhouse-flagged");
/// Whether the release that was sent is yanked.
const PACKHOUSE_YANKED: HeaderName = HeaderName::from_static("packhouse-yanked");
/// Whether the release that was sent is deprecated.
const PACKHOUSE_DEPRECATED: HeaderName = HeaderName::from_static("packhouse-deprecated");

/// What caches may do with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caching {
    /// The bytes at this address never change.
    Immutable,
    /// A document that changes now and then.
    Document,
    /// A comparison: it changes with the rules only.
    Comparison,
    /// It is asked for anew each time, at the price of a 304.
    Revalidate,
    /// Nobody keeps it.
    Never,
}

impl Caching {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Caching::Immutable => "public, max-age=31536000, immutable",
            Caching::Document => "max-age=60, stale-while-revalidate=300",
            Caching::Comparison => "max-age=300",
            Caching::Revalidate => "no-cache",
            Caching::Never => "no-store",
        })
    }
}

/// A complete body with what is said about it.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    bytes: Bytes,
    digest: Digest,
    content_type: &'static str,
    caching: Caching,
    headers: HeaderMap,
}

impl Answer {
    /// Bytes whose digest is known.
    pub(crate) fn exact(bytes: Bytes, digest: Digest, content_type: &'static str) -> Answer {
        Answer { bytes, digest, content_type, caching: Caching::Immutable, headers: HeaderMap::new() }
    }

    /// A text that was just made.
    pub(crate) fn text(text: impl Into<Bytes>, content_type: &'static str) -> Answer {
        let bytes = text.into();
        let digest = Digest::of(&bytes);
        Answer { caching: Caching::Document, ..Answer::exact(bytes, digest, content_type) }
    }

    /// A JSON document.
    pub(crate) fn json(value: &impl Serialize) -> Result<Answer, Problem> {
        let mut text = serde_json::to_vec(value).map_err(|error| Problem::internal(&error))?;
        text.push(b'\n');
        Ok(Answer::text(text, "application/json"))
    }

    /// A page.
    pub(crate) fn page(markup: Markup) -> Answer {
        Answer::text(markup.into_string(), "text/html; charset=utf-8").caching(Caching::Revalidate)
    }

    /// Says what caches may do with it.
    #[must_use]
    pub(crate) fn caching(self, caching: Caching) -> Answer {
        Answer { caching, ..self }
    }

    /// Names the release that it is of.
    #[must_use]
    pub(crate) fn of_release(mut self, pack: &PackEntry, row: &ReleaseRow) -> Answer {
        self.insert(PACKHOUSE_VERSION, &row.version.to_string());
        let flags = flag_names(pack, row);
        if !flags.is_empty() {
            self.insert(PACKHOUSE_FLAGGED, &flags.join(", "));
        }
        if pack.status.yanked(&row.version).is_some() {
            self.insert(PACKHOUSE_YANKED, "true");
        }
        if pack.status.deprecated(&row.version).is_some() {
            self.insert(PACKHOUSE_DEPRECATED, "true");
        }
        self
    }

    /// Names the digest of the form that it is.
    #[must_use]
    pub(crate) fn with_digest(mut self) -> Answer {
        let digest = self.digest.to_string();
        self.insert(PACKHOUSE_DIGEST, &digest);
        self
    }

    /// Names the address under which exactly this stands.
    #[must_use]
    pub(crate) fn located(mut self, address: &str) -> Answer {
        self.insert(header::CONTENT_LOCATION, address);
        self
    }

    fn insert(&mut self, name: HeaderName, value: &str) {
        // What stands in these headers is ASCII by construction; anything else is left out rather than mangled.
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }
}

/// The whole body of an answer, for what may be asked in parts.
#[derive(Clone)]
struct Whole(Bytes);

impl IntoResponse for Answer {
    fn into_response(mut self) -> Response {
        let etag = format!("\"{}\"", self.digest.hex());
        self.insert(header::ETAG, &etag);
        let repr_digest = format!("sha-256=:{}:", base64(self.digest.bytes()));
        self.insert(REPR_DIGEST, &repr_digest);
        self.headers.insert(header::CACHE_CONTROL, self.caching.header());
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        let in_parts = self.caching == Caching::Immutable || self.headers.contains_key(PACKHOUSE_DIGEST);
        if in_parts {
            self.headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        let mut response = (self.headers, self.bytes.clone()).into_response();
        if in_parts {
            response.extensions_mut().insert(Whole(self.bytes));
        }
        response
    }
}

/// What a request says about the copy that the client has, and the part that it wants.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    if_none_match: Option<HeaderValue>,
    range: Option<HeaderValue>,
    if_range: Option<HeaderValue>,
}

impl Conditions {
    /// The conditions of a request.
    pub(crate) fn of(method: &Method, headers: &HeaderMap) -> Conditions {
        let get = |name| headers.get(name).cloned();
        let reads = method == Method::GET || method == Method::HEAD;
        Conditions {
            if_none_match: get(header::IF_NONE_MATCH).filter(|_| reads),
            range: get(header::RANGE).filter(|_| method == Method::GET),
            if_range: get(header::IF_RANGE),
        }
    }
}

/// Turns a complete answer into what the client has to get: all of it, a part, or the word that nothing changed.
pub(crate) fn conclude(conditions: &Conditions, response: Response) -> Response {
    if response.status() != StatusCode::OK {
        return response;
    }
    let Some(etag) = response.headers().get(header::ETAG).cloned() else { return response };
    if conditions.if_none_match.as_ref().is_some_and(|known| names(known, &etag)) {
        return not_modified(response);
    }
    let (Some(range), Some(Whole(bytes))) = (&conditions.range, response.extensions().get::<Whole>()) else {
        return response;
    };
    if conditions.if_range.as_ref().is_some_and(|known| *known != etag) {
        return response;
    }
    let bytes = bytes.clone();
    match requested(range, bytes.len()) {
        Requested::Everything => response,
        Requested::Part(first, last) => partial(response, &bytes, first, last),
        Requested::Nothing => unsatisfiable(bytes.len()),
    }
}

/// Whether a list of entity tags names this one. The comparison is the weak one, as RFC 9110 asks.
fn names(list: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(list), Ok(etag)) = (list.to_str(), etag.to_str()) else { return false };
    list.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == etag)
}

fn not_modified(response: Response) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::NOT_MODIFIED;
    for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::ACCEPT_RANGES, REPR_DIGEST] {
        parts.headers.remove(name);
    }
    Response::from_parts(parts, Body::empty())
}

/// The part of a body that a header asks for.
#[derive(Debug, PartialEq, Eq)]
enum Requested {
    /// All of it: the header is none that is understood, and then it does not count.
    Everything,
    /// From the first to the last byte, both included.
    Part(usize, usize),
    /// Nothing that is there.
    Nothing,
}

/// Reads a single range; several at once are answered with everything.
fn requested(range: &HeaderValue, length: usize) -> Requested {
    let text = range.to_str().unwrap_or_default();
    let Some((first, last)) = text.strip_prefix("bytes=").and_then(|range| range.trim().split_once('-'))
    else {
        return Requested::Everything;
    };
    match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), _) if first >= length => Requested::Nothing,
        (Ok(first), Ok(last)) if first <= last => Requested::Part(first, last.min(length - 1)),
        (Ok(first), Err(_)) if last.is_empty() => Requested::Part(first, length - 1),
        (Err(_), Ok(0)) if first.is_empty() => Requested::Nothing,
        (Err(_), Ok(_)) if first.is_empty() && length == 0 => Requested::Nothing,
        (Err(_), Ok(count)) if first.is_empty() => Requested::Part(length.saturating_sub(count), length - 1),
        _ => Requested::Everything,
    }
}

fn partial(response: Response, bytes: &Bytes, first: usize, last: usize) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::PARTIAL_CONTENT;
    let length = bytes.len();
    parts.headers.remove(header::CONTENT_LENGTH);
    if let Ok(value) = HeaderValue::from_str(&format!("bytes {first}-{last}/{length}")) {
        parts.headers.insert(header::CONTENT_RANGE, value);
    }
    Response::from_parts(parts, Body::from(bytes.slice(first..=last)))
}

fn unsatisfiable(length: usize) -> Response {
    let problem = Problem::new(Kind::RangeNotSatisfiable, format!("the file has {length} bytes"));
    let size = HeaderValue::from_str(&format!("bytes */{length}")).expect("digits are header text");
    problem.with_header(header::CONTENT_RANGE, size).into_response()
}

/// Base64 with padding (RFC 4648), as structured fields write bytes.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for position in 0..4 {
            let sextet = (group >> (18 - 6 * position)) as usize & 63;
            text.push(if position <= chunk.len() { char::from(ALPHABET[sextet]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn one_range_is_understood() {
        let check = |range: &'static str, expected: Requested| {
            assert_eq!(requested(&HeaderValue::from_static(range), 10), expected, "{range}");
        };
        check("bytes=0-3", Requested::Part(0, 3));
        check("bytes=4-", Requested::Part(4, 9));
        check("bytes=-3", Requested::Part(7, 9));
        check("bytes=-30", Requested::Part(0, 9));
        check("bytes=8-99", Requested::Part(8, 9));
        check("bytes=10-", Requested::Nothing);
        check("bytes=-0", Requested::Nothing);
        check("bytes=5-4", Requested::Everything);
        check("bytes=0-1,3-4", Requested::Everything);
        check("lines=0-1", Requested::Everything);
    }

    #[test]
    fn entity_tags_are_compared_weakly() {
        let names =
            |list: &'static str| names(&HeaderValue::from_static(list), &HeaderValue::from_static("\"abc\""));
        assert!(names("\"abc\"") && names("\"x\", W/\"abc\"") && names("*"));
        assert!(!names("\"ab\"") && !names("abc"));
    }
}
