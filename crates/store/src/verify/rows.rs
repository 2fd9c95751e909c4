//! Compares every row of the look-ups with what the ledger says.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::path::Path;

use git::{Ledger, ObjectId};

use super::Verified;
use crate::index::Index;
use crate::ledger::rows_between;
use crate::store::{index_folder, ledger_folder};

/// Compares the rows below the state `folder` with the ledger's `head`.
pub(super) fn check(folder: &Path, ledger: &Ledger, head: ObjectId, verified: &mut Verified) {
    let folder_of_rows = index_folder(folder);
    if !folder_of_rows.is_dir() {
        return verified.notes.push("there are no look-up rows yet: the next start builds them".to_owned());
    }
    // Rows can be opened once only, and nobody may start to write them meanwhile.
    let _lock = match Ledger::lock_out_writer(&ledger_folder(folder)) {
        Ok(lock) => lock,
        Err(git::GitError::Locked { .. }) => {
            let note = "the look-up rows are in use by a daemon: stop it to compare them too";
            return verified.notes.push(note.to_owned());
        }
        Err(error) => return verified.notes.push(format!("the look-up rows were not compared: {error}")),
    };
    let index = match Index::open_as_is(&folder_of_rows) {
        Ok(Some(index)) => index,
        Ok(None) => {
            let note = "the look-up rows have the shape of another version: the next start rebuilds them";
            return verified.notes.push(note.to_owned());
        }
        Err(error) => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            return verified.damaged_row(format!("the look-up rows cannot be opened: {reason}"));
        }
    };
    match index.head() {
        Some(known) if known == head.to_string() => compare(&index, ledger, head, verified),
        _ => verified
            .notes
            .push("the look-up rows are behind the ledger: the next start catches up".to_owned()),
    }
}

fn compare(index: &Index, ledger: &Ledger, head: ObjectId, verified: &mut Verified) {
    // What cannot be read of the ledger was named before.
    let Ok(expected) = rows_between(ledger, None, head) else { return };
    let (Some(releases), Some(statuses), Some(records)) =
        (index.releases(), index.statuses(), index.records())
    else {
        return verified.damaged_row("some look-up rows cannot be read");
    };
    let mut comparison = Comparison { verified, rows: 0 };
    let release = |row: &crate::ReleaseRow| format!("{}@{}", row.id, row.version);
    comparison.rows_of("release", expected.releases, releases, release);
    comparison.rows_of("status", expected.statuses, statuses, |(id, _)| id.clone());
    comparison.rows_of("source", expected.records, records, |record| record.name.clone());
    let events = index.events_after(0, usize::MAX);
    comparison.rows_of("event", expected.events, events, |event| event.number.to_string());
    verified.rows = Some(comparison.rows);
}

struct Comparison<'v> {
    verified: &'v mut Verified,
    rows: usize,
}

impl Comparison<'_> {
    fn rows_of<T: PartialEq>(
        &mut self,
        what: &str,
        expected: Vec<T>,
        found: Vec<T>,
        key: impl Fn(&T) -> String,
    ) {
        self.rows += found.len();
        let keyed = |rows: Vec<T>| rows.into_iter().map(|row| (key(&row), row)).collect::<BTreeMap<_, _>>();
        let mut found = keyed(found);
        for (key, expected) in keyed(expected) {
            match found.remove(&key) {
                None => self.verified.damaged_row(format!("the row of {what} {key} is missing")),
                Some(row) if row != expected => {
                    self.verified.damaged_row(format!("the row of {what} {key} differs from the ledger"));
                }
                Some(_) => {}
            }
        }
        for key in found.into_keys() {
            self.verified.damaged_row(format!("the row of {what} {key} has nothing behind it in the ledger"));
        }
    }
}
