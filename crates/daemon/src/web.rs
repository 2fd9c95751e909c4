//! The web: the API, the pages and the operations, all over the current snapshot.
//!
//! `routes` is the one list of what can be asked for. A handler extracts, asks the snapshot and shapes: it takes no
//! lock that the writer holds, reads the ledger on a thread that may block, and computes only in the bounded
//! `pool`. What an answer says about caching, digests and ranges is decided in `answer`, how a failure becomes a
//! status in `problem`, who asks in `access` (`session` for browsers that signed in, `proxy` for users whom a reverse
//! proxy names), and what they see in `target`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::HeaderValue;
use registry::RegistrySettings;
use store::Store;

use crate::counters::Counters;
use crate::scan::SourcePaths;

mod access;
mod address;
mod answer;
mod api;
mod blobs;
mod body;
mod guard;
mod hooks;
mod metrics;
mod openapi;
mod pages;
mod parameters;
mod pool;
mod problem;
mod proxy;
mod routes;
mod session;
mod target;
mod views;

#[cfg(test)]
pub(crate) mod tests;

#[cfg(test)]
pub(crate) use address::segment;
pub(crate) use address::skill_keys;
use blobs::Blobs;
use hooks::Hooks;
use metrics::Metrics;
use pool::Pool;

/// What is asked of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To look what moved. Losing or repeating that changes latency only.
    Scan,
    /// To judge everything again that was not published, from the first commit on.
    Rejudge,
}

/// Asks for a scan of one source, by its name.
#[derive(Clone)]
pub struct Hints(Arc<Ask>);

type Ask = dyn Fn(&str, Asked) + Send + Sync;

impl Hints {
    /// Hints that are given to `ask`.
    pub fn new(ask: impl Fn(&str, Asked) + Send + Sync + 'static) -> Hints {
        Hints(Arc::new(ask))
    }

    /// Asks for a scan of the source.
    pub fn ask(&self, source: &str, asked: Asked) {
        (self.0)(source, asked);
    }
}

/// What handlers share.
#[derive(Clone)]
pub struct App {
    /// What is published.
    pub store: Arc<Store>,
    /// The operator's configuration.
    pub settings: Arc<RegistrySettings>,
    /// Asks for scans.
    pub hints: Hints,
    /// Whether the first scans are through, so that traffic may come.
    pub ready: Arc<AtomicBool>,
    blobs: Arc<Blobs>,
    pool: Pool,
    closing: Arc<AtomicBool>,
    /// The headers that say who asks.
    asked_by: HeaderValue,
    metrics: Arc<Metrics>,
    hooks: Arc<Hooks>,
    counters: Arc<Counters>,
    sources: Arc<SourcePaths>,
}

impl App {
    /// The web's view of a registry.
    pub fn new(
        store: Arc<Store>,
        settings: Arc<RegistrySettings>,
        hints: Hints,
        ready: Arc<AtomicBool>,
    ) -> App {
        let blobs = Arc::new(Blobs::new(store.clone()));
        let metrics = Arc::new(Metrics::new(routes::ROUTES.len()));
        let closing = Arc::new(AtomicBool::new(false));
        let hooks = Arc::new(Hooks::new(&settings, secret));
        let counters = Arc::new(Counters::of(&settings));
        let pool = Pool::for_this_machine();
        let sources = Arc::default();
        let asked_by = access::asked_by(settings.auth.as_ref());
        App {
            store,
            settings,
            hints,
            ready,
            blobs,
            pool,
            closing,
            asked_by,
            metrics,
            hooks,
            counters,
            sources,
        }
    }

    /// Reads the settings of sources in their repositories.
    pub(crate) fn reading(mut self, sources: Arc<SourcePaths>) -> App {
        self.sources = sources;
        self
    }

    /// Shows the numbers of the daemon.
    pub(crate) fn counting(mut self, counters: Arc<Counters>) -> App {
        self.counters = counters;
        self
    }

    /// Ends the streams of events, so that a server that waits for its connections can stop.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    /// Whether what somebody is answered depends on who they are.
    fn is_restricted(&self) -> bool {
        let nobody_unknown = self.settings.auth.as_ref().is_some_and(|auth| !auth.anonymous_read);
        // A source that few may see makes a difference from the start, also before anything of it is recorded.
        let by_settings = || self.settings.sources.iter().any(|source| !source.readers.is_empty());
        nobody_unknown || by_settings() || self.store.snapshot().is_restricted()
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }
}

/// The secret that a variable holds, without the line end that files bring along.
pub(crate) fn secret(variable: &str) -> Option<String> {
    Some(std::env::var(variable).ok()?.trim().to_owned())
}

/// The router of everything that this registry answers.
pub fn router(app: App) -> axum::Router {
    routes::build(app)
}
