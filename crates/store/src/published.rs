//! What a ledger publishes at one commit, read without the writer's lock: beside a daemon, or out of a clone.

use std::path::Path;

use git::{Ledger, ObjectId};
use pack::Digest;
use registry::release::{Form, Release};

use crate::catch_up::apply;
use crate::error::{StoreError, ledger as ledger_error};
use crate::form::read_form;
use crate::ledger::{decode, rows_between};
use crate::row::ReleaseRow;
use crate::snapshot::Snapshot;
use crate::store::ledger_folder;

/// The head of a ledger as it stood when it was opened.
pub struct Published {
    ledger: Ledger,
    head: Option<ObjectId>,
    snapshot: Snapshot,
}

impl Published {
    /// Reads what is published by the state below `folder`.
    ///
    /// # Errors
    /// When there is no ledger, or it cannot be read.
    pub fn open(folder: &Path) -> Result<Published, StoreError> {
        let ledger = Ledger::open_reader(&ledger_folder(folder)).map_err(ledger_error("open for reading"))?;
        let head = ledger.head().map_err(ledger_error("read the head"))?;
        let mut snapshot = Snapshot { head: head.map(|head| head.to_string()), ..Snapshot::default() };
        if let Some(head) = head {
            let rows = rows_between(&ledger, None, head)?;
            snapshot.last_event = rows.events.last().map_or(0, |event| event.number);
            apply(&mut snapshot, rows);
        }
        Ok(Published { ledger, head, snapshot })
    }

    /// Everything that is published.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The full record of a release.
    ///
    /// # Errors
    /// When the ledger cannot be read, or its record is damaged.
    pub fn release(&self, row: &ReleaseRow) -> Result<Release, StoreError> {
        let path = "release.json";
        decode(&format!("{}/{path}", row.folder()), &self.file(row, path, None)?)
    }

    /// The bytes of a form, checked against their digest; none where the release does not have it.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the bytes are not those that were published.
    pub fn form(&self, row: &ReleaseRow, form: Form) -> Result<Option<Vec<u8>>, StoreError> {
        read_form(row, form, &|path| self.file(row, path, None).map(Some))
    }

    /// The bytes at a path below the folder of a release, checked against a digest where one is known.
    ///
    /// # Errors
    /// When the ledger cannot be read, or holds something else there.
    pub fn file(&self, row: &ReleaseRow, path: &str, digest: Option<Digest>) -> Result<Vec<u8>, StoreError> {
        let path = format!("{}/{path}", row.folder());
        let damaged = |reason: &str| StoreError::Record { path: path.clone(), reason: reason.to_owned() };
        let read = |head| self.ledger.read_at(head, &path).map_err(ledger_error(format!("read {path}")));
        let bytes = self.head.map(read).transpose()?.flatten().ok_or_else(|| damaged("it is missing"))?;
        if digest.is_none_or(|digest| Digest::of(&bytes) == digest) {
            Ok(bytes)
        } else {
            Err(damaged("its digest differs"))
        }
    }
}
