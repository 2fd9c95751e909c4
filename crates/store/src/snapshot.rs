//! Snapshots: immutable views of everything that is published.
//!
//! Handlers read the current snapshot without a lock; the writer swaps in a new one after each commit. Every look-up
//! takes the reader, so that visibility has this one place.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pack::Digest;
use registry::event::EventType;
use registry::reference::{Offer, Reference, Unresolved, Wanted, resolve};
use registry::release::Form;
use registry::settings::Ranges;
use registry::status::PackStatus;
use registry::{Event, Flag};
use semver::Version;

use crate::row::{ReleaseRow, SourceRecord};

/// Who asks. Whatever has no source record is seen by nobody but the registry itself.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    groups: Vec<String>,
    is_inner: bool,
}

impl Reader {
    /// A reader without groups.
    pub fn everybody() -> Reader {
        Reader::default()
    }

    /// A reader who belongs to these groups.
    pub fn of_groups(groups: Vec<String>) -> Reader {
        Reader { groups, is_inner: false }
    }

    /// The registry at its own work, which needs everything and shows it to nobody.
    pub fn inner() -> Reader {
        Reader { groups: Vec::new(), is_inner: true }
    }

    /// Whether somebody may see what is for these groups; none means everybody.
    pub fn is_among(&self, readers: &[String]) -> bool {
        self.is_inner || readers.is_empty() || readers.iter().any(|group| self.groups.contains(group))
    }

    fn may_see(&self, source: &SourceRecord) -> bool {
        self.is_among(&source.readers)
    }
}

/// One pack: its releases by version, lowest first, and what is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PackEntry {
    /// The id.
    pub id: String,
    /// The releases, lowest version first.
    pub releases: Vec<Arc<ReleaseRow>>,
    /// The releases whose bytes were removed, lowest version first: their numbers stay taken.
    pub removed: Vec<Arc<ReleaseRow>>,
    /// Yanks, deprecations, channels.
    pub status: PackStatus,
}

/// Everything that is published, as of one commit of the ledger.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(crate) packs: BTreeMap<String, Arc<PackEntry>>,
    pub(crate) sources: BTreeMap<String, SourceRecord>,
    pub(crate) ranges: RangePolicy,
    /// The number of the last event.
    pub last_event: u64,
    /// The commit of the ledger that this reflects.
    pub head: Option<String>,
}

/// The operator's word on ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RangePolicy(pub(crate) Ranges);

/// A release that was found, and the pack that it belongs to.
#[derive(Debug, Clone)]
pub struct Found {
    /// The pack.
    pub pack: Arc<PackEntry>,
    /// The release.
    pub release: Arc<ReleaseRow>,
    /// The form that a digest named.
    pub form: Option<Form>,
}

/// Why a look-up found nothing. A pack that the reader may not see is a pack that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// There is no such pack.
    Pack,
    /// The pack has no such release.
    Release,
    /// Only releases match that ranges skip; these are they.
    OnlyHeld(Vec<Version>),
    /// The bytes of the release were removed.
    Removed(Arc<ReleaseRow>),
}

impl Snapshot {
    /// The packs with a release that a reader sees, by id.
    pub fn packs<'s>(&'s self, reader: &'s Reader) -> impl Iterator<Item = &'s Arc<PackEntry>> {
        self.packs.values().filter(move |pack| self.is_visible(reader, pack))
    }

    /// The packs with a release that a reader sees whose id comes after `id`.
    pub fn packs_after<'s>(
        &'s self,
        reader: &'s Reader,
        id: &str,
    ) -> impl Iterator<Item = &'s Arc<PackEntry>> {
        let bounds = (std::ops::Bound::Excluded(id.to_owned()), std::ops::Bound::Unbounded);
        self.packs.range(bounds).map(|(_, pack)| pack).filter(move |pack| self.is_visible(reader, pack))
    }

    /// The pack of that id, even when all its releases were removed.
    pub fn pack(&self, reader: &Reader, id: &str) -> Option<&Arc<PackEntry>> {
        let removed = |pack: &PackEntry| pack.removed.iter().any(|release| self.shows(reader, release));
        self.packs.get(id).filter(|pack| self.is_visible(reader, pack) || removed(pack))
    }

    /// One release by its exact version.
    ///
    /// # Errors
    /// [`NotFound`] says whether the pack or the release is missing, or was removed.
    pub fn release(&self, reader: &Reader, id: &str, version: &Version) -> Result<Found, NotFound> {
        let pack = self.pack(reader, id).ok_or(NotFound::Pack)?;
        let release = pack.release(version).filter(|release| self.shows(reader, release));
        let missing = || self.missing(reader, pack, &Wanted::Exact(version.clone()));
        let release = release.ok_or_else(missing)?;
        Ok(Found { pack: pack.clone(), release: release.clone(), form: None })
    }

    /// The release that a reference names.
    ///
    /// # Errors
    /// [`NotFound`] says what is missing, or which releases match and are held back.
    pub fn resolve(&self, reader: &Reader, reference: &Reference) -> Result<Found, NotFound> {
        let pack = self.pack(reader, &reference.id).ok_or(NotFound::Pack)?;
        let shown: Vec<&Arc<ReleaseRow>> =
            pack.releases.iter().filter(|release| self.shows(reader, release)).collect();
        let digests: Vec<Vec<(Form, Digest)>> = shown
            .iter()
            .map(|row| row.forms.iter().map(|(form, digest, _)| (*form, *digest)).collect())
            .collect();
        let offers: Vec<Offer<'_>> = shown
            .iter()
            .zip(&digests)
            .map(|(row, digests)| Offer {
                version: &row.version,
                flags: pack.active_flags(row),
                yanked: pack.status.yanked(&row.version).is_some(),
                removed: false,
                digests,
            })
            .collect();
        let channel = |name: &str| pack.status.channels().get(name).map(|version| (*version).clone());
        let found = resolve(&reference.wanted, &offers, self.ranges.0, &channel).map_err(|why| match why {
            Unresolved::NoMatch => self.missing(reader, pack, &reference.wanted),
            Unresolved::OnlyHeld(versions) => NotFound::OnlyHeld(versions),
        });
        let (position, form) = found?;
        Ok(Found { pack: pack.clone(), release: shown[position].clone(), form })
    }

    /// Why a pack has no release that is wanted: it was removed, or it never was.
    fn missing(&self, reader: &Reader, pack: &PackEntry, wanted: &Wanted) -> NotFound {
        let removed = pack.removed_as(wanted).filter(|release| self.shows(reader, release));
        removed.map_or(NotFound::Release, |release| NotFound::Removed(release.clone()))
    }

    /// The release that `latest` names.
    pub fn latest(&self, reader: &Reader, pack: &PackEntry) -> Option<Arc<ReleaseRow>> {
        let reference =
            Reference { id: pack.id.clone(), wanted: registry::Wanted::Channel("latest".to_owned()) };
        self.resolve(reader, &reference).ok().map(|found| found.release)
    }

    /// The source records that a reader sees, by name.
    pub fn sources<'s>(&'s self, reader: &'s Reader) -> impl Iterator<Item = &'s SourceRecord> {
        self.sources.values().filter(move |source| reader.may_see(source))
    }

    /// The source record of that name.
    pub fn source(&self, reader: &Reader, name: &str) -> Option<&SourceRecord> {
        self.sources.get(name).filter(|source| reader.may_see(source))
    }

    /// The source record of that name, whoever may see it: for the scanner, which shows it to nobody.
    pub fn record(&self, name: &str) -> Option<&SourceRecord> {
        self.sources.get(name)
    }

    /// How many packs and releases each source has, under the name that it has now.
    pub fn counts(&self) -> HashMap<&str, (usize, usize)> {
        let renamed = self.renamed();
        let name = |source: &'_ String| renamed.get(source.as_str()).copied();
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for pack in self.packs.values() {
            if let Some(last) = pack.releases.last() {
                counts.entry(name(&last.source).unwrap_or(&last.source)).or_default().0 += 1;
            }
            for release in &pack.releases {
                counts.entry(name(&release.source).unwrap_or(&release.source)).or_default().1 += 1;
            }
        }
        counts
    }

    /// The source that owns an id by its releases.
    pub fn owner(&self, id: &str) -> Option<&str> {
        let pack = self.packs.get(id)?;
        pack.releases.last().or(pack.removed.last()).map(|release| release.source.as_str())
    }

    /// The name that a source has now, where it had another one before.
    pub fn present_name<'s>(&'s self, name: &'s str) -> &'s str {
        self.renamed().get(name).copied().unwrap_or(name)
    }

    /// Former names of sources, and the names that they have now.
    fn renamed(&self) -> HashMap<&str, &str> {
        let records = self.sources.values();
        records
            .flat_map(|record| record.former_names.iter().map(|name| (name.as_str(), record.name.as_str())))
            .collect()
    }

    /// How many packs and releases a reader sees.
    pub fn totals(&self, reader: &Reader) -> (usize, usize) {
        let shown = |pack: &PackEntry| pack.releases.iter().filter(|row| self.shows(reader, row)).count();
        let counts = self.packs.values().map(|pack| shown(pack)).filter(|count| *count > 0);
        counts.fold((0, 0), |(packs, releases), count| (packs + 1, releases + count))
    }

    /// Whether some of it is not for everybody who may read.
    pub fn is_restricted(&self) -> bool {
        self.sources.values().any(|source| !source.readers.is_empty())
    }

    /// Whether a reader sees what an event tells: its pack, its version and its source.
    pub fn tells(&self, reader: &Reader, event: &Event) -> bool {
        let Some(pack) = self.packs.get(&event.pack) else { return event.pack.is_empty() || reader.is_inner };
        let rows = pack.releases.iter().chain(&pack.removed);
        let mut of_version = rows
            .filter(|row| event.version.as_ref().is_none_or(|version| row.version.to_string() == *version));
        let sees = |source: &str| source.is_empty() || self.source(reader, source).is_some();
        // Who sees the source that has an id now need not know of the one that had it.
        let former = event.detail.as_deref().filter(|_| event.kind == EventType::IdMoved);
        sees(&event.source) && former.is_none_or(sees) && of_version.any(|row| self.shows(reader, row))
    }

    fn is_visible(&self, reader: &Reader, pack: &PackEntry) -> bool {
        pack.releases.iter().any(|release| self.shows(reader, release))
    }

    /// Whether a reader sees a release.
    pub fn shows(&self, reader: &Reader, release: &ReleaseRow) -> bool {
        reader.is_inner || self.sources.get(&release.source).is_some_and(|source| reader.may_see(source))
    }
}

/// Where a version stands, or would, among those sorted by precedence.
fn place_of(rows: &[Arc<ReleaseRow>], version: &Version) -> usize {
    rows.partition_point(|known| known.version.cmp_precedence(version).is_lt())
}

impl PackEntry {
    pub(crate) fn new(id: &str) -> PackEntry {
        let id = id.to_owned();
        PackEntry { id, releases: Vec::new(), removed: Vec::new(), status: PackStatus::default() }
    }

    /// Puts a release at its place, instead of what was known of the version.
    pub(crate) fn insert(&mut self, row: Arc<ReleaseRow>) {
        self.forget(&row.version);
        let rows = if row.removed.is_some() { &mut self.removed } else { &mut self.releases };
        rows.insert(place_of(rows, &row.version), row);
    }

    /// Takes a version out.
    pub(crate) fn forget(&mut self, version: &Version) {
        for rows in [&mut self.releases, &mut self.removed] {
            let at = place_of(rows, version);
            let mut same =
                rows[at..].iter().take_while(|known| known.version.cmp_precedence(version).is_eq());
            if let Some(offset) = same.position(|known| known.version == *version) {
                rows.remove(at + offset);
            }
        }
    }

    /// The removed release that is meant; a range means none.
    fn removed_as(&self, wanted: &Wanted) -> Option<&Arc<ReleaseRow>> {
        let of_version = |version: &Version| {
            self.removed.iter().find(|release| release.version.cmp_precedence(version).is_eq())
        };
        match wanted {
            Wanted::Exact(version) => of_version(version),
            Wanted::Channel(name) => of_version(self.status.channels().get(name.as_str())?),
            Wanted::Digest(digest) => {
                let served = |release: &&Arc<ReleaseRow>| {
                    release.removed.as_ref().is_some_and(|removal| removal.digests.contains(digest))
                };
                self.removed.iter().find(served)
            }
            Wanted::Range(_) => None,
        }
    }

    /// Whether the version is taken, by a release that stands or by one that was removed.
    pub fn is_taken(&self, version: &Version) -> bool {
        self.release(version).is_some() || self.removed_as(&Wanted::Exact(version.clone())).is_some()
    }

    /// The release of that version; build metadata does not count.
    pub fn release(&self, version: &Version) -> Option<&Arc<ReleaseRow>> {
        let found = self.releases.binary_search_by(|known| known.version.cmp_precedence(version));
        found.ok().map(|at| &self.releases[at])
    }

    /// The flagged releases above the highest stable one that ranges take, highest first: what an owner still waits
    /// for. A yanked one is waited for by nobody.
    pub fn held_back(&self) -> impl Iterator<Item = &Arc<ReleaseRow>> {
        let is_yanked = |row: &Arc<ReleaseRow>| self.status.yanked(&row.version).is_some();
        let is_flagged = |row: &Arc<ReleaseRow>| !self.active_flags(row).is_empty();
        let taken =
            move |row: &&Arc<ReleaseRow>| row.version.pre.is_empty() && !is_flagged(row) && !is_yanked(row);
        let above = self.releases.iter().rev().take_while(move |row| !taken(row));
        above.filter(move |row| is_flagged(row) && !is_yanked(row))
    }

    /// The source that published last.
    pub(crate) fn last_source(&self) -> Option<&str> {
        let rows = self.releases.iter().chain(&self.removed);
        let last = rows.max_by(|a, b| (a.published_at, &a.version).cmp(&(b.published_at, &b.version)));
        last.map(|row| row.source.as_str())
    }

    /// The flags of a release that still count: a lifted one does not.
    pub fn active_flags<'r>(&self, row: &'r ReleaseRow) -> &'r [Flag] {
        match row.flags.as_slice() {
            [Flag::InsufficientBump, rest @ ..] | [rest @ .., Flag::InsufficientBump]
                if self.status.is_lifted(&row.version) =>
            {
                rest
            }
            flags => flags,
        }
    }
}
