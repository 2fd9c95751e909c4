//! What people change by hand: yanks, deprecations, channels and removals.

use semver::Version;
use serde_json::json;

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

/// A request that changes something.
struct Change<'c> {
    is_put: bool,
    path: String,
    body: String,
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
        self.change(Change { is_put: false, path, body, what: &format!("{id}@{version}") })
    }

    /// Makes a channel name a release.
    ///
    /// # Errors
    /// As [`Client::do_to_release`].
    pub fn set_channel(&self, id: &str, name: &str, version: &Version) -> Result<PackDocument, ClientError> {
        let path = format!("/v1/packs/{}/channels/{}", encode(id), encode(name));
        let body = json!({"version": version.to_string()}).to_string();
        self.change(Change { is_put: true, path, body, what: &format!("{id}@{name}") })
    }

    /// Changes something, and gives the pack as it stands afterwards.
    fn change(&self, change: Change<'_>) -> Result<PackDocument, ClientError> {
        let Change { is_put, path, body, what } = change;
        let url = format!("{}{path}", self.base);
        let request = if is_put { self.agent.put(url) } else { self.agent.post(url) };
        let request = self.signed(request.header("content-type", "application/json"));
        self.json(self.answer(request.send(body), what)?, what)
    }
}
