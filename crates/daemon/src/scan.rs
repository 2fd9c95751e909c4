//! One scan of one source: refs and trees in, releases and problems out.
//!
//! Nothing is decided here. `git` reports what moved, `registry` discovers and judges, `store` records; this module
//! hands one to the other, and keeps one candidate's trouble with that candidate.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use git::{ObjectId, RefSnapshot, SourceRepository};
use jiff::Timestamp;
use registry::EventType;
use registry::discover::{BranchState, Selection};
use registry::problem::{Problem, ProblemCode, ProblemState};
use registry::settings::{RegistrySettings, SourceLocation, SourceSettings, VersionsMode};
use store::{Batch, ScanSummary, SourceRecord, SourceState, Store, StoreArchive, StoreError, with_causes};

use crate::trouble::{Telling, Trouble};

mod again;
mod branch;
mod judging;
mod packages;
mod refusals;
mod statuses;
mod tags;

#[cfg(test)]
mod histories;
#[cfg(test)]
mod tests;

use again::Again;
use packages::Neighbours;
pub(crate) use packages::SourcePaths;
use statuses::HeadVersions;

/// What a source's worker keeps between two scans. Losing it costs time, never results.
#[derive(Default)]
pub(crate) struct Memory {
    settled: Option<Settled>,
    branch: Option<(ObjectId, BranchState)>,
    trouble: Trouble,
}

impl Memory {
    /// Lets the next scan look at everything.
    pub(crate) fn forget(&mut self) {
        self.settled = None;
        self.branch = None;
    }
}

/// How a source stood when a scan of it had nothing left to do.
struct Settled {
    refs: RefSnapshot,
    /// Tells cheaply that the refs stand as they did; none where it cannot.
    digest: Option<ObjectId>,
    awaits: Awaits,
    judged_by: String,
}

/// Sources that refused packs wait for, and how those stood.
type Awaits = BTreeMap<String, String>;

/// How often a scan is repeated at once because another source was faster; then the next hint tries again.
const MOST_REPEATS: usize = 10;

/// Problems of a source as a whole, which end when it can be scanned.
const OF_THE_SOURCE: [ProblemCode; 7] = [
    ProblemCode::UnsupportedRepository,
    ProblemCode::Unreachable,
    ProblemCode::BranchMissing,
    ProblemCode::LedgerUnreachable,
    ProblemCode::TooManyRefs,
    ProblemCode::TooManyFiles,
    ProblemCode::Internal,
];

/// What every scan of a source works with.
pub(crate) struct Scanner<'s> {
    pub(crate) store: &'s Store,
    pub(crate) settings: &'s RegistrySettings,
    pub(crate) source: &'s SourceSettings,
    pub(crate) path: &'s Path,
    /// The repositories of all sources: packages are read there.
    pub(crate) paths: &'s SourcePaths,
    /// How long a scan walks before it publishes what it has and lets others have their turn.
    pub(crate) budget: Duration,
    /// Whether everything is judged again from the first commit on, the releases excepted.
    pub(crate) anew: bool,
}

/// What a scan did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scanned {
    /// How many releases it published.
    pub(crate) published: usize,
    /// Whether the source had moved at all: by a commit, or by a ref alone.
    pub(crate) moved: bool,
    /// Whether the source could not be read.
    pub(crate) failed: bool,
    /// Whether that was because objects or refs of the repository are missing or damaged.
    pub(crate) damaged: bool,
    /// How many candidates were refused.
    pub(crate) refused: usize,
    /// Whether its budget ended before its work: the next scan goes on.
    pub(crate) more: bool,
}

/// Why a scan ended before its time.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScanError {
    /// The source cannot be read.
    #[error(transparent)]
    Git(#[from] git::GitError),
    /// What was found could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The branch to read is not there.
    #[error("{0}")]
    NoBranch(String),
    /// The source's settings cannot be used.
    #[error("{0}")]
    Settings(String),
}

/// A scan under way: what it found so far.
struct Run<'r> {
    scanner: &'r Scanner<'r>,
    selection: Selection,
    archive: StoreArchive<'r>,
    neighbours: Neighbours<'r>,
    /// What is judged again although it did not move.
    again: Again,
    state: SourceState,
    /// The problems that were current before: the log tells them once.
    told: Vec<ProblemState>,
    summary: ScanSummary,
    now: Timestamp,
    /// When the budget ends.
    deadline: Instant,
    /// Whether it ended before the work did.
    more: bool,
    /// Where the branch (in tags mode, HEAD) stands, whether or not the walk came so far.
    head: Option<ObjectId>,
    /// Whether a walked commit held names that cannot be read.
    unreadable: bool,
    /// Versions that stand at the head, in branch mode.
    head_versions: Option<HeadVersions>,
    /// How many candidates were refused.
    refused: usize,
}

impl Scanner<'_> {
    /// Scans the source. Whatever goes wrong becomes part of the source's state.
    pub(crate) fn scan(&self, memory: &mut Memory, now: Timestamp) -> Scanned {
        let started = Instant::now();
        if self.anew {
            memory.forget();
        } else if self.is_unmoved(memory) {
            self.store.note_look(&self.source.name, now);
            return Scanned::default();
        }
        let mut state = self.store.source_state(&self.source.name);
        state.last_attempt = Some(now);
        if self.anew {
            again::begin_anew(&mut state);
        }
        let mut result = self.run(memory, state.clone(), now, started);
        // Another source took a version or an id while this one was judged: what it found is judged again.
        for _ in 0..MOST_REPEATS {
            let meanwhile =
                |error: &StoreError| matches!(error, StoreError::Taken { .. } | StoreError::Overtaken);
            if !matches!(&result, Err(ScanError::Store(error)) if meanwhile(error)) {
                break;
            }
            memory.forget();
            result = self.run(memory, state.clone(), now, started);
        }
        match result {
            Ok(scanned) => {
                self.tell_end(memory);
                scanned
            }
            Err(error) => {
                memory.settled = None;
                let damaged = matches!(
                    error,
                    ScanError::Git(git::GitError::Object { .. } | git::GitError::MissingObject { .. })
                );
                self.note_failure(memory, state, code_of(&error), &with_causes(&error), now);
                Scanned { failed: true, damaged, ..Scanned::default() }
            }
        }
    }

    /// Whether nothing moved since a scan had nothing left to do. Reads a few files and nothing that is remembered.
    fn is_unmoved(&self, memory: &Memory) -> bool {
        let Some(settled) = memory.settled.as_ref().filter(|settled| settled.digest.is_some()) else {
            return false;
        };
        let digest = || SourceRepository::open(self.path).ok()?.refs_digest(self.settings.limits.refs);
        settled.digest == digest()
            && settled.judged_by == self.judged_by()
            && !self.neighbours().have_moved(&settled.awaits)
    }

    fn neighbours(&self) -> Neighbours<'_> {
        Neighbours::new(self.store, self.settings, self.paths, &self.source.name)
    }

    /// Notes that the source could not be fetched; what was published stays served.
    pub(crate) fn unfetched(
        &self,
        memory: &mut Memory,
        code: ProblemCode,
        message: &str,
        now: Timestamp,
    ) -> Scanned {
        let mut state = self.store.source_state(&self.source.name);
        state.last_attempt = Some(now);
        memory.settled = None;
        self.note_failure(memory, state, code, message, now);
        Scanned { failed: true, ..Scanned::default() }
    }

    fn note_failure(
        &self,
        memory: &mut Memory,
        state: SourceState,
        code: ProblemCode,
        message: &str,
        now: Timestamp,
    ) {
        let source = &self.source.name;
        match memory.trouble.failed(message, now) {
            None => {}
            Some(Telling::Begins) => {
                tracing::error!(event = "source-failing", source.name = %source, problem.code = %code, "{message}");
            }
            Some(Telling::Lasts(since)) => {
                tracing::error!(event = "source-fails-for-long", source.name = %source, problem.code = %code, %since, "{message}");
            }
        }
        keep_failure(self.store, source, state, &Problem::new(code, message), now);
    }

    /// Says that the source is read again, where it was not.
    fn tell_end(&self, memory: &mut Memory) {
        if let Some(since) = memory.trouble.over() {
            tracing::info!(event = "source-recovered", source.name = %self.source.name, %since, "the source is read again");
        }
    }

    fn run(
        &self,
        memory: &mut Memory,
        mut state: SourceState,
        now: Timestamp,
        started: Instant,
    ) -> Result<Scanned, ScanError> {
        let repository = SourceRepository::open(self.path)?;
        // Taken first, so that what moves while the refs are listed is seen by the next scan.
        let digest = repository.refs_digest(self.settings.limits.refs);
        let refs = repository.refs(self.settings.limits.refs)?;
        let recovered = state.error.take().is_some();
        if recovered {
            state.settle(&OF_THE_SOURCE);
        }
        state.last_success = Some(now);
        let neighbours = self.neighbours();
        let again = self.again(&state, &neighbours);
        let stands = memory.settled.as_ref().is_some_and(|settled| settled.refs == refs);
        if stands && !recovered && again == Again::Nothing {
            self.store.set_source_state(&self.source.name, &state)?;
            return Ok(Scanned::default());
        }
        let selection = Selection::new(self.source, self.settings.limits).map_err(ScanError::Settings)?;
        let summary = ScanSummary { started_at: now, ..ScanSummary::default() };
        let archive = StoreArchive::new(self.store, &self.settings.sources);
        let told = state.problems.iter().filter(|problem| problem.current).cloned().collect();
        let mut run = Run {
            scanner: self,
            selection,
            archive,
            neighbours,
            again,
            state,
            told,
            summary,
            now,
            deadline: started + self.budget,
            more: false,
            head: None,
            unreadable: false,
            head_versions: None,
            refused: 0,
        };
        run.begin_again();
        run.begin_refusals();
        match self.source.versions {
            VersionsMode::Branch => run.branch(&repository, &refs, memory)?,
            VersionsMode::Tags => run.tags(&repository, &refs)?,
        }
        let (scanned, awaits) = run.finish(&repository, started)?;
        let digest = digest.filter(|_| refs.is_whole());
        let settled = Settled { refs, digest, awaits, judged_by: self.judged_by() };
        memory.settled = Some(settled).filter(|_| !scanned.more);
        Ok(scanned)
    }
}

/// Keeps the state of a source as a whole that cannot be read, with the problem that says why.
pub(crate) fn keep_failure(
    store: &Store,
    source: &str,
    mut state: SourceState,
    problem: &Problem,
    now: Timestamp,
) {
    state.error = Some(problem.message.clone());
    state.settle(&OF_THE_SOURCE);
    state.see(problem, now);
    if let Err(error) = store.set_source_state(source, &state) {
        tracing::error!(source.name = %source, %error, "the state of the source could not be kept");
    }
}

/// The code of the problem that a failed scan makes.
fn code_of(error: &ScanError) -> ProblemCode {
    match error {
        ScanError::Git(git::GitError::Unsupported { .. }) => ProblemCode::UnsupportedRepository,
        ScanError::Git(git::GitError::TooManyRefs { .. }) => ProblemCode::TooManyRefs,
        ScanError::Git(git::GitError::TooManyFiles { .. }) => ProblemCode::TooManyFiles,
        ScanError::NoBranch(_) => ProblemCode::BranchMissing,
        ScanError::Settings(_) => ProblemCode::InvalidConfiguration,
        ScanError::Store(StoreError::Remote { .. } | StoreError::Rewound { .. }) => {
            ProblemCode::LedgerUnreachable
        }
        ScanError::Store(_) => ProblemCode::Internal,
        ScanError::Git(_) => ProblemCode::Unreachable,
    }
}

impl Run<'_> {
    /// The bytes that are read of one file: beyond that even its kind does not matter.
    fn read_limit(&self) -> u64 {
        self.scanner
            .settings
            .limits
            .pack_bytes
            .saturating_mul(4)
            .max(self.scanner.settings.limits.skill_bytes)
    }

    /// The head when the source was first scanned; versions up to it may be adopted more gently.
    fn first_head(&self) -> Option<String> {
        let snapshot = self.scanner.store.snapshot();
        let mut records = self.scanner.source.names().filter_map(|name| snapshot.record(name));
        records.find_map(|record| record.first_head.clone())
    }

    /// When a commit was made.
    fn time_of(&self, repository: &SourceRepository, commit: ObjectId) -> Result<Timestamp, ScanError> {
        Ok(Timestamp::from_second(repository.commit(commit)?.time).unwrap_or(self.now))
    }

    /// Records what the scan found: the ledger first, the state of the source last.
    fn finish(
        mut self,
        repository: &SourceRepository,
        started: Instant,
    ) -> Result<(Scanned, Awaits), ScanError> {
        let head = self.state.head.as_deref().and_then(|head| head.parse().ok());
        let statuses = match head {
            Some(head) => self.statuses(repository, head)?,
            None => Vec::new(),
        };
        if !self.more {
            self.note_idle();
        }
        let published = self.archive.added();
        let batch = Batch {
            releases: self.archive.take(),
            statuses,
            sources: self.record().into_iter().collect(),
            source: Some(self.scanner.source.name.clone()),
            commit: self.state.head.clone(),
            judged_against: Some(self.archive.snapshot()),
            ..Batch::default()
        };
        let events = self.scanner.store.publish(batch, self.now)?;
        for event in events.iter().filter(|event| event.kind == EventType::Published) {
            tracing::info!(
                source.name = %self.scanner.source.name,
                pack.id = %event.pack,
                release.version = event.version.as_deref().unwrap_or_default(),
                event.number = event.number,
                "published"
            );
        }
        if !self.more {
            self.note_held_back();
            self.note_decreased();
            self.keep_refusals();
        }
        self.summary.published = published;
        self.summary.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if self.summary.commits > 0 {
            self.state.last_scan = Some(self.summary.clone());
        }
        self.scanner.store.set_source_state(&self.scanner.source.name, &self.state)?;
        // A tag on a commit that is known brings nothing here, but others may wait for it.
        let scanned =
            Scanned { published, moved: true, refused: self.refused, more: self.more, ..Scanned::default() };
        Ok((scanned, self.state.awaits))
    }

    /// The record of the source, where the ledger has another one or none.
    fn record(&self) -> Option<SourceRecord> {
        let source = self.scanner.source;
        let snapshot = self.scanner.store.snapshot();
        let known = snapshot.record(&source.name);
        let first_head = self.first_head().or_else(|| self.head.map(|head| head.to_string()));
        let record = SourceRecord {
            name: source.name.clone(),
            url: match &source.location {
                SourceLocation::Url(url) => url.to_string(),
                SourceLocation::Path(_) => self.scanner.path.display().to_string(),
            },
            readers: source.readers.clone(),
            ids: source.ids.clone(),
            former_names: source.former_names.clone(),
            first_head,
        };
        (known != Some(&record)).then_some(record)
    }
}
