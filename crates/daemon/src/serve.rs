//! The daemon: opens the state, starts a worker per source, serves until it is told to stop.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use registry::settings::{RegistrySettings, SourceSettings};
use store::{Options, Role, Store, StoreError, Upstream};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::counters::Counters;
use crate::listen::{self, Connections};
use crate::remotes::Remotes;
use crate::scan::SourcePaths;
use crate::watch::{Bells, Notices};
use crate::web::{self, App, Asked, Hints, router};
use crate::webhooks;
use crate::worker::{SCANS_AT_ONCE, Shared, Worker};

/// Why the daemon does not start or ended before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The state cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address as it was given.
        address: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The web server ended.
    #[error("the web server failed")]
    Serve(#[source] std::io::Error),
}

/// A daemon that runs. Dropping it stops it; [`Daemon::stop`] waits for a tidy end.
pub struct Daemon {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it keeps.
    pub store: Arc<Store>,
    first_scans: Vec<watch::Receiver<bool>>,
    shutdown: watch::Sender<bool>,
    workers: Vec<tokio::task::JoinHandle<()>>,
    remotes: Arc<Remotes>,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// How long open requests may take after the daemon was told to stop.
const GRACE: Duration = Duration::from_secs(5);

impl Daemon {
    /// Starts the daemon: `base` is the folder that relative paths of the settings count from.
    ///
    /// Requests are answered from the state as it was left, while the first scans run.
    ///
    /// # Errors
    /// [`ServeError`] says what is in the way: a locked state folder, a port in use.
    pub async fn start(settings: RegistrySettings, base: &Path) -> Result<Daemon, ServeError> {
        let address = settings.server.listen.clone();
        let listen = |source| ServeError::Listen { address: address.clone(), source };
        let listener = TcpListener::bind(&address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let state = base.join(&settings.server.state);
        let options = Options { ranges: settings.policy.ranges, upstream: upstream(&settings, base) };
        let is_follower = settings.follow.url.is_some();
        let remotes = Arc::new(Remotes::new(base, &state, settings.limits));
        // Fetching a ledger may take its time.
        let opened = tokio::task::spawn_blocking(move || Store::open(&state, options)).await;
        let store = Arc::new(opened.map_err(|error| ServeError::Serve(std::io::Error::other(error)))??);
        if !is_follower {
            // Before anything is served: what was open may be for few from now on.
            store.record_readers(&readers(&settings), jiff::Timestamp::now())?;
        }
        let settings = Arc::new(settings);
        let (shutdown, stopped) = watch::channel(false);
        let counters = Arc::new(Counters::of(&settings));
        // Before the first scans, so that what they bring is told.
        let webhooks = webhooks::start(&store, &settings, &counters, &stopped, web::secret)?;
        let bells = Bells::new(counters.clone());
        let shared = Shared {
            store: store.clone(),
            settings: settings.clone(),
            notices: Arc::new(Notices::start(bells.clone())),
            bells: bells.clone(),
            paths: Arc::new(source_paths(&settings, &remotes)),
            slots: Arc::new(Semaphore::new(SCANS_AT_ONCE)),
            remotes: remotes.clone(),
            counters: counters.clone(),
            shutdown: stopped.clone(),
            started: tokio::time::Instant::now(),
        };
        let (mut workers, first_scans) =
            if is_follower { Default::default() } else { start_workers(&shared, &bells) };
        workers.extend(webhooks);
        if store.has_remote() {
            let pause = if is_local(&settings) { POLLS.0 } else { POLLS.1 };
            workers.push(tokio::spawn(repeat(pause, store.clone(), stopped.clone(), |store| {
                let _ = store.sync();
            })));
        }
        workers.push(tokio::spawn(repeat(
            SEARCH_LAG,
            store.clone(),
            stopped.clone(),
            Store::keep_searchable,
        )));
        let hints = Hints::new(move |source: &str, asked| match asked {
            Asked::Scan => bells.ring(source),
            Asked::Rejudge => bells.ask_again(source),
        });
        let ready = Arc::new(AtomicBool::new(false));
        let app = App::new(store.clone(), settings, hints, ready.clone()).counting(counters);
        // A follower scans no source, and knows of no head of one.
        let app = if is_follower { app } else { app.reading(shared.paths.clone()) };
        ready.store(true, Ordering::Release);
        let server = tokio::spawn(serve(listener, app, stopped));
        Ok(Daemon { address, store, first_scans, shutdown, workers, remotes, server })
    }

    /// Waits until every source was scanned once.
    pub async fn first_scans(&self) {
        for first in &self.first_scans {
            // A worker that ended early will never say so; there is nothing left to wait for.
            let _ = first.clone().wait_for(|done| *done).await;
        }
    }

    /// Waits until the web server ends by itself, which it does only on a failure.
    ///
    /// # Errors
    /// What the web server failed on.
    pub async fn failed(&mut self) -> Result<(), ServeError> {
        match (&mut self.server).await {
            Ok(result) => result.map_err(ServeError::Serve),
            Err(error) => Err(ServeError::Serve(std::io::Error::other(error))),
        }
    }

    /// Ends the daemon: running scans end first, open requests get a few seconds.
    ///
    /// # Errors
    /// When the state cannot be written out; the ledger is complete all the same.
    pub async fn stop(self) -> Result<(), ServeError> {
        let _ = self.shutdown.send(true);
        self.remotes.cancel();
        let deadline = tokio::time::Instant::now() + GRACE;
        for task in self.workers {
            let _ = tokio::time::timeout_at(deadline, task).await;
        }
        let _ = tokio::time::timeout_at(deadline, self.server).await;
        self.store.close()?;
        Ok(())
    }
}

async fn serve(listener: TcpListener, app: App, mut stopped: watch::Receiver<bool>) -> std::io::Result<()> {
    let web = app.clone();
    let stop = async move {
        let _ = stopped.wait_for(|stopped| *stopped).await;
        // Live streams never end by themselves.
        web.close();
    };
    listen::serve(listener, router(app), Connections::default(), stop).await
}

/// How long the search index may be behind what is published while nobody searches.
const SEARCH_LAG: Duration = Duration::from_millis(500);

/// Does a piece of work on a thread of its own after each pause, until the daemon stops. The store says what goes wrong.
async fn repeat(pause: Duration, store: Arc<Store>, mut stopped: watch::Receiver<bool>, work: fn(&Store)) {
    while !*stopped.borrow() {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stopped.changed() => continue,
        }
        let store = store.clone();
        let _ = tokio::task::spawn_blocking(move || work(&store)).await;
    }
}

/// How often a ledger elsewhere is asked for news: on this machine, and over the network.
const POLLS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));

/// Who may see the packs of each source, under the names that it had before too: releases keep the name under which
/// they were published.
fn readers(settings: &RegistrySettings) -> BTreeMap<String, Vec<String>> {
    let names = |source: &SourceSettings| {
        source.names().map(|name| (name.clone(), source.readers.clone())).collect::<Vec<_>>()
    };
    settings.sources.iter().flat_map(names).collect()
}

/// Where the ledger is pushed to or followed from.
fn upstream(settings: &RegistrySettings, base: &Path) -> Option<Upstream> {
    let (remote, role) = match (&settings.follow.url, &settings.ledger.remote) {
        (Some(followed), _) => (followed, Role::Follower),
        (None, Some(remote)) => (remote, Role::Writer),
        (None, None) => return None,
    };
    let place = if is_path(remote) { base.join(remote).display().to_string() } else { remote.clone() };
    Some(Upstream { remote: place, role, accept_rewind: settings.follow.accept_rewind.clone() })
}

/// A colon makes a URL, or a host with a path: `git@example.org:ledger.git`.
fn is_path(remote: &str) -> bool {
    !remote.contains(':') || remote.starts_with(['/', '.'])
}

fn is_local(settings: &RegistrySettings) -> bool {
    let remotes = settings.follow.url.iter().chain(&settings.ledger.remote);
    remotes.into_iter().all(|remote| is_path(remote) || remote.starts_with("file:"))
}

fn start_workers(
    shared: &Shared,
    bells: &Bells,
) -> (Vec<tokio::task::JoinHandle<()>>, Vec<watch::Receiver<bool>>) {
    let mut workers = Vec::new();
    let mut first_scans: Vec<watch::Receiver<bool>> = Vec::new();
    for source in &shared.settings.sources {
        let (first_done, done) = watch::channel(false);
        let before = first_scans.last().cloned();
        first_scans.push(done);
        let worker = Worker {
            shared: shared.clone(),
            source: source.clone(),
            path: shared.remotes.folder(&source.location),
            bell: bells.of(&source.name),
            first_done,
            before,
        };
        workers.push(tokio::spawn(worker.run()));
    }
    (workers, first_scans)
}

/// The folders in which all sources are read, by name.
fn source_paths(settings: &RegistrySettings, remotes: &Remotes) -> SourcePaths {
    settings.sources.iter().map(|source| (source.name.clone(), remotes.folder(&source.location))).collect()
}
