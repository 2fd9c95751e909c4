//! One worker per source: waits for a hint or for the clock, scans, and starts over.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use registry::settings::{RegistrySettings, SourceSettings};
use store::{Reader, Store};
use tokio::sync::{Notify, Semaphore, watch};

use crate::scan::{Memory, Scanned, Scanner};
use crate::watch::Notices;

/// How long a worker waits after a hint for the ones that come with it.
const DEBOUNCE: Duration = Duration::from_millis(20);

/// How many scans run at once; one source's trouble leaves the others a thread.
pub(crate) const SCANS_AT_ONCE: usize = 4;

/// What all workers share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) store: Arc<Store>,
    pub(crate) settings: Arc<RegistrySettings>,
    pub(crate) notices: Arc<Notices>,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) shutdown: watch::Receiver<bool>,
}

/// The worker of one source.
pub(crate) struct Worker {
    pub(crate) shared: Shared,
    pub(crate) source: SourceSettings,
    pub(crate) path: PathBuf,
    pub(crate) bell: Arc<Notify>,
    /// Becomes true after the first scan, however it ended.
    pub(crate) first_done: watch::Sender<bool>,
    /// The first scan of the source before this one in the configuration: at the very first start it goes first, so
    /// that two claimants of one id are told apart by their order.
    pub(crate) before: Option<watch::Receiver<bool>>,
}

/// How long the first scan of an unknown source waits for the one before it.
const PATIENCE: Duration = Duration::from_secs(30);

impl Worker {
    /// Runs until the daemon shuts down.
    pub(crate) async fn run(self) {
        let mut memory = Memory::default();
        let mut watching = false;
        let mut first = true;
        let poll = Duration::from_millis(self.source.poll_ms);
        let mut shutdown = self.shared.shutdown.clone();
        self.wait_for_turn().await;
        while !*shutdown.borrow() {
            if !watching {
                // Watched before it is read, so that nothing moves unseen in between.
                watching = self.shared.notices.watch(&self.source.name, &self.path);
            }
            let (scanned, kept) = self.scan(memory).await;
            memory = kept;
            // A folder that vanished may come back as another one: its old watch is worth nothing.
            watching &= !scanned.failed;
            if std::mem::take(&mut first) {
                self.first_done.send_replace(true);
            }
            tokio::select! {
                () = self.bell.notified() => tokio::time::sleep(DEBOUNCE).await,
                () = tokio::time::sleep(poll) => {}
                _ = shutdown.changed() => {}
            }
        }
    }

    /// Waits for the source before, where the ledger does not know this one yet.
    async fn wait_for_turn(&self) {
        let known = self.shared.store.snapshot().source(&Reader::everybody(), &self.source.name).is_some();
        if let (false, Some(before)) = (known, &self.before) {
            let mut before = before.clone();
            let _ = tokio::time::timeout(PATIENCE, before.wait_for(|done| *done)).await;
        }
    }

    /// Scans on a thread of its own.
    async fn scan(&self, memory: Memory) -> (Scanned, Memory) {
        let Ok(slot) = self.shared.slots.clone().acquire_owned().await else {
            return (Scanned::default(), memory);
        };
        let (shared, source, path) = (self.shared.clone(), self.source.clone(), self.path.clone());
        let task = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            let mut memory = memory;
            let scanner =
                Scanner { store: &shared.store, settings: &shared.settings, source: &source, path: &path };
            let scanned = scanner.scan(&mut memory, Timestamp::now());
            (scanned, memory)
        });
        match task.await {
            Ok(result) => result,
            Err(error) => {
                tracing::error!(source.name = %self.source.name, %error, "a scan failed and starts over");
                (Scanned { failed: true, ..Scanned::default() }, Memory::default())
            }
        }
    }
}
