//! What people change by hand: yanks, deprecations, channels and removals.
//!
//! Whoever changes something has to see it first, and is answered with the pack as it stands afterwards. The ledger
//! records who it was.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use jiff::Timestamp;
use registry::Event;
use registry::settings::is_channel_name;
use registry::status::StatusEdit;
use serde::Deserialize;
use store::{Store, StoreError};

use super::packs;
use crate::web::App;
use crate::web::access::Actor;
use crate::web::answer::{Answer, Caching};
use crate::web::body::{JsonBody, OptionalBody};
use crate::web::pool::blocking;
use crate::web::problem::{Kind, Problem};
use crate::web::target::{Names, OnePack, OneRelease, View};

/// The most bytes of a reason: it goes into the ledger, events and pages.
const LONGEST_REASON: usize = 2000;

/// The body of what needs a reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    reason: String,
}

impl Reason {
    fn text(self) -> Result<String, Problem> {
        let reason = self.reason.trim();
        let fits = !reason.is_empty() && reason.len() <= LONGEST_REASON;
        let detail = || format!("`reason` has to say why, in up to {LONGEST_REASON} bytes");
        fits.then(|| reason.to_owned()).ok_or_else(|| Problem::new(Kind::MalformedBody, detail()))
    }
}

/// The body of a channel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChannelBody {
    version: String,
}

/// Somebody who changes something of the pack that the path names.
pub(crate) struct Change {
    app: App,
    actor: String,
    view: View,
    id: String,
}

impl FromRequestParts<App> for Change {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Change, Problem> {
        let OnePack { view, pack } = OnePack::from_request_parts(parts, app).await?;
        let Actor(actor) = Actor::from_request_parts(parts, app).await?;
        Ok(Change { app: app.clone(), actor, view, id: pack.id.clone() })
    }
}

/// Makes ranges skip a release.
pub(crate) async fn yank(change: Change, on: OneRelease, body: JsonBody<Reason>) -> Result<Answer, Problem> {
    let (version, reason) = (on.row.version.clone(), body.0.text()?);
    change.edit(StatusEdit::Yank { version, reason }).await
}

/// Takes a yank back.
pub(crate) async fn unyank(
    change: Change,
    on: OneRelease,
    body: OptionalBody<Reason>,
) -> Result<Answer, Problem> {
    let (version, reason) = (on.row.version.clone(), body.0.map(Reason::text).transpose()?);
    change.edit(StatusEdit::Unyank { version, reason }).await
}

/// Tells whoever uses a release to leave it.
pub(crate) async fn deprecate(
    change: Change,
    on: OneRelease,
    body: JsonBody<Reason>,
) -> Result<Answer, Problem> {
    let (version, reason) = (on.row.version.clone(), body.0.text()?);
    change.edit(StatusEdit::Deprecate { version, reason }).await
}

/// Takes a deprecation back.
pub(crate) async fn undeprecate(
    change: Change,
    on: OneRelease,
    body: OptionalBody<Reason>,
) -> Result<Answer, Problem> {
    let (version, reason) = (on.row.version.clone(), body.0.map(Reason::text).transpose()?);
    change.edit(StatusEdit::Undeprecate { version, reason }).await
}

/// Makes a channel name another release.
pub(crate) async fn set_channel(
    change: Change,
    names: Names,
    JsonBody(body): JsonBody<ChannelBody>,
) -> Result<Answer, Problem> {
    let name = channel_name(&names)?;
    let version = change.view.release(&change.id, &body.version)?.release.version.clone();
    change.edit(StatusEdit::Channel { name, version }).await
}

/// Takes a channel away.
pub(crate) async fn delete_channel(change: Change, names: Names) -> Result<Answer, Problem> {
    let name = channel_name(&names)?;
    let pack = change.view.pack(&change.id)?;
    let channels = pack.status.channels();
    let named = channels.get(name.as_str()).filter(|version| change.view.sees_version(&pack, version));
    if named.is_none() {
        let detail = format!("`{}` has no channel `{name}`", change.id);
        return Err(Problem::new(Kind::ChannelNotFound, detail));
    }
    change.edit(StatusEdit::DeleteChannel { name }).await
}

/// The name of a channel in the path.
fn channel_name(names: &Names) -> Result<String, Problem> {
    let name = names.get("name");
    let fits = "channels are lower-case letters, digits and hyphens, a letter first; none of them reads as a \
                version or range, or is called `latest` or `prerelease`";
    is_channel_name(name).then(|| name.to_owned()).ok_or_else(|| Problem::malformed("name", name, fits))
}

/// Removes the bytes of a release; its number stays taken.
pub(crate) async fn remove(
    change: Change,
    on: OneRelease,
    body: JsonBody<Reason>,
) -> Result<Answer, Problem> {
    let (version, reason) = (on.row.version.clone(), body.0.text()?);
    change.make(move |store, id, actor| store.remove(id, &version, &reason, actor, Timestamp::now())).await
}

impl Change {
    /// Changes the pack's status.
    async fn edit(self, edit: StatusEdit) -> Result<Answer, Problem> {
        self.make(move |store, id, actor| store.change_status(id, &edit, actor, Timestamp::now())).await
    }

    /// Records a change on a thread that may block, and shows the pack as it stands then.
    async fn make(
        self,
        record: impl FnOnce(&Store, &str, &str) -> Result<Vec<Event>, StoreError> + Send + 'static,
    ) -> Result<Answer, Problem> {
        let Change { app, actor, view, id } = self;
        let store = app.store.clone();
        blocking(move || {
            let events = record(&store, &id, &actor).map_err(|error| as_seen(error, &view))?;
            for event in &events {
                tracing::info!(
                    pack.id = %event.pack,
                    release.version = event.version.as_deref().unwrap_or_default(),
                    event.number = event.number,
                    actor,
                    "{}", event.kind.as_str()
                );
            }
            let view = View { snapshot: store.snapshot(), ..view };
            Ok(packs::document(&view, &*view.pack(&id)?)?.caching(Caching::Revalidate))
        })
        .await
    }
}

/// A conflict without the place of what stands in the way, for those who may not see its source.
fn as_seen(error: StoreError, view: &View) -> StoreError {
    match error {
        StoreError::Conflict { id, conflict, source_name, commit } => {
            let commit = commit.filter(|_| view.snapshot.source(&view.reader, &source_name).is_some());
            StoreError::Conflict { id, conflict, source_name, commit }
        }
        other => other,
    }
}
