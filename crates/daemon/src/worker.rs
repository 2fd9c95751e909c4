//! One worker per source: waits for a hint or for the clock, fetches what is remote, scans, and starts over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use registry::problem::{Problem, ProblemCode};
use registry::settings::{RegistrySettings, SourceSettings};
use store::{Store, with_causes};
use tokio::sync::{Semaphore, watch};

use crate::counters::{Counters, SourceCounters};
use crate::pace::{Pace, chance, retry_after};
use crate::patience::{PATIENCE, patiently};
use crate::remotes::{FetchError, Remotes, remote_url};
use crate::scan::{Memory, Scanned, Scanner, SourcePaths, keep_failure};
use crate::watch::{Bell, Bells, Notices, Standing};

/// How long a worker waits after a hint for the ones that come with it.
const DEBOUNCE: Duration = Duration::from_millis(20);

/// How many scans run at once; one source's trouble leaves the others a thread.
pub(crate) const SCANS_AT_ONCE: usize = 4;

/// How long a scan walks before it publishes what it found and waits for another turn.
const BUDGET: Duration = Duration::from_secs(2);

/// What all workers share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) store: Arc<Store>,
    pub(crate) settings: Arc<RegistrySettings>,
    pub(crate) notices: Arc<Notices>,
    pub(crate) bells: Bells,
    pub(crate) paths: Arc<SourcePaths>,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) remotes: Arc<Remotes>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) shutdown: watch::Receiver<bool>,
    /// When the daemon started.
    pub(crate) started: tokio::time::Instant,
}

/// The worker of one source.
pub(crate) struct Worker {
    pub(crate) shared: Shared,
    pub(crate) source: SourceSettings,
    pub(crate) path: PathBuf,
    pub(crate) bell: Arc<Bell>,
    /// Becomes true after the first scan, however it ended.
    pub(crate) first_done: watch::Sender<bool>,
    /// The first scan of the source before this one in the configuration: at the very first start it goes first, so
    /// that two claimants of one id are told apart by their order.
    pub(crate) before: Option<watch::Receiver<bool>>,
}

/// How long after the start first scans of unknown sources wait for the ones before them: a slow source holds the
/// others up once, however many there are.
const FIRST_TURN: Duration = Duration::from_secs(30);

impl Worker {
    /// Runs until the daemon shuts down.
    pub(crate) async fn run(self) {
        let mut memory = Memory::default();
        let mut watching = None;
        let (mut first, mut goes_on) = (true, false);
        let mut pace = Pace::new(Duration::from_millis(self.source.poll_ms));
        let mut shutdown = self.shared.shutdown.clone();
        while !*shutdown.borrow() {
            let fetched = match goes_on {
                // What was fetched is not walked to its end yet.
                true => Ok(()),
                false => tokio::select! {
                    fetched = self.fetch(&mut pace) => fetched,
                    _ = shutdown.changed() => break,
                },
            };
            if first {
                self.wait_for_turn().await;
            }
            let (scanned, kept) = self.scan(memory, &mut watching, fetched.err()).await;
            memory = kept;
            if scanned.moved {
                self.ring_those_who_wait();
            }
            // A folder that vanished may come back as another one: its old watch is worth nothing.
            watching.take_if(|_| scanned.failed);
            goes_on = scanned.more;
            if goes_on {
                // The slots are handed out in turn: whoever waits goes first.
                continue;
            }
            if std::mem::take(&mut first) {
                self.first_done.send_replace(true);
            }
            tokio::select! {
                () = self.hint(&pace) => {}
                // What is linked from the path may be another repository by now, which nobody watches.
                () = tokio::time::sleep(pace.pause(chance(), Instant::now())) => watching = None,
                _ = shutdown.changed() => {}
            }
        }
        self.first_done.send_replace(true);
    }

    /// Waits for a hint and those that come with it. A host that asked for time gets it all the same.
    async fn hint(&self, pace: &Pace) {
        self.bell.rung().await;
        tokio::time::sleep(DEBOUNCE.max(pace.left_alone(Instant::now()))).await;
    }

    /// Brings the mirror of a remote source up to date.
    async fn fetch(&self, pace: &mut Pace) -> Result<(), FetchError> {
        let fetched = match self.shared.remotes.fetch(&self.source).await {
            Ok(None) => return Ok(()),
            Ok(Some(fetched)) => fetched,
            Err(error) => {
                let asked = error.retry_after().and_then(|value| retry_after(value, Timestamp::now()));
                pace.failed(asked, Instant::now());
                self.count(|counters| counters.failed.add(1));
                return Err(error);
            }
        };
        pace.went_well();
        self.count(|counters| {
            counters.fetched.add(1);
            counters.bytes.add(fetched.bytes);
            counters.objects.add(fetched.objects);
        });
        if fetched.moved && fetched.unreadable > 0 {
            let names = fetched.unreadable;
            tracing::warn!(source.name = %self.source.name, names, "names of branches or tags cannot be read");
        }
        Ok(())
    }

    fn count(&self, change: impl FnOnce(&SourceCounters)) {
        if let Some(counters) = self.shared.counters.source(&self.source.name) {
            change(counters);
        }
    }

    /// Waits for the source before, where the ledger does not know this one yet.
    async fn wait_for_turn(&self) {
        let known = self.shared.store.snapshot().record(&self.source.name).is_some();
        if let (false, Some(before)) = (known, &self.before) {
            let mut before = before.clone();
            let _ = tokio::time::timeout_at(self.shared.started + FIRST_TURN, before.wait_for(|done| *done))
                .await;
        }
    }

    /// Rings the sources whose packs wait for a package of this one.
    fn ring_those_who_wait(&self) {
        for other in self.shared.settings.sources.iter().filter(|other| other.name != self.source.name) {
            if self.shared.store.is_awaiting(&other.name, &self.source.name) {
                self.shared.bells.ring(&other.name);
            }
        }
    }

    /// Scans on a thread of its own, or notes there why the source could not be fetched.
    async fn scan(
        &self,
        memory: Memory,
        watching: &mut Option<Standing>,
        unfetched: Option<FetchError>,
    ) -> (Scanned, Memory) {
        let Ok(slot) = self.shared.slots.clone().acquire_owned().await else {
            return (Scanned::default(), memory);
        };
        let scans = u64::from(unfetched.is_none());
        let anew = unfetched.is_none() && self.bell.take_again();
        let (shared, source, path) = (self.shared.clone(), self.source.clone(), self.path.clone());
        let (before, is_local) = (watching.take(), remote_url(&self.source).is_none());
        let task = tokio::task::spawn_blocking(move || {
            let mut memory = memory;
            // Watched before it is read, so that nothing moves unseen in between.
            let still = before.filter(|before| *before == Standing::at(&path));
            let watch = || is_local.then(|| shared.notices.watch(&source.name, &path)).flatten();
            let watched = still.or_else(watch);
            let scanner = Scanner {
                store: &shared.store,
                settings: &shared.settings,
                source: &source,
                path: &path,
                paths: &shared.paths,
                budget: BUDGET,
                anew,
            };
            let now = Timestamp::now();
            let scanned = match unfetched {
                None => scanner.scan(&mut memory, now),
                Some(error) => scanner.unfetched(&mut memory, error.code(), &with_causes(&error), now),
            };
            if scanned.damaged {
                shared.remotes.begin_anew(&source);
            }
            (scanned, memory, watched)
        });
        let (ended, was_silent) = patiently(task, slot, PATIENCE, || self.note_silence()).await;
        match ended {
            Ok((mut scanned, mut memory, watched)) => {
                *watching = watched;
                if was_silent {
                    // What was noted of it meanwhile is settled by another scan.
                    memory.forget();
                    scanned.more = true;
                }
                if anew && scanned.failed {
                    self.bell.ask_again();
                }
                self.count(|counters| {
                    counters.scans.add(scans);
                    counters.refused.add(u64::try_from(scanned.refused).unwrap_or_default());
                });
                (scanned, memory)
            }
            Err(error) => {
                tracing::error!(source.name = %self.source.name, %error, "a scan failed and starts over");
                (Scanned { failed: true, ..Scanned::default() }, Memory::default())
            }
        }
    }

    /// Notes that the source does not answer; the scan that waits for it goes on.
    fn note_silence(&self) {
        let message =
            "the repository does not answer: a scan waits for it, and its other scans wait for that one";
        let now = Timestamp::now();
        let mut state = self.shared.store.source_state(&self.source.name);
        state.last_attempt = Some(now);
        tracing::error!(event = "source-failing", source.name = %self.source.name, problem.code = %ProblemCode::Unreachable, "{message}");
        let problem = Problem::new(ProblemCode::Unreachable, message);
        keep_failure(&self.shared.store, &self.source.name, state, &problem, now);
    }
}
