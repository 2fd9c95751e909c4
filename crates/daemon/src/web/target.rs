//! What a request is about, as the reader sees it: the one place where rights are asked.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use pack::model::parse_version;
use registry::candidate::Archive;
use registry::reference::{Reference, Wanted, is_pack_id};
use registry::release::Flag;
use registry::settings::SourceSettings;
use registry::version::Known;
use semver::Version;
use store::{Found, PackEntry, Reader, ReleaseRow, Snapshot, StoreArchive};

use super::App;
use super::access::Grant;
use super::problem::{Kind, Problem};

/// Everything that is published, through the eyes of one reader.
#[derive(Clone)]
pub(crate) struct View {
    /// What is published.
    pub snapshot: Arc<Snapshot>,
    /// Who asks.
    pub reader: Reader,
}

impl View {
    /// The pack of an id.
    pub(crate) fn pack(&self, id: &str) -> Result<Arc<PackEntry>, Problem> {
        if !is_pack_id(id) {
            return Err(Problem::malformed("id", id, "ids are lower-case letters, digits and hyphens"));
        }
        let missing = || Problem::look_up(&store::NotFound::Pack, id, "", None);
        self.snapshot.pack(&self.reader, id).cloned().ok_or_else(missing)
    }

    /// The release that a reference means; `text` is how it was written.
    pub(crate) fn resolve(&self, reference: &Reference, text: &str) -> Result<Found, Problem> {
        let wanted = text.split_once('@').map_or("latest", |(_, wanted)| wanted);
        // An exact version needs no look at the other releases, and it is what runtimes ask for most.
        let found = match &reference.wanted {
            Wanted::Exact(version) => self.snapshot.release(&self.reader, &reference.id, version),
            _ => self.snapshot.resolve(&self.reader, reference),
        };
        found.map_err(|why| {
            let pack = self.snapshot.pack(&self.reader, &reference.id);
            Problem::look_up(&why, &reference.id, wanted, pack.map(Arc::as_ref))
        })
    }

    /// The release of a pack that a version, range, channel or digest means.
    pub(crate) fn resolve_in(&self, id: &str, wanted: &str) -> Result<Found, Problem> {
        let reference = Reference { id: id.to_owned(), wanted: Wanted::parse(wanted)? };
        self.resolve(&reference, &format!("{id}@{wanted}"))
    }

    /// One release by its exact version.
    pub(crate) fn release(&self, id: &str, version: &str) -> Result<Found, Problem> {
        self.pack(id)?;
        let exact = exact_version(version)?;
        let missing = |why| Problem::look_up(&why, id, version, None);
        self.snapshot.release(&self.reader, id, &exact).map_err(missing)
    }

    /// The releases of a pack that the reader sees, lowest version first.
    pub(crate) fn releases<'v>(
        &'v self,
        pack: &'v PackEntry,
    ) -> impl DoubleEndedIterator<Item = &'v Arc<ReleaseRow>> {
        pack.releases.iter().filter(|row| self.snapshot.shows(&self.reader, row))
    }

    /// The source of a pack's highest release that the reader sees or saw, under the name that it has now.
    pub(crate) fn source_of(&self, pack: &PackEntry) -> String {
        let last = self.releases(pack).next_back().or_else(|| self.removed(pack).next_back());
        let source = last.map(|row| row.source.as_str()).unwrap_or_default();
        let present = self.snapshot.present_name(source);
        let sees = self.snapshot.source(&self.reader, present).is_some();
        if sees { present.to_owned() } else { source.to_owned() }
    }

    /// The removed releases of a pack that the reader saw, lowest version first.
    pub(crate) fn removed<'v>(
        &'v self,
        pack: &'v PackEntry,
    ) -> impl DoubleEndedIterator<Item = &'v Arc<ReleaseRow>> {
        pack.removed.iter().filter(|row| self.snapshot.shows(&self.reader, row))
    }

    /// Whether the reader sees every release that the pack has, or had.
    pub(crate) fn sees_all(&self, pack: &PackEntry) -> bool {
        pack.releases.iter().chain(&pack.removed).all(|row| self.snapshot.shows(&self.reader, row))
    }

    /// Whether the pack has, or had, a release of that version that the reader sees.
    pub(crate) fn sees_version(&self, pack: &PackEntry, version: &Version) -> bool {
        let mut rows = pack.releases.iter().chain(&pack.removed);
        rows.any(|row| row.version.cmp_precedence(version).is_eq() && self.snapshot.shows(&self.reader, row))
    }

    /// The versions of a pack by which another one may be judged, as far as the reader sees them.
    pub(crate) fn known(&self, archive: &StoreArchive<'_>, id: &str) -> Vec<Known> {
        let Ok(pack) = self.pack(id) else { return Vec::new() };
        let mut known = archive.known(id);
        known.retain(|known| self.sees_version(&pack, &known.version));
        known
    }

    /// Whether the reader sees a source of the configuration; what the ledger says of it counts where they differ.
    pub(crate) fn sees_source(&self, source: &SourceSettings) -> bool {
        let recorded = self.snapshot.record(&source.name).map(|record| record.readers.as_slice());
        self.reader.is_among(recorded.unwrap_or(&source.readers))
    }

    /// The release that `latest` names.
    pub(crate) fn latest(&self, pack: &PackEntry) -> Option<Arc<ReleaseRow>> {
        self.snapshot.latest(&self.reader, pack)
    }
}

fn exact_version(text: &str) -> Result<Version, Problem> {
    let fits = "an exact version such as `1.2.0` stands here; /v1/fetch takes ranges and channels";
    parse_version(text).ok_or_else(|| Problem::malformed("version", text, fits))
}

impl FromRequestParts<App> for View {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<View, Problem> {
        let reader = Grant::from_request_parts(parts, app).await?.reader;
        Ok(View { snapshot: app.store.snapshot(), reader })
    }
}

/// The named parts of the path, decoded.
pub(crate) struct Names(RawPathParams);

impl Names {
    /// The part of that name; empty where the path has none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(found, _)| *found == name).map_or("", |(_, value)| value)
    }
}

impl FromRequestParts<App> for Names {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Names, Problem> {
        let names = RawPathParams::from_request_parts(parts, app).await;
        names.map(Names).map_err(|error| Problem::new(Kind::MalformedParameter, error.body_text()))
    }
}

/// The pack that the path names.
pub(crate) struct OnePack {
    /// What else is published.
    pub view: View,
    /// The pack.
    pub pack: Arc<PackEntry>,
}

impl FromRequestParts<App> for OnePack {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<OnePack, Problem> {
        let view = View::from_request_parts(parts, app).await?;
        let names = Names::from_request_parts(parts, app).await?;
        let pack = view.pack(names.get("id"))?;
        Ok(OnePack { view, pack })
    }
}

/// The release that the path names.
pub(crate) struct OneRelease {
    /// What else is published.
    pub view: View,
    /// The pack.
    pub pack: Arc<PackEntry>,
    /// The release.
    pub row: Arc<ReleaseRow>,
}

impl FromRequestParts<App> for OneRelease {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<OneRelease, Problem> {
        let view = View::from_request_parts(parts, app).await?;
        let names = Names::from_request_parts(parts, app).await?;
        let found = view.release(names.get("id"), names.get("version"))?;
        Ok(OneRelease { view, pack: found.pack, row: found.release })
    }
}

/// The flags of a release that count, as headers and pages write them.
pub(crate) fn flag_names(pack: &PackEntry, row: &ReleaseRow) -> Vec<&'static str> {
    pack.active_flags(row).iter().copied().map(Flag::as_str).collect()
}
