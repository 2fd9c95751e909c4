//! The search index follows what is published: a little later, so that no publication waits for it, and before any
//! search is answered.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use git::ObjectId;
use registry::release::Release;

use crate::error::StoreError;
use crate::ledger::rows_between;
use crate::search::{Hits, SearchQuery};
use crate::snapshot::{Reader, Snapshot};
use crate::store::{Store, touched};

/// What the search index has not taken in yet.
#[derive(Debug, Default)]
pub(crate) struct Unsearched {
    pending: Mutex<Pending>,
    /// Held by whoever takes it in.
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct Pending {
    ids: BTreeSet<String>,
    /// Whether nothing of the index counts.
    everything: bool,
}

impl Unsearched {
    /// Adds packs that the snapshot shows otherwise from the end of `show` on. Whoever takes them out sees it.
    pub(crate) fn add(&self, ids: BTreeSet<String>, show: impl FnOnce()) {
        let mut pending = self.pending();
        pending.ids.extend(ids);
        show();
    }

    /// Lets nothing of the index count.
    pub(crate) fn forget(&self) {
        self.pending().everything = true;
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Answers a search over everything that is published.
    ///
    /// # Errors
    /// When the index cannot be read; no query is ever an error.
    pub fn search(&self, reader: &Reader, query: &SearchQuery) -> Result<Hits, StoreError> {
        self.keep_searchable();
        let snapshot = self.snapshot();
        let sources: Vec<String> = snapshot.sources(reader).map(|source| source.name.clone()).collect();
        self.search.query(query, &sources).or_else(|error| {
            tracing::warn!(%error, "the search index cannot be read and is made anew");
            self.unsearched.forget();
            self.index_for_search()?;
            self.search.query(query, &sources)
        })
    }

    /// Takes into the search index whatever was published since it last did. What goes wrong is said, and tried again
    /// with the next call.
    pub fn keep_searchable(&self) {
        if let Err(error) = self.index_for_search() {
            tracing::error!(%error, "the search index is behind; it catches up with the next search or batch");
        }
    }

    /// Whether something was published that the search index has not taken in.
    #[cfg(test)]
    pub(crate) fn is_search_behind(&self) -> bool {
        let pending = self.unsearched.pending();
        pending.everything || !pending.ids.is_empty()
    }

    /// Takes into the search index whatever was published since it last did. An index that does not take it is made
    /// anew.
    ///
    /// # Errors
    /// When that fails too; what is missing then comes with the next call.
    pub(crate) fn index_for_search(&self) -> Result<(), StoreError> {
        let _turn = self.unsearched.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (pending, snapshot) = {
            let mut pending = self.unsearched.pending();
            (std::mem::take(&mut *pending), self.snapshot())
        };
        if pending.ids.is_empty() && !pending.everything {
            return Ok(());
        }
        if !pending.everything {
            match self.take_in(&snapshot, &pending.ids) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "the search index did not take the batch and is made anew");
                }
            }
        }
        let filled = self.fill_search(&snapshot);
        if filled.is_err() {
            self.unsearched.forget();
        }
        filled
    }

    /// Brings an index that reflects the head `indexed` to that of the ledger.
    pub(crate) fn catch_up_search(&self, indexed: Option<&str>) -> Result<(), StoreError> {
        let head = self.snapshot().head.clone();
        if indexed == head.as_deref() {
            return Ok(());
        }
        match self.touched_since(indexed, head.as_deref()) {
            Some(ids) => self.unsearched.add(ids, || ()),
            None => self.unsearched.forget(),
        }
        self.index_for_search()
    }

    /// The packs that changed between two heads of the ledger; none where that cannot be told.
    fn touched_since(&self, indexed: Option<&str>, head: Option<&str>) -> Option<BTreeSet<String>> {
        let parsed = |head: Option<&str>| head?.parse::<ObjectId>().ok();
        let rows = rows_between(&self.writer(), Some(parsed(indexed)?), parsed(head)?).ok()?;
        Some(touched(&rows))
    }

    fn take_in(&self, snapshot: &Snapshot, ids: &BTreeSet<String>) -> Result<(), StoreError> {
        let documents = self.documents(snapshot, ids)?;
        self.search.update(&documents, snapshot.head.as_deref().unwrap_or_default())
    }

    /// Makes the search index anew, of every pack that there is.
    fn fill_search(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let ids = snapshot.packs.keys().cloned().collect();
        let documents = self.documents(snapshot, &ids)?;
        self.search.fill(&documents, snapshot.head.as_deref().unwrap_or_default())
    }

    /// What the search index holds of these packs; none where a pack is gone.
    fn documents(
        &self,
        snapshot: &Snapshot,
        ids: &BTreeSet<String>,
    ) -> Result<Vec<(String, Option<Release>)>, StoreError> {
        let reader = Reader::inner();
        let mut documents = Vec::new();
        for id in ids {
            let pack = snapshot.packs.get(id);
            // A pack of which every release is held back is still found, as its highest release shows it.
            let shown = pack
                .and_then(|pack| snapshot.latest(&reader, pack).or_else(|| pack.releases.last().cloned()));
            let release = shown.map(|row| self.release(&row)).transpose()?;
            documents.push((id.clone(), release));
        }
        Ok(documents)
    }
}
