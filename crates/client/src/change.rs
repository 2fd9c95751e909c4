//! What people change by hand: yanks, deprecations, channels and removals.

use semver::Version;
use serde_json::json;
use ureq::http::Response;
use ureq::typestate::WithBody;
use ureq::{Body, RequestBuilder};

use crate::documents::PackDocument;
use crate::error::ClientError;
use crate::http::Client;
use crate::url::encode;

/// What can be done to a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Ranges and `latest` skip it.
    Yank,
    /// Takes a yank back.
    Unyank,
    /// Whoever uses it is told to leave it.
    Deprecate,
    /// Takes a deprecation back.
    Undeprecate,
    /// Its bytes go; its number stays taken.
    Remove,
}

impl Deed {
    /// The last part of its path.
    fn as_str(self) -> &'static str {
        match self {
            Deed::Yank => "yank",
            Deed::Unyank => "unyank",
            Deed::Deprecate => "deprecate",
            Deed::Undeprecate => "undeprecate",
            Deed::Remove => "remove",
        }
    }
}

/// How a change is asked for.
enum Method {
    Post(String),
    Put(String),
    Delete,
}

/// A request that changes something.
struct Change<'c> {
    method: Method,
    path: String,
    /// What is changed, for messages.
    what: &'c str,
}

impl Client {
    /// Does something to a release, for a reason where one is given.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] where there is no such release; any other [`ClientError`] of a request, such as a
    /// problem with the status 409 where the pack's repository says otherwise.
    pub fn do_to_release(
        &self,
        deed: Deed,
        id: &str,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<PackDocument, ClientError> {
        let path =
            format!("/v1/packs/{}/versions/{}/{}", encode(id), encode(&version.to_string()), deed.as_str());
        let body = reason.map_or_else(String::new, |reason| json!({"reason": reason}).to_string());
        self.change(Change { method: Method::Post(body), path, what: &format!("{id}@{version}") })
    }

    /// Makes a channel name a release.
    ///
    /// # Errors
    /// As [`Client::do_to_release`].
    pub fn set_channel(&self, id: &str, name: &str, version: &Version) -> Result<PackDocument, ClientError> {
        let path = format!("/v1/packs/{}/channels/{}", encode(id), encode(name));
        let body = json!({"version": version.to_string()}).to_string();
        self.change(Change { method: Method::Put(body), path, what: &format!("{id}@{name}") })
    }

    /// Deletes a channel.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] where the pack has no such channel; else as [`Client::do_to_release`].
    pub fn delete_channel(&self, id: &str, name: &str) -> Result<PackDocument, ClientError> {
        let path = format!("/v1/packs/{}/channels/{}", encode(id), encode(name));
        self.change(Change { method: Method::Delete, path, what: &format!("{id}@{name}") })
    }

    /// Changes something, and gives the pack as it stands afterwards.
    fn change(&self, change: Change<'_>) -> Result<PackDocument, ClientError> {
        let Change { method, path, what } = change;
        let url = format!("{}{path}", self.base);
        let answer = match method {
            Method::Post(body) => self.sent(self.agent.post(url), body),
            Method::Put(body) => self.sent(self.agent.put(url), body),
            Method::Delete => self.signed(self.agent.delete(url)).call(),
        };
        self.json(self.answer(answer, what)?, what)
    }

    /// Sends a body of JSON.
    fn sent(&self, request: RequestBuilder<WithBody>, body: String) -> Result<Response<Body>, ureq::Error> {
        self.signed(request.header("content-type", "application/json")).send(body)
    }
}
