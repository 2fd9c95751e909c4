//! The look-up rows brought to the head of the ledger, and the snapshot that they give.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use git::{Ledger, ObjectId};
use registry::settings::Ranges;

use crate::error::{StoreError, ledger as ledger_error, with_causes};
use crate::index::{Index, Rows, unreadable};
use crate::ledger::rows_between;
use crate::snapshot::{PackEntry, RangePolicy, Snapshot};

/// Opens the rows below `folder` and brings them to the head of the ledger. Rows that fail on the way, in whatever
/// manner sled takes their damage, are moved aside and made anew.
pub(crate) fn open_rows(
    folder: &Path,
    ledger: &Ledger,
    ranges: Ranges,
) -> Result<(Index, Snapshot), StoreError> {
    let caught_up = |index: Index| index.kept(|index| catch_up(index, ledger, ranges));
    match Index::open(folder).and_then(caught_up) {
        Err(error @ StoreError::Index { .. }) => {
            tracing::warn!(error = with_causes(&error), "the look-up rows are damaged and are made anew");
            Index::start_anew(folder).and_then(caught_up)
        }
        opened => opened,
    }
}

/// Brings the rows to the head of the ledger. Gives the snapshot of them.
pub(crate) fn catch_up(index: &Index, ledger: &Ledger, ranges: Ranges) -> Result<Snapshot, StoreError> {
    let head = ledger.head().map_err(ledger_error("read the head"))?;
    let known = index.head().and_then(|head| head.parse::<ObjectId>().ok());
    if let Some(head) = head
        && known != Some(head)
    {
        let from = known.filter(|known| ledger.log(Some(*known)).is_ok_and(|log| !log.is_empty()));
        if from.is_none() {
            // Another ledger, or an older one: what was scanned under the lost one has to be seen again.
            index.clear()?;
            if known.is_some() {
                index.clear_sources()?;
            }
        }
        fill(index, ledger, from, head)?;
    }
    if head.is_none() {
        index.clear()?;
    }
    if let Some(snapshot) = load(index, ranges) {
        return Ok(snapshot);
    }
    index.clear()?;
    if let Some(head) = head {
        fill(index, ledger, None, head)?;
    }
    load(index, ranges).ok_or_else(unreadable)
}

/// Writes the rows of the commits after `from` up to `head`.
fn fill(index: &Index, ledger: &Ledger, from: Option<ObjectId>, head: ObjectId) -> Result<(), StoreError> {
    index.write(&rows_between(ledger, from, head)?, Some(&head.to_string()))
}

/// The snapshot of the rows; none when one cannot be read.
fn load(index: &Index, ranges: Ranges) -> Option<Snapshot> {
    let rows = Rows {
        releases: index.releases()?,
        statuses: index.statuses()?,
        records: index.records()?,
        ..Rows::default()
    };
    let mut snapshot = Snapshot { ranges: RangePolicy(ranges), ..Snapshot::default() };
    apply(&mut snapshot, rows);
    snapshot.last_event = index.last_event();
    snapshot.head = index.head();
    Some(snapshot)
}

/// Takes rows into a snapshot.
pub(crate) fn apply(snapshot: &mut Snapshot, rows: Rows) {
    let mut changed: BTreeMap<String, PackEntry> = BTreeMap::new();
    let entry =
        |changed: &mut BTreeMap<String, PackEntry>, packs: &BTreeMap<String, Arc<PackEntry>>, id: &str| {
            if !changed.contains_key(id) {
                let known = packs.get(id).map(|pack| (**pack).clone());
                changed.insert(id.to_owned(), known.unwrap_or_else(|| PackEntry::new(id)));
            }
        };
    for row in rows.releases {
        entry(&mut changed, &snapshot.packs, &row.id);
        if let Some(pack) = changed.get_mut(&row.id) {
            pack.insert(Arc::new(row));
        }
    }
    for (id, version) in rows.removed {
        entry(&mut changed, &snapshot.packs, &id);
        if let (Some(pack), Ok(version)) = (changed.get_mut(&id), version.parse()) {
            pack.forget(&version);
        }
    }
    for (id, status) in rows.statuses {
        entry(&mut changed, &snapshot.packs, &id);
        if let Some(pack) = changed.get_mut(&id) {
            pack.status = status;
        }
    }
    for (id, pack) in changed {
        if pack.releases.is_empty() && pack.removed.is_empty() {
            snapshot.packs.remove(&id);
        } else {
            snapshot.packs.insert(id, Arc::new(pack));
        }
    }
    for record in rows.records {
        snapshot.sources.insert(record.name.clone(), record);
    }
    for name in rows.removed_records {
        snapshot.sources.remove(&name);
    }
}
