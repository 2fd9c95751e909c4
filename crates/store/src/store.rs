//! The store: opens the state, records batches, answers look-ups.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use git::{Ledger, ObjectId};
use jiff::Timestamp;
use registry::event::Event;
use registry::release::{Form, Release};
use registry::report::Report;
use registry::settings::Ranges;

use crate::catch_up::{apply, catch_up, open_rows};
use crate::error::{StoreError, ledger as ledger_error};
use crate::form::read_form;
use crate::index::{Index, Rows};
use crate::ledger::{Batch, decode, rows_between, rows_of_batch};
use crate::row::ReleaseRow;
use crate::search::Search;
use crate::searching::Unsearched;
use crate::snapshot::{Reader, Snapshot};
use crate::source::SourceState;
use crate::upstream::{Link, Upstream};

/// What the store depends on besides its folder.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether ranges move onto flagged releases.
    pub ranges: Ranges,
    /// Where the ledger is pushed to, or followed from; none where it stands alone.
    pub upstream: Option<Upstream>,
}

/// The state of a registry. Look-ups never wait for the writer.
pub struct Store {
    folder: PathBuf,
    writer: Mutex<Ledger>,
    readers: Mutex<Vec<Ledger>>,
    pub(crate) index: Index,
    pub(crate) search: Search,
    snapshot: ArcSwap<Snapshot>,
    ranges: Ranges,
    pub(crate) link: Option<Link>,
    /// Whether a batch is recorded that the rows did not take.
    rows_are_behind: AtomicBool,
    pub(crate) unsearched: Unsearched,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The folder of the ledger inside the state folder.
pub(crate) fn ledger_folder(state: &Path) -> PathBuf {
    state.join("ledger.git")
}

/// The folder of the look-up rows inside the state folder.
pub(crate) fn index_folder(state: &Path) -> PathBuf {
    state.join("index")
}

impl Store {
    /// Opens the state below `folder` as its one writer, and catches up whatever is behind the ledger.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another daemon works with the folder; otherwise what could not be read or made.
    pub fn open(folder: &Path, options: Options) -> Result<Store, StoreError> {
        let io = |source| StoreError::Folder { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let mut ledger = Ledger::open_or_create(&ledger_folder(folder)).map_err(|error| match error {
            git::GitError::Locked { .. } => StoreError::Locked { path: folder.to_owned() },
            other => ledger_error("open")(other),
        })?;
        let link = options.upstream.map(Link::new);
        if let Some(link) = &link {
            let pulled = link.pull(&mut ledger);
            // With nothing at hand there is nothing to serve, and a second ledger must never begin.
            if ledger.head().map_err(ledger_error("read the head"))?.is_none() {
                pulled?;
            }
        }
        let (index, snapshot) = open_rows(&index_folder(folder), &ledger, options.ranges)?;
        let (search, indexed) = Search::open(&folder.join("search"))?;
        let store = Store {
            folder: folder.to_owned(),
            writer: Mutex::new(ledger),
            readers: Mutex::new(Vec::new()),
            index,
            search,
            snapshot: ArcSwap::from_pointee(snapshot),
            ranges: options.ranges,
            link,
            rows_are_behind: AtomicBool::new(false),
            unsearched: Unsearched::default(),
        };
        store.catch_up_search(indexed.as_deref())?;
        Ok(store)
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, Ledger> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current view of everything that is published.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Records a batch: in the ledger first, then in everything that follows it. Gives its events.
    ///
    /// Times never go backwards: `now` is raised to the time of the last commit.
    ///
    /// # Errors
    /// Nothing is served of a batch whose commit failed. The search index follows later: see
    /// [`Store::keep_searchable`].
    pub fn publish(&self, batch: Batch, now: Timestamp) -> Result<Vec<Event>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let mut ledger = self.writer();
        refuse_taken(&batch, &self.snapshot())?;
        self.record_batch(&mut ledger, batch, now)
    }

    /// Records a batch that fits the current snapshot, which nobody else can change: the ledger is held.
    pub(crate) fn record_batch(
        &self,
        ledger: &mut Ledger,
        mut batch: Batch,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        if self.link.as_ref().is_some_and(Link::is_follower) {
            return Err(StoreError::Follower);
        }
        let snapshot = self.snapshot();
        let now = not_backwards(ledger, now)?;
        for new in &mut batch.releases {
            new.release.published_at = now;
        }
        for removal in batch.removals.iter_mut().filter_map(|tombstone| tombstone.removed.as_mut()) {
            removal.at = now;
        }
        let events = batch.events(snapshot.last_event + 1, now, &snapshot);
        let head = self.commit(ledger, &batch.edits(), &batch.message(&events), now)?;
        self.follow(ledger, rows_of_batch(&batch, events.clone()), head);
        self.maintain(ledger);
        Ok(events)
    }

    /// Takes what the commit `head` brought into everything that follows the ledger. What cannot be written down is
    /// said, and caught up with the next commit or at the next start: it is recorded, and so it is served.
    pub(crate) fn follow(&self, ledger: &Ledger, rows: Rows, head: ObjectId) {
        self.write_rows(ledger, &rows, head);
        let touched = touched(&rows);
        let mut snapshot = (*self.snapshot()).clone();
        snapshot.last_event = rows.events.last().map_or(snapshot.last_event, |event| event.number);
        snapshot.head = Some(head.to_string());
        apply(&mut snapshot, rows);
        self.unsearched.add(touched, || self.snapshot.store(Arc::new(snapshot)));
    }

    fn write_rows(&self, ledger: &Ledger, rows: &Rows, head: ObjectId) {
        let known = || self.index.head().and_then(|known| known.parse().ok());
        let written = match self.rows_are_behind.load(Ordering::Relaxed) {
            false => self.index.write(rows, Some(&head.to_string())),
            true => rows_between(ledger, known(), head)
                .and_then(|missed| self.index.write(&missed, Some(&head.to_string()))),
        };
        self.rows_are_behind.store(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written {
            tracing::error!(%error, "the look-up rows did not take the batch; they catch up with the next one");
        }
    }

    pub(crate) fn maintain(&self, ledger: &mut Ledger) {
        match ledger.maintain() {
            Ok(git::Maintenance::Done { packs_before, packs_after }) => {
                tracing::info!(packs_before, packs_after, "merged the ledger's packs");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the ledger's packs could not be merged"),
        }
    }

    /// Runs `read` with a handle on the ledger that no other thread uses.
    fn with_reader<T>(&self, read: impl FnOnce(&Ledger) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let free = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = match free {
            Some(reader) => reader,
            None => {
                Ledger::open_reader(&ledger_folder(&self.folder)).map_err(ledger_error("open for reading"))?
            }
        };
        let result = read(&reader);
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        result
    }

    /// The bytes at a path of the ledger; none where nothing stands there.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_reader(|ledger| ledger.read(path).map_err(ledger_error(format!("read {path}"))))
    }

    fn record<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, StoreError> {
        let missing = || StoreError::Record { path: path.to_owned(), reason: "it is missing".to_owned() };
        decode(path, &self.read(path)?.ok_or_else(missing)?)
    }

    /// The full record of a release.
    ///
    /// # Errors
    /// When the ledger cannot be read, or its record is damaged.
    pub fn release(&self, row: &ReleaseRow) -> Result<Release, StoreError> {
        self.record(&format!("{}/release.json", row.folder()))
    }

    /// The words said when a release was published.
    ///
    /// # Errors
    /// When the ledger cannot be read, or its record is damaged.
    pub fn report(&self, row: &ReleaseRow) -> Result<Report, StoreError> {
        self.record(&format!("{}/report.json", row.folder()))
    }

    /// The bytes of a form, checked against their digest; none where the release does not have it.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the bytes are not those that were published.
    pub fn form(&self, row: &ReleaseRow, form: Form) -> Result<Option<Vec<u8>>, StoreError> {
        read_form(row, form, &|path| self.read(&format!("{}/{path}", row.folder())))
    }

    /// Events after a number, oldest first.
    pub fn events_after(&self, number: u64, limit: usize) -> Vec<Event> {
        self.index.events_after(number, limit)
    }

    /// What is remembered of a source.
    pub fn source_state(&self, name: &str) -> SourceState {
        self.index.source(name)
    }

    /// Remembers the state of a source.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn set_source_state(&self, name: &str, state: &SourceState) -> Result<(), StoreError> {
        self.index.set_source(name, state)
    }

    /// Notes that a look at a source found it readable and unmoved. Nothing is written: a lost note costs nothing.
    pub fn note_look(&self, name: &str, now: Timestamp) {
        self.index.note_look(name, now);
    }

    /// Whether packs of the source `waiting` wait for a package of the source `awaited`.
    pub fn is_awaiting(&self, waiting: &str, awaited: &str) -> bool {
        self.index.ask_source(waiting, |state| state.awaits.contains_key(awaited))
    }

    /// Writes out what is still in memory, for a tidy end.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn close(&self) -> Result<(), StoreError> {
        let searched = self.index_for_search();
        self.index.flush().and(searched)
    }
}

/// The time of a batch, in whole seconds: never before that of the commit before it.
fn not_backwards(ledger: &Ledger, now: Timestamp) -> Result<Timestamp, StoreError> {
    let head = ledger.head().map_err(ledger_error("read the head"))?;
    let last = head.map(|head| ledger.time(head)).transpose().map_err(ledger_error("read the head"))?;
    let second = last.map_or(now.as_second(), |last| last.max(now.as_second()));
    Ok(Timestamp::from_second(second).unwrap_or(now))
}

/// Refuses a batch that was judged before another one took one of its versions or ids, or before the API changed what
/// the batch writes again.
fn refuse_taken(batch: &Batch, before: &Snapshot) -> Result<(), StoreError> {
    for release in batch.releases.iter().map(|new| &new.release) {
        let Some(pack) = before.packs.get(&release.id) else { continue };
        let judged_against = batch.judged_against.as_ref();
        let unchanged = judged_against.is_none_or(|judged| judged.packs.get(&release.id) == Some(pack));
        if pack.is_taken(&release.version) || !unchanged {
            return Err(StoreError::Taken { id: release.id.clone() });
        }
    }
    for (id, status, _) in &batch.statuses {
        if before.packs.get(id).is_some_and(|pack| pack.status.api != status.api) {
            return Err(StoreError::Taken { id: id.clone() });
        }
    }
    Ok(())
}

/// The packs that rows speak of.
pub(crate) fn touched(rows: &Rows) -> BTreeSet<String> {
    let releases = rows.releases.iter().map(|row| row.id.clone());
    let removed = rows.removed.iter().map(|(id, _)| id.clone());
    releases.chain(removed).chain(rows.statuses.iter().map(|(id, _)| id.clone())).collect()
}

/// Throws the derived state away and builds it again from the ledger; what is known of sources is scanned anew.
///
/// # Errors
/// [`StoreError::Locked`] while a daemon works with the folder; otherwise what could not be read or made.
pub fn rebuild(folder: &Path, options: Options) -> Result<(usize, usize), StoreError> {
    let store = Store::open(folder, options)?;
    store.index.clear()?;
    store.index.clear_sources()?;
    let snapshot = catch_up(&store.index, &store.writer(), store.ranges)?;
    store.snapshot.store(Arc::new(snapshot));
    store.unsearched.forget();
    store.close()?;
    Ok(store.snapshot().totals(&Reader::inner()))
}
