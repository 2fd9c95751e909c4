//! Problems: the one place that maps failures to statuses (RFC 9457).
//!
//! Rooms below HTTP answer in their own words. Here each answer gets a kind out of a closed table: a slug with a
//! page of its own, a title and a status.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pack::model::parse_version;
use registry::reference::NoReference;
use registry::status::StatusConflict;
use serde_json::{Map, Value, json};
use store::{NotFound, PackEntry, StoreError, with_causes};

macro_rules! kinds {
    ($($name:ident = $slug:literal, $status:ident, $title:literal, $about:literal;)*) => {
        /// What kinds of problems there are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind { $(#[doc = $title] $name,)* }

        impl Kind {
            /// Every kind.
            pub(crate) const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// The last part of its type.
            pub(crate) fn slug(self) -> &'static str {
                match self { $(Kind::$name => $slug,)* }
            }

            /// What it is, in a few words.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Kind::$name => $title,)* }
            }

            /// The status that it is answered with.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Kind::$name => StatusCode::$status,)* }
            }

            /// What it means and what to do, for its page.
            pub(crate) fn about(self) -> &'static str {
                match self { $(Kind::$name => $about,)* }
            }
        }
    };
}

kinds! {
    MalformedReference = "malformed-reference", BAD_REQUEST, "The reference cannot be read",
        "A reference is `id@VERSION`, `id@RANGE`, `id@CHANNEL`, `id@sha256:HEX`, or `id` alone for its latest release. Ids are lower-case letters, digits and hyphens, a letter first. Percent-encode ranges in URLs: `support-bot@%5E1.2`.";
    MalformedParameter = "malformed-parameter", BAD_REQUEST, "A parameter cannot be read",
        "A part of the path or of the query string has a value that it cannot have. The detail names it and says what fits.";
    UnknownParameter = "unknown-parameter", BAD_REQUEST, "There is no such query parameter",
        "Unknown query parameters are refused, so that a typing error never changes an answer silently. The detail lists those that this path knows.";
    MalformedBody = "malformed-body", BAD_REQUEST, "The body cannot be read",
        "The request's body is not what this path takes. The OpenAPI document at /openapi.json shows its shape.";
    FormUnavailable = "form-unavailable", BAD_REQUEST, "There is no such form",
        "A release is served in the forms that its manifest lists. Ask for one of those.";
    Unsigned = "unsigned", UNAUTHORIZED, "The body is not signed",
        "A webhook proves that it comes from the source's host: by `X-Hub-Signature-256`, `X-Hub-Signature` with SHA-256, `X-Gitea-Signature`, `X-Forgejo-Signature`, `X-Gitlab-Token`, or `Packhouse-Signature: sha256=HEX`, the HMAC-SHA-256 of the body. Give the host the same secret that the variable of the source's `webhook_secret_env` holds.";
    Unauthorized = "unauthorized", UNAUTHORIZED, "This needs a token",
        "Send a token of this registry as `Authorization: Bearer TOKEN`; the command takes it from the variable `PACKHOUSE_TOKEN`. Whoever runs the registry makes tokens with `packhouse token new`.";
    Forbidden = "forbidden", FORBIDDEN, "This needs a token with a scope",
        "The operation needs a token with the scope that the detail names. Without an `[auth]` table in its configuration a registry lets everybody read and nobody write.";
    ForeignOrigin = "foreign-origin", FORBIDDEN, "Another site made the browser ask",
        "A browser that is signed in sends its cookie along with whatever a page of another site makes it ask for. So the header `Origin` of what changes something has to name the host that is asked. A reverse proxy in front of the registry has to hand the header `Host` on as it came.";
    NotFound = "not-found", NOT_FOUND, "Nothing is served at this path",
        "The path is none of those that a registry answers. /docs lists them all.";
    FormNotFound = "form-not-found", NOT_FOUND, "The release has no such form",
        "Forms are made when a release is published, and its manifest lists those that it has. One that was published by an older registry has fewer; what else is in the way stands in the `warnings` of the manifest. Take another form, or publish the next version.";
    PackNotFound = "pack-not-found", NOT_FOUND, "There is no such pack",
        "No pack of this id is published here, or you may not see it. /v1/search finds packs by words.";
    ReleaseNotFound = "release-not-found", NOT_FOUND, "The pack has no such release",
        "The pack is published, but none of its releases is meant by the version, range, channel or digest. Its document lists all of them.";
    ReleaseHeld = "release-held", NOT_FOUND, "Only releases match that are yanked or flagged",
        "Ranges, `latest` and `prerelease` never move onto a release that is yanked or flagged. The members of `held` name the releases that would match and why each is held back. Ask for one by its exact version if you want it all the same.";
    ChannelNotFound = "channel-not-found", NOT_FOUND, "The pack has no such channel",
        "Nobody set a channel of this name for the pack. Its document lists those that there are; `latest` and `prerelease` are always there and set by nobody.";
    FileNotFound = "file-not-found", NOT_FOUND, "There is no such file or digest",
        "The release holds no such file, or the pack no bytes of this digest. The manifest of a release lists its files with their addresses.";
    SourceNotFound = "source-not-found", NOT_FOUND, "There is no such source",
        "The registry watches no source of this name, or you may not see it. /v1/sources lists them.";
    RuleNotFound = "rule-not-found", NOT_FOUND, "There is no such rule",
        "Neither a lint nor a change rule has this id. /v1/rules lists them.";
    ReadOnlyFollower = "read-only-follower", CONFLICT, "This registry only follows another one",
        "A follower serves what another registry publishes, and changes nothing. The member `writer` names the address of that registry, where its operator configured it.";
    Conflict = "conflict", CONFLICT, "The repository says otherwise",
        "What the `packhouse.toml` at the root of the pack's repository says of a release or channel is taken back or changed there only. The detail names the commit that says it; the next push that says otherwise counts.";
    Removed = "removed", GONE, "The release was removed",
        "An administrator removed the bytes of this release, such as for a secret that had leaked. Its number stays taken. Another release has to be used; no copy of the removed one should.";
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "The path does not answer this method",
        "The header `Allow` names the methods that the path answers.";
    TooLarge = "too-large", PAYLOAD_TOO_LARGE, "The body is too large",
        "The registry reads packs up to the size that its operator allows with `[limits] pack_bytes`.";
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "The body has another media type",
        "Send JSON with the header `Content-Type: application/json`.";
    RangeNotSatisfiable = "range-not-satisfiable", RANGE_NOT_SATISFIABLE, "The range lies outside the file",
        "The header `Content-Range` names the size of the file. Leave the header `Range` out to get all of it.";
    NotAPack = "not-a-pack", UNPROCESSABLE_ENTITY, "The body is no pack",
        "A pack is a JSON object. The members of `findings` say where reading it failed.";
    Busy = "busy", SERVICE_UNAVAILABLE, "The registry is busy",
        "Comparisons and checks run a few at a time, and all places are taken. Try again after the time that `Retry-After` names.";
    LedgerUnreachable = "ledger-unreachable", SERVICE_UNAVAILABLE, "Nothing can be recorded at the moment",
        "Every change is recorded at the ledger's remote before it counts, and that does not answer, or was changed by somebody else. What is published is served meanwhile. Try again later; /metrics and /sources show how long it lasts.";
    NotReady = "not-ready", SERVICE_UNAVAILABLE, "The registry is not ready yet",
        "The first look at the sources is still under way. What was published before is served meanwhile.";
    Internal = "internal", INTERNAL_SERVER_ERROR, "The registry failed",
        "The registry could not do what it should. Its log says why.";
}

/// An answer that says what went wrong.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: Kind,
    detail: String,
    members: Map<String, Value>,
    headers: HeaderMap,
}

impl Problem {
    /// A problem of a kind; `detail` says what is wrong this time.
    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Problem {
        let headers = HeaderMap::new();
        Problem(Arc::new(Inner { kind, detail: detail.into(), members: Map::new(), headers }))
    }

    /// Adds a member to the document.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Value) -> Problem {
        Arc::make_mut(&mut self.0).members.insert(name.to_owned(), value);
        self
    }

    /// Adds a header to the answer.
    #[must_use]
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Problem {
        Arc::make_mut(&mut self.0).headers.insert(name, value);
        self
    }

    /// A value that a part of the path or of the query string cannot have.
    pub(crate) fn malformed(name: &str, value: &str, fits: &str) -> Problem {
        Problem::new(Kind::MalformedParameter, format!("`{name}` cannot be `{value}`: {fits}"))
    }

    /// A failure of the world. It is logged here, once; the answer does not tell what stands in the log.
    pub(crate) fn internal(error: &dyn std::error::Error) -> Problem {
        let source = error.source().map(ToString::to_string);
        tracing::error!(%error, source, "a request failed");
        Problem::new(Kind::Internal, "the registry could not read its own state")
    }

    /// What a look-up did not find: `wanted` is the text that was asked for, `pack` where it exists.
    pub(crate) fn look_up(why: &NotFound, id: &str, wanted: &str, pack: Option<&PackEntry>) -> Problem {
        match why {
            NotFound::Pack => Problem::new(Kind::PackNotFound, format!("no pack `{id}` is published here")),
            NotFound::Release => {
                let missing = match parse_version(wanted) {
                    Some(_) => format!("`{id}` has no release `{wanted}`"),
                    None => format!(
                        "`{id}` has no release for `{wanted}`: no version fits, and no channel has that name"
                    ),
                };
                Problem::new(Kind::ReleaseNotFound, missing)
            }
            NotFound::Removed(row) => {
                let why =
                    row.removed.as_ref().map(|removal| format!(" on {}: {}", removal.at, removal.reason));
                let detail = format!("`{id}@{}` was removed{}", row.version, why.unwrap_or_default());
                Problem::new(Kind::Removed, detail)
            }
            NotFound::OnlyHeld(versions) => {
                let held: Vec<(String, Vec<String>)> = versions
                    .iter()
                    .map(|version| (version.to_string(), pack.map_or_else(Vec::new, |p| reasons(p, version))))
                    .collect();
                let listed: Vec<String> =
                    held.iter().map(|(version, why)| format!("{version} ({})", why.join("; "))).collect();
                let detail = format!(
                    "every release of `{id}` that `{wanted}` means is yanked or flagged: {}",
                    listed.join(", ")
                );
                let held = held.iter().map(|(version, why)| json!({"version": version, "reasons": why}));
                Problem::new(Kind::ReleaseHeld, detail).with("held", held.collect())
            }
        }
    }

    /// The kind.
    pub(crate) fn kind(&self) -> Kind {
        self.0.kind
    }

    /// What is wrong this time.
    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The document.
    pub(crate) fn document(&self) -> Value {
        let Inner { kind, detail, members, .. } = &*self.0;
        let mut document = json!({
            "type": format!("/problems/{}", kind.slug()),
            "title": kind.title(),
            "status": kind.status().as_u16(),
            "detail": detail,
        });
        if let Value::Object(document) = &mut document {
            document.extend(members.clone());
        }
        document
    }
}

/// Why a version is held back from ranges.
fn reasons(pack: &PackEntry, version: &semver::Version) -> Vec<String> {
    let row = pack.release(version);
    let flags = row.map_or_else(Vec::new, |row| pack.active_flags(row).to_vec());
    let flags = flags.iter().map(|flag| flag.as_str().to_owned());
    let yanked = pack.status.yanked(version).map(|reason| format!("yanked: {reason}"));
    flags.chain(yanked).collect()
}

impl From<NoReference> for Problem {
    fn from(error: NoReference) -> Problem {
        Problem::new(Kind::MalformedReference, error.0)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match &error {
            StoreError::NoSuchPack { id } => Problem::look_up(&NotFound::Pack, id, "", None),
            StoreError::NoSuchRelease { id, version }
            | StoreError::Conflict { id, conflict: StatusConflict::NotReleased(version), .. } => {
                Problem::look_up(&NotFound::Release, id, &version.to_string(), None)
            }
            StoreError::Conflict { .. } => Problem::new(Kind::Conflict, error.to_string()),
            StoreError::Follower => Problem::new(Kind::ReadOnlyFollower, error.to_string()),
            StoreError::Remote { .. } | StoreError::Rewound { .. } | StoreError::Overtaken => {
                tracing::error!(error = with_causes(&error), "a change could not be recorded");
                let detail = "the ledger's remote did not take the change, and nothing was changed";
                let after = (header::RETRY_AFTER, HeaderValue::from_static("30"));
                Problem::new(Kind::LedgerUnreachable, detail).with_header(after.0, after.1)
            }
            _ => Problem::internal(&error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.0.kind.status();
        let cache = if status == StatusCode::NOT_FOUND { "max-age=30" } else { "no-store" };
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json")),
            (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
        ];
        let mut response = (status, headers, self.document().to_string()).into_response();
        response.headers_mut().extend(self.0.headers.clone());
        // Pages show the same problem as HTML to those who ask for HTML.
        response.extensions_mut().insert(self);
        response
    }
}
