//! The requests.

use std::time::Duration;

use registry::reference::Wanted;
use registry::{DiffReport, Digest, Form, Reference};
use semver::Version;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};

use crate::documents::{Manifest, ManifestFile, PackDocument, SearchResult};
use crate::error::ClientError;
use crate::url::encode;

/// How long one request may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// How long connecting may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How many bytes an answer may have: above the default limits of a pack and all its skills.
const ANSWER_LIMIT: u64 = 256 << 20;

/// A registry, by its address.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) agent: Agent,
    pub(crate) base: String,
    token: Option<String>,
}

/// One form of one release, verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The pack's id.
    pub id: String,
    /// The version that the reference meant.
    pub version: Version,
    /// The form of the bytes.
    pub form: Form,
    /// The digest of the bytes.
    pub digest: Digest,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The immutable address of these bytes.
    pub url: String,
    /// Why ranges skip the release; none where they do not.
    pub flagged: Option<String>,
    /// Whether the release is yanked.
    pub yanked: bool,
    /// Whether the release is deprecated.
    pub deprecated: bool,
}

/// What to search for.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    /// Free text, and `tag:x tool:y id:z prompt:p`.
    pub text: String,
    /// Filters: (`tag` and the like, value).
    pub filters: Vec<(&'static str, String)>,
    /// How many hits to give.
    pub limit: Option<u32>,
}

/// A problem document (RFC 9457), as far as it is shown.
#[derive(Debug, Deserialize)]
struct Problem {
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    detail: Option<String>,
}

impl Client {
    /// A client of the registry at `url`, with a token where one is needed.
    ///
    /// # Errors
    /// [`ClientError::Address`]
    pub fn new(url: &str, token: Option<String>) -> Result<Client, ClientError> {
        let base = url.trim_end_matches('/').to_owned();
        let has_host = ["http://", "https://"].iter().any(|scheme| {
            base.strip_prefix(scheme).is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
        });
        if !has_host || base.contains(['?', '#', ' ']) {
            return Err(ClientError::Address { url: url.to_owned() });
        }
        let config = Agent::config_builder()
            .timeout_global(Some(TIME_LIMIT))
            .timeout_connect(Some(CONNECT_LIMIT))
            .http_status_as_error(false)
            .max_redirects(3)
            .user_agent(concat!("packhouse/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Client { agent: config.into(), base, token })
    }

    /// The address of the registry, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Resolves a reference and fetches the form, in one request. The bytes are verified.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] where the reference leads to no release; [`ClientError::WrongDigest`] where the bytes
    /// are not those that were promised; any other [`ClientError`] of a request.
    pub fn fetch(&self, reference: &str, form: Form) -> Result<Fetched, ClientError> {
        let path = format!("/v1/fetch/{}?form={}", encode(reference), form.as_str());
        let mut response = self.get(&path, reference)?;
        let malformed = |reason: String| ClientError::Malformed { what: reference.to_owned(), reason };
        let header = |response: &Response<Body>, name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let promised: Digest = header(&response, "packhouse-digest")
            .and_then(|digest| digest.parse().ok())
            .ok_or_else(|| malformed("it names no digest".to_owned()))?;
        let version: Version = header(&response, "packhouse-version")
            .and_then(|version| version.parse().ok())
            .ok_or_else(|| malformed("it names no version".to_owned()))?;
        let flagged = header(&response, "packhouse-flagged");
        let is_true = |name| header(&response, name).is_some_and(|value| value == "true");
        let (yanked, deprecated) = (is_true("packhouse-yanked"), is_true("packhouse-deprecated"));
        let location = header(&response, "content-location").unwrap_or_else(|| path.clone());
        let bytes = self.body(&mut response, reference)?;
        let found = Digest::of(&bytes);
        if found != promised {
            return Err(ClientError::WrongDigest { what: reference.to_owned(), found, promised });
        }
        let parsed = Reference::parse(reference).map_err(|error| malformed(error.to_string()))?;
        self.check_wanted(&parsed.wanted, &version, reference)?;
        let url = if location.starts_with('/') { format!("{}{location}", self.base) } else { location };
        let id = parsed.id;
        Ok(Fetched { id, version, form, digest: found, bytes, url, flagged, yanked, deprecated })
    }

    /// A registry that answers with another version than the exact one that was asked for is not believed.
    fn check_wanted(&self, wanted: &Wanted, version: &Version, what: &str) -> Result<(), ClientError> {
        match wanted {
            Wanted::Exact(exact) if exact.cmp_precedence(version).is_ne() => {
                let reason = format!("it is version {version}");
                Err(ClientError::Malformed { what: what.to_owned(), reason })
            }
            _ => Ok(()),
        }
    }

    /// The document of a pack: its versions, channels, flags.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] where there is no such pack; any other [`ClientError`] of a request.
    pub fn pack(&self, id: &str) -> Result<PackDocument, ClientError> {
        self.get_json(&format!("/v1/packs/{}", encode(id)), id)
    }

    /// The manifest of a release.
    ///
    /// # Errors
    /// As [`Client::pack`].
    pub fn manifest(&self, id: &str, version: &str) -> Result<Manifest, ClientError> {
        let path = format!("/v1/packs/{}/versions/{}", encode(id), encode(version));
        self.get_json(&path, &format!("{id}@{version}"))
    }

    /// The changes between two versions, under what the source of the pack says.
    ///
    /// # Errors
    /// When one of them is not there, or the registry does not answer.
    pub fn compare(&self, id: &str, old: &str, new: &str) -> Result<DiffReport, ClientError> {
        let path = format!("/v1/packs/{}/compare/{}...{}", encode(id), encode(old), encode(new));
        self.get_json(&path, &format!("{id}@{old}...{new}"))
    }

    /// The bytes of one file of a release, verified.
    ///
    /// # Errors
    /// As [`Client::fetch`].
    pub fn file(&self, file: &ManifestFile) -> Result<Vec<u8>, ClientError> {
        // An address elsewhere would receive the token.
        let own = file.url.strip_prefix(&self.base).unwrap_or(&file.url);
        if !own.starts_with('/') || own.starts_with("//") {
            let reason = format!("`{}` is no address of this registry", file.url);
            return Err(ClientError::Malformed { what: file.path.clone(), reason });
        }
        let mut response = self.get(own, &file.path)?;
        let bytes = self.body(&mut response, &file.path)?;
        let found = Digest::of(&bytes);
        if found != file.digest {
            let (what, promised) = (file.path.clone(), file.digest);
            return Err(ClientError::WrongDigest { what, found, promised });
        }
        Ok(bytes)
    }

    /// Searches.
    ///
    /// # Errors
    /// Any [`ClientError`] of a request.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchResult, ClientError> {
        let mut path = format!("/v1/search?q={}", encode(&query.text));
        for (name, value) in &query.filters {
            path.push_str(&format!("&{name}={}", encode(value)));
        }
        if let Some(limit) = query.limit {
            path.push_str(&format!("&limit={limit}"));
        }
        self.get_json(&path, "the search")
    }

    fn get_json<T: DeserializeOwned>(&self, path: &str, what: &str) -> Result<T, ClientError> {
        self.json(self.get(path, what)?, what)
    }

    pub(crate) fn json<T: DeserializeOwned>(
        &self,
        mut response: Response<Body>,
        what: &str,
    ) -> Result<T, ClientError> {
        let bytes = self.body(&mut response, what)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| ClientError::Malformed { what: what.to_owned(), reason: error.to_string() })
    }

    fn get(&self, path: &str, what: &str) -> Result<Response<Body>, ClientError> {
        let request = self.agent.get(format!("{}{path}", self.base)).header("accept", "*/*");
        self.answer(self.signed(request).call(), what)
    }

    /// A request that says who asks, where a token is known.
    pub(crate) fn signed<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    /// Turns every status but 200 into an error.
    pub(crate) fn answer(
        &self,
        answer: Result<Response<Body>, ureq::Error>,
        what: &str,
    ) -> Result<Response<Body>, ClientError> {
        let mut response = answer.map_err(|error| self.unreachable(error))?;
        let status = response.status().as_u16();
        if status == 200 {
            return Ok(response);
        }
        let text = self.body(&mut response, what).unwrap_or_default();
        let problem: Option<Problem> = serde_json::from_slice(&text).ok();
        let kind = problem.as_ref().and_then(|problem| problem.kind.clone()).unwrap_or_default();
        let detail = problem
            .and_then(|problem| problem.detail.or(problem.title))
            .unwrap_or_else(|| response.status().canonical_reason().unwrap_or("no reason").to_lowercase());
        let what = what.to_owned();
        Err(match status {
            404 if kind.ends_with("/form-not-found") => ClientError::NoForm { what, detail },
            404 | 410 => ClientError::NotFound { what, detail },
            _ => ClientError::Problem { what, status, detail },
        })
    }

    fn body(&self, response: &mut Response<Body>, what: &str) -> Result<Vec<u8>, ClientError> {
        match response.body_mut().with_config().limit(ANSWER_LIMIT).read_to_vec() {
            Err(ureq::Error::BodyExceedsLimit(limit)) => {
                let reason = format!("it has more than {limit} bytes");
                Err(ClientError::Malformed { what: what.to_owned(), reason })
            }
            other => other.map_err(|error| self.unreachable(error)),
        }
    }

    fn unreachable(&self, error: ureq::Error) -> ClientError {
        ClientError::Unreachable { url: self.base.clone(), source: Box::new(error) }
    }
}
