//! The look-up rows in sled: what makes a start fast. All of it can be rebuilt from the ledger.
//!
//! Rows that have another shape, or fail while they are opened and caught up, are moved aside and rebuilt.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use registry::event::Event;
use registry::refusal::Refusal;
use registry::status::PackStatus;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::delivery::Delivered;
use crate::error::{StoreError, index, without_panic};
use crate::row::{ReleaseRow, SourceRecord};
use crate::source::SourceState;

/// The shape of the rows; another number means that they are rebuilt.
const SCHEMA: u64 = 2;

/// How many refusals are kept for webhooks that were not told yet.
const MOST_REFUSALS: u64 = 1000;

/// The rows.
#[derive(Debug)]
pub(crate) struct Index {
    db: sled::Db,
    releases: sled::Tree,
    statuses: sled::Tree,
    records: sled::Tree,
    events: sled::Tree,
    sources: sled::Tree,
    delivered: sled::Tree,
    refusals: sled::Tree,
    remembered: Mutex<HashMap<String, Remembered>>,
}

/// What is at hand of a source.
#[derive(Debug)]
struct Remembered {
    /// Its row; reading that anew would cost more than looking at the source.
    state: Arc<SourceState>,
    /// When a look at it last found nothing new. Not in the row: the next scan after a start notes a time anyway.
    looked: Option<Timestamp>,
}

/// What one commit of the ledger changes in the rows.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub releases: Vec<ReleaseRow>,
    pub removed: Vec<(String, String)>,
    pub statuses: Vec<(String, PackStatus)>,
    pub records: Vec<SourceRecord>,
    pub removed_records: Vec<String>,
    pub events: Vec<Event>,
}

impl Index {
    /// Opens the rows below `folder`; those of another shape are moved aside.
    pub(crate) fn open(folder: &Path) -> Result<Index, StoreError> {
        let index = Index::open_existing(folder)?;
        if index.schema().is_none_or(|schema| schema == SCHEMA) {
            return index.kept(|index| index.set_number("schema", SCHEMA)).map(|(index, ())| index);
        }
        drop(index);
        tracing::warn!("the look-up rows have another shape and are rebuilt");
        Index::start_anew(folder)
    }

    /// Uses the rows, and closes them where that fails: sled may panic once more as it closes damaged files.
    pub(crate) fn kept<T>(
        self,
        use_it: impl FnOnce(&Index) -> Result<T, StoreError>,
    ) -> Result<(Index, T), StoreError> {
        match use_it(&self) {
            Ok(answer) => Ok((self, answer)),
            Err(error) => {
                let _ = guarded("close", || {
                    drop(self);
                    Ok(())
                });
                Err(error)
            }
        }
    }

    /// Opens the rows as they are, without moving anything aside; none where they have another shape.
    ///
    /// Rows that were killed before sled first wrote them out are empty rows, not damaged ones.
    pub(crate) fn open_as_is(folder: &Path) -> Result<Option<Index>, StoreError> {
        let index = Index::open_existing(folder)?;
        let (index, schema) = index.kept(|index| guarded("read a number", || index.db.get("schema")))?;
        let same = schema.is_none_or(|schema| *schema == SCHEMA.to_be_bytes());
        Ok(same.then_some(index))
    }

    /// Opens empty rows; those that were there are moved aside.
    pub(crate) fn start_anew(folder: &Path) -> Result<Index, StoreError> {
        move_aside(folder).map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
        let index = Index::open_existing(folder)?;
        index.set_number("schema", SCHEMA)?;
        Ok(index)
    }

    fn open_existing(folder: &Path) -> Result<Index, StoreError> {
        guarded("open", || {
            let db = open_files(folder)?;
            let tree = |name: &str| db.open_tree(name);
            Ok(Index {
                releases: tree("releases")?,
                statuses: tree("statuses")?,
                records: tree("records")?,
                events: tree("events")?,
                sources: tree("sources")?,
                delivered: tree("delivered")?,
                refusals: tree("refusals")?,
                remembered: Mutex::default(),
                db,
            })
        })
    }

    fn schema(&self) -> Option<u64> {
        self.number("schema")
    }

    fn number(&self, key: &str) -> Option<u64> {
        let bytes = guarded("read a number", || self.db.get(key)).ok()??;
        Some(u64::from_be_bytes(bytes.as_ref().try_into().ok()?))
    }

    fn set_number(&self, key: &str, number: u64) -> Result<(), StoreError> {
        guarded("write a number", || self.db.insert(key, &number.to_be_bytes()).map(|_| ()))
    }

    /// The commit of the ledger that the rows reflect.
    pub(crate) fn head(&self) -> Option<String> {
        let bytes = guarded("read the head", || self.db.get("head")).ok()??;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// Writes what one commit changes, and then that the rows reflect it.
    pub(crate) fn write(&self, rows: &Rows, head: Option<&str>) -> Result<(), StoreError> {
        let write = || -> sled::Result<()> {
            for row in &rows.releases {
                self.releases.insert(release_key(&row.id, &row.version.to_string()), encode(row))?;
            }
            for (id, version) in &rows.removed {
                self.releases.remove(release_key(id, version))?;
            }
            for (id, status) in &rows.statuses {
                self.statuses.insert(id, encode(status))?;
            }
            for record in &rows.records {
                self.records.insert(&record.name, encode(record))?;
            }
            for name in &rows.removed_records {
                self.records.remove(name)?;
            }
            for event in &rows.events {
                self.events.insert(event.number.to_be_bytes(), encode(event))?;
            }
            if let Some(head) = head {
                self.db.insert("head", head)?;
            }
            Ok(())
        };
        guarded("write rows", write)
    }

    /// Makes what was written last beyond a crash. Only for a tidy end: nothing here is the truth.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        guarded("flush", || self.db.flush().map(|_| ()))
    }

    /// Removes every row that comes from the ledger.
    pub(crate) fn clear(&self) -> Result<(), StoreError> {
        let clear = || -> sled::Result<()> {
            self.db.remove("head")?;
            for tree in [&self.releases, &self.statuses, &self.records, &self.events] {
                tree.clear()?;
            }
            Ok(())
        };
        guarded("clear", clear)
    }

    /// Removes everything that is remembered of the sources and of what webhooks were told too.
    pub(crate) fn clear_sources(&self) -> Result<(), StoreError> {
        self.remembered().clear();
        guarded("clear", || {
            self.delivered.clear()?;
            self.refusals.clear()?;
            self.sources.clear()
        })
    }

    /// Every release row; none when one cannot be read.
    pub(crate) fn releases(&self) -> Option<Vec<ReleaseRow>> {
        all(&self.releases).map(|rows| rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Every status by pack.
    pub(crate) fn statuses(&self) -> Option<Vec<(String, PackStatus)>> {
        all(&self.statuses)
    }

    /// Every source record.
    pub(crate) fn records(&self) -> Option<Vec<SourceRecord>> {
        all(&self.records).map(|rows| rows.into_iter().map(|(_, record)| record).collect())
    }

    /// The number of the last event.
    pub(crate) fn last_event(&self) -> u64 {
        last_number(&self.events)
    }

    /// Events after a number, oldest first.
    pub(crate) fn events_after(&self, number: u64, limit: usize) -> Vec<Event> {
        rows_after(&self.events, number, limit).into_iter().map(|(_, event)| event).collect()
    }

    /// The number of the last refusal.
    pub(crate) fn last_refusal(&self) -> u64 {
        last_number(&self.refusals)
    }

    /// Refusals after a number, oldest first, each with its own.
    pub(crate) fn refusals_after(&self, number: u64, limit: usize) -> Vec<(u64, Refusal)> {
        rows_after(&self.refusals, number, limit)
    }

    /// Adds a refusal; of many, the oldest is forgotten.
    pub(crate) fn add_refusal(&self, refusal: &Refusal) -> Result<(), StoreError> {
        let number = self.last_refusal() + 1;
        guarded("write a refusal", || {
            self.refusals.insert(number.to_be_bytes(), encode(refusal))?;
            if let Some(old) = number.checked_sub(MOST_REFUSALS) {
                self.refusals.remove(old.to_be_bytes())?;
            }
            Ok(())
        })
    }

    /// What a webhook was told; none where nothing is remembered of it.
    pub(crate) fn delivered(&self, key: &str) -> Option<Delivered> {
        let bytes = guarded("read a delivery", || self.delivered.get(key)).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Remembers what a webhook was told.
    pub(crate) fn set_delivered(&self, key: &str, delivered: Delivered) -> Result<(), StoreError> {
        guarded("write a delivery", || self.delivered.insert(key, encode(&delivered)).map(|_| ()))
    }

    /// What is remembered of a source; the empty state where nothing is.
    pub(crate) fn source(&self, name: &str) -> SourceState {
        let (kept, looked) = self.with_source(name, |kept| (kept.state.clone(), kept.looked));
        let mut state = SourceState::clone(&kept);
        if looked > state.last_attempt {
            (state.last_attempt, state.last_success) = (looked, looked);
        }
        state
    }

    /// Asks something of what is remembered of a source.
    pub(crate) fn ask_source<T>(&self, name: &str, ask: impl FnOnce(&SourceState) -> T) -> T {
        ask(&self.with_source(name, |kept| kept.state.clone()))
    }

    /// Remembers the state of a source.
    pub(crate) fn set_source(&self, name: &str, state: &SourceState) -> Result<(), StoreError> {
        let state = Arc::new(state.clone());
        self.with_source(name, |kept| *kept = Remembered { state: state.clone(), looked: None });
        guarded("write a source", || self.sources.insert(name, encode(&*state)).map(|_| ()))
    }

    /// Notes that a look at a source found nothing new.
    pub(crate) fn note_look(&self, name: &str, now: Timestamp) {
        self.with_source(name, |kept| kept.looked = Some(now));
    }

    fn with_source<T>(&self, name: &str, use_it: impl FnOnce(&mut Remembered) -> T) -> T {
        let mut remembered = self.remembered();
        if !remembered.contains_key(name) {
            let bytes = guarded("read a source", || self.sources.get(name)).ok().flatten();
            let state = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
            remembered.insert(name.to_owned(), Remembered { state: Arc::new(state), looked: None });
        }
        use_it(remembered.get_mut(name).expect("it was put there"))
    }

    fn remembered(&self) -> MutexGuard<'_, HashMap<String, Remembered>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the files. Whoever had them open before may hold their lock a moment longer than its value lives: sled's threads
/// end on their own. Two writers at once are kept apart by the ledger's lock.
pub(crate) fn open_files(folder: &Path) -> sled::Result<sled::Db> {
    let config = sled::Config::new().path(folder).cache_capacity(32 << 20).flush_every_ms(Some(200));
    const PATIENCE: Duration = Duration::from_secs(5);
    let begun = Instant::now();
    loop {
        match config.open() {
            Err(sled::Error::Io(error))
                if error.to_string().contains("could not acquire lock") && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}

/// Asks sled, which panics on some damaged files instead of answering with an error.
fn guarded<T>(operation: &'static str, ask: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
    without_panic(ask).unwrap_or_else(|| Err(damaged())).map_err(index(operation))
}

fn damaged() -> sled::Error {
    sled::Error::Unsupported("the files are damaged".to_owned())
}

/// The failure of rows that cannot be read right after they were written.
pub(crate) fn unreadable() -> StoreError {
    index("read rows")(damaged())
}

fn last_number(rows: &sled::Tree) -> u64 {
    let last = guarded("read the last number", || rows.last()).ok().flatten();
    last.and_then(|(key, _)| number_of(&key)).unwrap_or(0)
}

fn number_of(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}

/// Rows by number after one of them, the lowest number first.
fn rows_after<T: DeserializeOwned>(rows: &sled::Tree, number: u64, limit: usize) -> Vec<(u64, T)> {
    let from = number.saturating_add(1).to_be_bytes();
    let read = |(key, bytes): (sled::IVec, sled::IVec)| {
        Some((number_of(&key)?, serde_json::from_slice(&bytes).ok()?))
    };
    guarded("read rows by number", || {
        let found = rows.range(from..).take(limit).filter_map(Result::ok);
        Ok(found.filter_map(read).collect())
    })
    .unwrap_or_default()
}

/// Ids have no NUL, so the key splits in one way only.
fn release_key(id: &str, version: &str) -> Vec<u8> {
    format!("{id}\0{version}").into_bytes()
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("rows have only text keys")
}

fn all<T: DeserializeOwned>(tree: &sled::Tree) -> Option<Vec<(String, T)>> {
    let read = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
        let (key, bytes) = entry.ok()?;
        Some((String::from_utf8_lossy(&key).into_owned(), serde_json::from_slice(&bytes).ok()?))
    };
    guarded("read rows", || Ok(tree.iter().map(read).collect())).ok()?
}

/// Renames a folder to a free name beside it.
fn move_aside(folder: &Path) -> std::io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let aside = |number: usize| -> PathBuf {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        folder.with_file_name(format!("{name}.damaged-{number}"))
    };
    let free = (1..).map(aside).find(|path| !path.exists());
    match free {
        Some(free) => std::fs::rename(folder, free),
        None => std::fs::remove_dir_all(folder),
    }
}
