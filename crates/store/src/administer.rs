//! What people change by hand: yanks, deprecations and channels of the API's layer, and removals.
//!
//! Who may do it is asked elsewhere. Each change is one commit that names the one who asked.

use std::collections::BTreeMap;

use jiff::Timestamp;
use registry::event::Event;
use registry::problem::ProblemState;
use registry::release::Flag;
use registry::status::StatusEdit;
use semver::Version;

use crate::error::StoreError;
use crate::ledger::Batch;
use crate::row::SourceRecord;
use crate::store::Store;

/// How often a change is tried against other writers.
const MOST_ATTEMPTS: usize = 10;

impl Store {
    /// Changes the API's layer of a pack's status on behalf of `actor`. Gives the events; none when all of it was so
    /// already.
    ///
    /// # Errors
    /// [`StoreError::NoSuchPack`], [`StoreError::Conflict`] when the pack has no such release or its repository says
    /// otherwise; or what could not be recorded.
    pub fn change_status(
        &self,
        id: &str,
        edit: &StatusEdit,
        actor: &str,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let events = self.until_taken(|| self.try_status(id, edit, actor, now))?;
        self.settle_held_back(id);
        Ok(events)
    }

    /// Ends the problems of flagged releases of a pack that nobody waits for any more. The next scan says the same; one
    /// that goes on now may write what it knew before, and says it at its end.
    fn settle_held_back(&self, id: &str) {
        let snapshot = self.snapshot();
        let Some(pack) = snapshot.packs.get(id) else { return };
        let Some(source) = snapshot.owner(id).map(|owner| snapshot.present_name(owner)) else { return };
        let waits = |version: &str| pack.held_back().any(|row| row.version.to_string() == version);
        let codes = Flag::ALL.map(Flag::problem);
        let is_over = |problem: &ProblemState| {
            let is_of_pack = codes.contains(&problem.code) && problem.pack.as_deref() == Some(id);
            problem.current && is_of_pack && !problem.version.as_deref().is_some_and(waits)
        };
        let mut state = self.source_state(source);
        if state.problems.iter().any(is_over) {
            state.retract(is_over);
            if let Err(error) = self.set_source_state(source, &state) {
                tracing::error!(source.name = source, %error, "the state of the source could not be kept");
            }
        }
    }

    fn try_status(
        &self,
        id: &str,
        edit: &StatusEdit,
        actor: &str,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let mut ledger = self.writer();
        let snapshot = self.snapshot();
        let pack = snapshot.packs.get(id).ok_or_else(|| StoreError::NoSuchPack { id: id.to_owned() })?;
        let released: Vec<Version> = pack.releases.iter().map(|release| release.version.clone()).collect();
        let source = snapshot.owner(id).unwrap_or_default().to_owned();
        let status = pack.status.edited(edit, &released).map_err(|conflict| StoreError::Conflict {
            id: id.to_owned(),
            commit: self.source_state(&source).head.filter(|_| conflict.is_of_source()),
            source_name: source.clone(),
            conflict,
        })?;
        if status == pack.status {
            return Ok(Vec::new());
        }
        let changes = pack.status.changes_by(edit, &status);
        let batch = Batch {
            statuses: vec![(id.to_owned(), status, changes)],
            source: Some(source),
            actor: Some(actor.to_owned()),
            ..Batch::default()
        };
        self.record_batch(&mut ledger, batch, now)
    }

    /// Removes the bytes of a release on behalf of `actor`: they leave the ledger's tree, its number stays taken, and
    /// every path and digest of it answers that it was removed. The ledger's history still holds them.
    ///
    /// # Errors
    /// [`StoreError::NoSuchPack`] or [`StoreError::NoSuchRelease`]; or what could not be read or recorded.
    pub fn remove(
        &self,
        id: &str,
        version: &Version,
        reason: &str,
        actor: &str,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let events = self.until_taken(|| self.try_removal(id, version, reason, actor, now))?;
        self.settle_held_back(id);
        Ok(events)
    }

    fn try_removal(
        &self,
        id: &str,
        version: &Version,
        reason: &str,
        actor: &str,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let mut ledger = self.writer();
        let snapshot = self.snapshot();
        let pack = snapshot.packs.get(id).ok_or_else(|| StoreError::NoSuchPack { id: id.to_owned() })?;
        let missing = || StoreError::NoSuchRelease { id: id.to_owned(), version: version.clone() };
        let release = self.release(pack.release(version).ok_or_else(missing)?)?;
        // What ends so is told by the removal itself.
        let status = Some(pack.status.without(&release.version)).filter(|status| *status != pack.status);
        let batch = Batch {
            source: Some(release.source.clone()),
            statuses: status.map(|status| (id.to_owned(), status, Vec::new())).into_iter().collect(),
            removals: vec![release.tombstone(now, reason, actor)],
            actor: Some(actor.to_owned()),
            ..Batch::default()
        };
        self.record_batch(&mut ledger, batch, now)
    }

    /// Records who may see the packs of each source, where the ledger says otherwise: `readers` gives the groups by the
    /// name of the source. A source that the ledger does not know yet has nothing to see.
    ///
    /// # Errors
    /// What could not be recorded. What is served then may be for fewer readers.
    pub fn record_readers(
        &self,
        readers: &BTreeMap<String, Vec<String>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.until_taken(|| self.try_readers(readers, now)).map(drop)
    }

    fn try_readers(
        &self,
        readers: &BTreeMap<String, Vec<String>>,
        now: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let mut ledger = self.writer();
        let snapshot = self.snapshot();
        let mut sources = Vec::new();
        for (name, readers) in readers {
            let known = snapshot.sources.get(name).filter(|record| record.readers != *readers);
            sources.extend(known.map(|record| SourceRecord { readers: readers.clone(), ..record.clone() }));
        }
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        self.record_batch(&mut ledger, Batch { sources, ..Batch::default() }, now)
    }

    /// Tries again where another writer of the ledger's remote was faster.
    fn until_taken(
        &self,
        attempt: impl Fn() -> Result<Vec<Event>, StoreError>,
    ) -> Result<Vec<Event>, StoreError> {
        for _ in 1..MOST_ATTEMPTS {
            match attempt() {
                Err(StoreError::Overtaken) => {}
                outcome => return outcome,
            }
        }
        attempt()
    }
}
