//! Hints: file notices, webhooks and people say that a source may have moved. A hint carries no data; losing one
//! costs latency only.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use git::{SourceRepository, Watcher};
use tokio::sync::Notify;

use crate::counters::Counters;

/// What wakes the worker of a source.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    notify: Notify,
    again: AtomicBool,
}

impl Bell {
    /// Waits until somebody rings; a ring that came before counts.
    pub(crate) async fn rung(&self) {
        self.notify.notified().await;
    }

    /// Takes the wish that everything is judged again, if there is one.
    pub(crate) fn take_again(&self) -> bool {
        self.again.swap(false, Ordering::AcqRel)
    }

    /// Asks that the next scan judges everything again.
    pub(crate) fn ask_again(&self) {
        self.again.store(true, Ordering::Release);
    }
}

/// The hint bells of all sources, by name.
#[derive(Debug, Clone)]
pub(crate) struct Bells {
    counters: Arc<Counters>,
    bells: Arc<Mutex<HashMap<String, Arc<Bell>>>>,
}

impl Bells {
    /// No bells yet; what rings them is counted.
    pub(crate) fn new(counters: Arc<Counters>) -> Bells {
        Bells { counters, bells: Arc::default() }
    }

    /// The bell of a source.
    pub(crate) fn of(&self, source: &str) -> Arc<Bell> {
        let mut bells = self.bells.lock().unwrap_or_else(PoisonError::into_inner);
        bells.entry(source.to_owned()).or_default().clone()
    }

    /// Rings the bell of a source, and asks that everything in it is judged again.
    pub(crate) fn ask_again(&self, source: &str) {
        self.of(source).ask_again();
        self.ring(source);
    }

    /// Rings the bell of a source, if there is one.
    pub(crate) fn ring(&self, source: &str) {
        if let Some(counters) = self.counters.source(source) {
            counters.hints.add(1);
        }
        let bells = self.bells.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = bells.get(source) {
            bell.notify.notify_one();
        }
    }
}

/// What stands at the path of a source: a repository that is put in the place of another one stands there anew.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standing([Option<(u64, u64, Option<SystemTime>)>; 2]);

impl Standing {
    /// What stands at `path` now.
    pub(crate) fn at(path: &Path) -> Standing {
        // A number of a file may be given again at once; the time at which it was made is another one then.
        let known = |meta: Metadata| (meta.dev(), meta.ino(), meta.created().ok());
        Standing([path, &path.join(".git")].map(|path| path.metadata().ok().map(known)))
    }
}

/// The file notices of all sources. Without them a source is looked at every `poll` only.
pub(crate) struct Notices {
    watcher: Mutex<Option<Watcher>>,
}

impl Notices {
    /// Starts listening; where the system allows none, says so once and goes on without.
    pub(crate) fn start(bells: Bells) -> Notices {
        let watcher = match Watcher::new(move |source| bells.ring(source)) {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                tracing::warn!(error = %store::with_causes(&error), "no file notices: sources are polled only");
                None
            }
        };
        Notices { watcher: Mutex::new(watcher) }
    }

    /// Listens for what moves the refs of a source; gives what it listens to, and none where that does not work.
    pub(crate) fn watch(&self, source: &str, path: &Path) -> Option<Standing> {
        let standing = Standing::at(path);
        // Opened before the lock is taken: a disk that does not answer keeps one source waiting only.
        let repository = SourceRepository::open(path).ok()?;
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        match watcher.as_mut()?.watch(source, &repository) {
            Ok(()) => Some(standing),
            Err(error) => {
                let error = store::with_causes(&error);
                tracing::warn!(source.name = source, %error, "no file notices for this source: it is polled only");
                None
            }
        }
    }
}
