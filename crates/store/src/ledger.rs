//! The ledger's layout: which edits a batch makes, and which rows a commit changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use git::{Change, Edit, Ledger, LedgerCommit};
use jiff::Timestamp;
use registry::event::{Event, EventType};
use registry::release::{NewRelease, Release, pack_folder};
use registry::status::PackStatus;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{self, StoreError};
use crate::index::Rows;
use crate::row::{ReleaseRow, SourceRecord};
use crate::snapshot::Snapshot;

/// What one commit of the ledger records.
#[derive(Debug, Default)]
pub struct Batch {
    /// Accepted candidates.
    pub releases: Vec<NewRelease>,
    /// New states of packs, by id, each with the source that speaks.
    pub statuses: Vec<(String, PackStatus, Vec<registry::status::StatusChange>)>,
    /// What stays of releases whose bytes are removed.
    pub removals: Vec<Release>,
    /// Source records that are new or changed.
    pub sources: Vec<SourceRecord>,
    /// The source that it comes from, for the trailers.
    pub source: Option<String>,
    /// The commit of the source that it reflects, for the trailers.
    pub commit: Option<String>,
    /// Who asked for it, for the trailers; none where a scan did.
    pub actor: Option<String>,
    /// The view that its releases were judged against; none where only the versions themselves matter.
    pub judged_against: Option<Arc<Snapshot>>,
}

impl Batch {
    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty()
            && self.statuses.is_empty()
            && self.removals.is_empty()
            && self.sources.is_empty()
    }

    /// The facts of the batch, numbered from `next`.
    pub(crate) fn events(&self, next: u64, at: Timestamp, snapshot: &Snapshot) -> Vec<Event> {
        let source = self.source.clone().unwrap_or_default();
        let event = |kind, pack: &str, version: String, detail: Option<String>| Event {
            number: 0,
            at,
            kind,
            pack: pack.to_owned(),
            version: Some(version).filter(|version| !version.is_empty()),
            source: source.clone(),
            // As the trailer of the commit says it, so that the event stays what it is when rows are made anew.
            detail: detail
                .map(|detail| one_line(&detail).trim_end().to_owned())
                .filter(|text| !text.is_empty()),
        };
        let moved = self.moved(snapshot).into_iter();
        let moved =
            moved.map(|(id, from)| event(EventType::IdMoved, id, String::new(), Some(from.to_owned())));
        let published = self.releases.iter().map(|new| {
            let flags: Vec<&str> = new.release.flags.iter().map(|flag| flag.as_str()).collect();
            let detail = Some(flags.join(", ")).filter(|flags| !flags.is_empty());
            event(EventType::Published, &new.release.id, new.release.version.to_string(), detail)
        });
        let changed = self.statuses.iter().flat_map(|(id, _, changes)| {
            changes.iter().map(move |change| {
                let detail = Some(change.detail.clone()).filter(|detail| !detail.is_empty());
                event(change.kind, id, change.version.to_string(), detail)
            })
        });
        let removed = self.removals.iter().map(|release| {
            let reason = release.removed.as_ref().map(|removal| removal.reason.clone());
            event(EventType::Removed, &release.id, release.version.to_string(), reason)
        });
        let all = moved.chain(published).chain(changed).chain(removed);
        all.zip(next..).map(|(event, number)| Event { number, ..event }).collect()
    }

    /// Ids whose releases came from another source until now, and that source; one under a new name is the same.
    fn moved<'b>(&'b self, snapshot: &'b Snapshot) -> BTreeMap<&'b str, &'b str> {
        let former = |name: &str| {
            let record = self.sources.iter().find(|record| record.name == name);
            let record = record.or_else(|| snapshot.record(name));
            record.map(|record| record.former_names.as_slice()).unwrap_or_default()
        };
        let moved = self.releases.iter().filter_map(|new| {
            let (id, source) = (new.release.id.as_str(), new.release.source.as_str());
            let last = snapshot.packs.get(id)?.last_source()?;
            let is_other = last != source && former(source).iter().all(|name| name != last);
            is_other.then_some((id, last))
        });
        moved.collect()
    }

    /// Every file that the commit writes.
    pub(crate) fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for new in &self.releases {
            let folder = new.release.folder();
            edits.push(Edit::write(format!("{folder}/release.json"), pretty(&new.release)));
            edits.push(Edit::write(format!("{folder}/report.json"), pretty(&new.report)));
            for (path, file) in &new.files {
                let content = git::Content { bytes: file.bytes.clone(), executable: file.executable };
                edits.push(Edit { path: format!("{folder}/{path}"), content: Some(content) });
            }
        }
        for tombstone in &self.removals {
            let folder = tombstone.folder();
            edits.push(Edit::remove(folder.as_str()));
            edits.push(Edit::write(format!("{folder}/release.json"), pretty(tombstone)));
        }
        for (id, status, _) in &self.statuses {
            edits.push(Edit::write(format!("{}/status.json", pack_folder(id)), pretty(status)));
        }
        for record in &self.sources {
            edits.push(Edit::write(SourceRecord::path(&record.name), pretty(record)));
        }
        edits
    }

    fn subject(&self) -> String {
        if let [one, ..] = &self.removals[..] {
            return format!("remove {}@{}", one.id, one.version);
        }
        match (&self.releases[..], self.statuses.len(), self.sources.len()) {
            ([one], 0, _) => format!("publish {}@{}", one.release.id, one.release.version),
            ([], 0, 1) => format!("watch {}", self.sources[0].name),
            ([], 0, count) => format!("watch {count} sources"),
            ([], 1, _) => format!("update {}", self.statuses[0].0),
            ([], count, _) => format!("update {count} packs"),
            (several, ..) => format!("publish {} releases", several.len()),
        }
    }

    /// The message of the commit: what happened, then trailers that a rebuild reads the events from.
    pub(crate) fn message(&self, events: &[Event]) -> String {
        let mut message = format!("{}\n\n", self.subject());
        let mut trailer = |key: &str, value: &str| message.push_str(&format!("{key}: {}\n", one_line(value)));
        if let Some(source) = &self.source {
            trailer("Source", source);
        }
        if let Some(commit) = &self.commit {
            trailer("Commit", commit);
        }
        if let Some(actor) = &self.actor {
            trailer("Actor", actor);
        }
        if let (Some(first), Some(last)) = (events.first(), events.last()) {
            trailer("Events", &format!("{}-{}", first.number, last.number));
        }
        for event in events {
            trailer("Event", &event_line(event));
        }
        message
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn event_line(event: &Event) -> String {
    let version = event.version.as_deref().unwrap_or("-");
    let detail = event.detail.as_deref().unwrap_or_default();
    format!("{} {} {}@{version} {detail}", event.number, event.kind.as_str(), event.pack)
        .trim_end()
        .to_owned()
}

/// Reads the events back from the message of a commit.
pub(crate) fn events_of(commit: &LedgerCommit) -> Vec<Event> {
    let at = Timestamp::from_second(commit.time).unwrap_or_default();
    let trailer = |key: &str| {
        let lines = commit.message.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| *found == key).map(|(_, value)| value.to_owned()).collect::<Vec<_>>()
    };
    let source = trailer("Source").into_iter().next().unwrap_or_default();
    trailer("Event").iter().filter_map(|line| parse_event(line, at, &source)).collect()
}

/// How many lines of a commit's message tell an event, whether they can be read or not.
pub(crate) fn event_lines(commit: &LedgerCommit) -> usize {
    commit.message.lines().filter(|line| line.starts_with("Event: ")).count()
}

fn parse_event(line: &str, at: Timestamp, source: &str) -> Option<Event> {
    let mut words = line.splitn(4, ' ');
    let number = words.next()?.parse().ok()?;
    let kind: EventType = serde_json::from_value(words.next()?.into()).ok()?;
    let (pack, version) = words.next()?.split_once('@')?;
    let version = (version != "-").then(|| version.to_owned());
    let detail = words.next().map(str::to_owned);
    Some(Event { number, at, kind, pack: pack.to_owned(), version, source: source.to_owned(), detail })
}

fn pretty<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("records have only text keys");
    bytes.push(b'\n');
    bytes
}

/// The rows of a batch that was just recorded.
pub(crate) fn rows_of_batch(batch: &Batch, events: Vec<Event>) -> Rows {
    Rows {
        releases: batch
            .releases
            .iter()
            .map(|new| &new.release)
            .chain(&batch.removals)
            .map(ReleaseRow::new)
            .collect(),
        removed: Vec::new(),
        statuses: batch.statuses.iter().map(|(id, status, _)| (id.clone(), status.clone())).collect(),
        records: batch.sources.clone(),
        removed_records: Vec::new(),
        events,
    }
}

/// The rows that differ between two commits of the ledger; from nothing when `old` is none.
pub(crate) fn rows_between(
    ledger: &Ledger,
    old: Option<git::ObjectId>,
    new: git::ObjectId,
) -> Result<Rows, StoreError> {
    let mut rows = Rows::default();
    let changes = ledger.changes(old, new).map_err(error::ledger("compare two commits"))?;
    let mut seen = BTreeSet::new();
    for change in &changes {
        if seen.insert(change.path.clone()) {
            take(ledger, change, &mut rows)?;
        }
    }
    for commit in ledger.log(old).map_err(error::ledger("read the log"))? {
        rows.events.extend(events_of(&commit));
    }
    Ok(rows)
}

fn take(ledger: &Ledger, change: &Change, rows: &mut Rows) -> Result<(), StoreError> {
    let parts: Vec<&str> = change.path.split('/').collect();
    let read = |path: &str| -> Result<Option<Vec<u8>>, StoreError> {
        let Some(entry) = &change.new else { return Ok(None) };
        ledger.blob(entry.id).map(Some).map_err(error::ledger(format!("read {path}")))
    };
    match parts[..] {
        ["packs", _, id, version, "release.json"] => match read(&change.path)? {
            Some(bytes) => {
                let release: Release = decode(&change.path, &bytes)?;
                rows.releases.push(ReleaseRow::new(&release));
            }
            None => rows.removed.push((id.to_owned(), version.to_owned())),
        },
        ["packs", _, id, "status.json"] => {
            let status = match read(&change.path)? {
                Some(bytes) => decode(&change.path, &bytes)?,
                None => PackStatus::default(),
            };
            rows.statuses.push((id.to_owned(), status));
        }
        ["sources", file] => match read(&change.path)? {
            Some(bytes) => rows.records.push(decode(&change.path, &bytes)?),
            None => rows.removed_records.push(file.trim_end_matches(".json").to_owned()),
        },
        _ => {}
    }
    Ok(())
}

/// Reads a record of the ledger.
pub(crate) fn decode<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes)
        .map_err(|error| StoreError::Record { path: path.to_owned(), reason: error.to_string() })
}
