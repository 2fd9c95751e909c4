//! Checks everything that is kept: the ledger's objects, what each release promises, the log, and the rows.
//!
//! Nothing is repaired here, and nothing is taken on trust: what is compared is what the records promise, so that a
//! file that is gone is missed, and not merely what happens to be there. Needs no writer's lock, except for the rows,
//! which nobody else can read while a daemon works with them.

mod events;
mod releases;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git::{Ledger, ObjectId};
use registry::status::PackStatus;

use crate::error::{StoreError, ledger as ledger_error};
use crate::ledger::decode;
use crate::row::SourceRecord;
use crate::store::ledger_folder;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// How many releases were checked.
    pub releases: usize,
    /// How many events the log tells.
    pub events: usize,
    /// How many rows were compared with the ledger; none where they could not be.
    pub rows: Option<usize>,
    /// How many bytes of forms and files were compared with their digests.
    pub bytes: u64,
    /// What is damaged.
    pub damage: Vec<Damage>,
    /// What was not compared, and why.
    pub notes: Vec<String>,
}

/// One damaged thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong and where: an object, a path of the ledger, an event or a row.
    pub text: String,
    /// What repairs it.
    pub remedy: Remedy,
}

/// What repairs a damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// The ledger comes back from its remote or from a backup.
    RestoreLedger,
    /// What is derived from the ledger is built anew.
    Rebuild,
}

/// Checks every object of the ledger, every file and digest that its releases promise, its log, and the rows that
/// follow it.
///
/// # Errors
/// When there is no ledger or it cannot be opened; damage is part of the result.
pub fn verify(folder: &Path) -> Result<Verified, StoreError> {
    let path = ledger_folder(folder);
    let ledger = Ledger::open_reader(&path).map_err(ledger_error("open for reading"))?;
    let mut verified = Verified::default();
    for damage in ledger.verify().map_err(ledger_error("verify"))? {
        verified.damaged(damage);
    }
    let Some(head) = ledger.head().map_err(ledger_error("read the head"))? else { return Ok(verified) };
    let contents = match Contents::read(&ledger, head) {
        Ok(contents) => contents,
        Err(error) => {
            verified.damaged(format!("the tree of the head cannot be walked: {error}"));
            return Ok(verified);
        }
    };
    contents.check(&ledger, &mut verified);
    let releases = releases::check(&ledger, &contents, &mut verified);
    events::check(&ledger, head, &contents, &releases, &mut verified);
    rows::check(folder, &ledger, head, &mut verified);
    Ok(verified)
}

impl Verified {
    fn damaged(&mut self, text: impl Into<String>) {
        self.damage.push(Damage { text: text.into(), remedy: Remedy::RestoreLedger });
    }

    fn damaged_row(&mut self, text: impl Into<String>) {
        self.damage.push(Damage { text: text.into(), remedy: Remedy::Rebuild });
    }
}

/// The files of the newest commit, by what they belong to.
#[derive(Default)]
struct Contents {
    /// Folder of a release to the files below it.
    releases: BTreeMap<String, BTreeMap<String, ObjectId>>,
    /// Paths of `status.json` files.
    statuses: BTreeMap<String, ObjectId>,
    /// Paths of source records.
    sources: BTreeMap<String, ObjectId>,
    /// Paths that mean nothing here.
    strangers: BTreeSet<String>,
}

impl Contents {
    fn read(ledger: &Ledger, head: ObjectId) -> Result<Contents, git::GitError> {
        let mut contents = Contents::default();
        for file in ledger.walk(head, "")? {
            contents.add(file.path, file.id);
        }
        Ok(contents)
    }

    fn add(&mut self, path: String, id: ObjectId) {
        let parts: Vec<&str> = path.splitn(5, '/').collect();
        match parts[..] {
            ["packs", first, pack, version, below] => {
                let folder = format!("packs/{first}/{pack}/{version}");
                self.releases.entry(folder).or_default().insert(below.to_owned(), id);
            }
            ["packs", _, _, "status.json"] => {
                self.statuses.insert(path, id);
            }
            ["sources", file] if file.ends_with(".json") => {
                self.sources.insert(path, id);
            }
            _ => {
                self.strangers.insert(path);
            }
        }
    }

    /// Checks what belongs to no single release.
    fn check(&self, ledger: &Ledger, verified: &mut Verified) {
        for (path, id) in &self.statuses {
            readable::<PackStatus>(ledger, path, *id, verified);
            let pack = path.trim_end_matches("status.json");
            let next = self.releases.range(pack.to_owned()..).next();
            if !next.is_some_and(|(folder, _)| folder.starts_with(pack)) {
                verified.damaged(format!("{path}: the pack has no release"));
            }
        }
        for (path, id) in &self.sources {
            let record = readable::<SourceRecord>(ledger, path, *id, verified);
            if record.is_some_and(|record| SourceRecord::path(&record.name) != *path) {
                verified.damaged(format!("{path}: it is the record of another source"));
            }
        }
        for path in &self.strangers {
            verified.damaged(format!("{path}: the registry keeps nothing at this path"));
        }
    }
}

/// Reads a record; names the damage where it cannot be read.
fn readable<T: serde::de::DeserializeOwned>(
    ledger: &Ledger,
    path: &str,
    id: ObjectId,
    verified: &mut Verified,
) -> Option<T> {
    // An object that cannot be read was named with the objects.
    let bytes = ledger.blob(id).ok()?;
    match decode(path, &bytes) {
        Ok(record) => Some(record),
        Err(error) => {
            verified.damaged(error.to_string());
            None
        }
    }
}
