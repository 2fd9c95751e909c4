//! Follows the log from its first commit: numbers without gaps, times that never go back, and a release for every
//! publication.

use std::collections::{BTreeMap, BTreeSet};

use git::{Ledger, LedgerCommit, ObjectId};
use registry::event::{Event, EventType};
use registry::release::{Release, release_folder};

use super::{Contents, Verified};
use crate::ledger::{event_lines, events_of};

/// Checks the log up to `head` against what stands there: the folders of releases, and the records that can be read.
pub(super) fn check(
    ledger: &Ledger,
    head: ObjectId,
    contents: &Contents,
    releases: &BTreeMap<String, Release>,
    verified: &mut Verified,
) {
    let Ok(log) = ledger.log(None) else {
        return verified.damaged(format!("the log below commit {head} cannot be read"));
    };
    let mut chain = Chain {
        verified,
        last_number: 0,
        last_time: i64::MIN,
        published: BTreeMap::new(),
        removed: BTreeSet::new(),
    };
    for commit in &log {
        chain.follow(commit);
    }
    let (published, removed) = (chain.published, chain.removed);
    for (folder, (event, commit)) in &published {
        // A folder whose record is missing or cannot be read was named already.
        if !contents.releases.contains_key(folder) {
            let (pack, version) = (&event.pack, event.version.as_deref().unwrap_or_default());
            verified.damaged(format!(
                "{folder}: it is missing, although event {} of commit {commit} published {pack}@{version}",
                event.number
            ));
        }
    }
    for (folder, release) in releases.iter().filter(|(folder, _)| !published.contains_key(*folder)) {
        verified
            .damaged(format!("{folder}: no event of the log published {}@{}", release.id, release.version));
    }
    check_removals(releases, &removed, verified);
}

/// Bytes are gone exactly where the log says that they were removed.
fn check_removals(releases: &BTreeMap<String, Release>, removed: &BTreeSet<String>, verified: &mut Verified) {
    for (folder, release) in releases {
        let (pack, version) = (&release.id, &release.version);
        match (release.removed.is_some(), removed.contains(folder)) {
            (true, false) => {
                verified
                    .damaged(format!("{folder}: no event of the log removed the bytes of {pack}@{version}"));
            }
            (false, true) => {
                verified.damaged(format!(
                    "{folder}: the log removed the bytes of {pack}@{version}, and they stand"
                ));
            }
            _ => {}
        }
    }
}

struct Chain<'v> {
    verified: &'v mut Verified,
    last_number: u64,
    last_time: i64,
    /// Folder of a release to the event that published it, and its commit.
    published: BTreeMap<String, (Event, ObjectId)>,
    /// Folders of releases whose bytes were removed.
    removed: BTreeSet<String>,
}

impl Chain<'_> {
    fn follow(&mut self, commit: &LedgerCommit) {
        if commit.time < self.last_time {
            self.verified.damaged(format!("commit {}: it is older than the one before it", commit.id));
        }
        self.last_time = self.last_time.max(commit.time);
        let events = events_of(commit);
        if events.len() != event_lines(commit) {
            self.verified.damaged(format!("commit {}: an event of its message cannot be read", commit.id));
        }
        for event in events {
            self.take(event, commit.id);
        }
    }

    fn take(&mut self, event: Event, commit: ObjectId) {
        self.verified.events += 1;
        if event.number != self.last_number + 1 {
            let expected = self.last_number + 1;
            let text = format!("commit {commit}: event {} stands where {expected} is expected", event.number);
            self.verified.damaged(text);
        }
        self.last_number = event.number;
        if !matches!(event.kind, EventType::Published | EventType::Removed) {
            return;
        }
        let version = event.version.as_deref().and_then(|version| version.parse().ok());
        match version {
            Some(version) if event.kind == EventType::Published => {
                let folder = release_folder(&event.pack, &version);
                self.published.insert(folder, (event, commit));
            }
            Some(version) => {
                self.removed.insert(release_folder(&event.pack, &version));
            }
            None => self.verified.damaged(format!("commit {commit}: event {} has no version", event.number)),
        }
    }
}
