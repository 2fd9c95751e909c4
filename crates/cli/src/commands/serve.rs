//! `packhouse serve`: the daemon.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use daemon::{Daemon, ServeError};
use registry::RegistrySettings;
use store::StoreError;
use tokio::signal::unix::{SignalKind, signal};

use crate::complaint::{Complaint, say};
use crate::exit::Verdict;
use crate::registry_file;

/// Watch the configured repositories and serve their packs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse serve --config registry.toml\n\n\
    Logs go to standard error; PACKHOUSE_LOG sets what is logged (default info), such as warn or debug.")]
pub struct Arguments {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on, instead of the configured ones
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Serve another registry's ledger, a URL or a folder, and publish nothing
    #[arg(long, value_name = "URL")]
    follow: Option<String>,
    /// Accept, for this start, that the followed ledger was set back to this commit
    #[arg(long, value_name = "COMMIT")]
    accept_rewind: Option<String>,
}

/// Runs the command until a signal ends it.
///
/// # Errors
/// When the configuration cannot be used, the port is taken or the state is locked.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let mut file = registry_file::read(arguments.config.as_deref())?;
    if let Some(listen) = &arguments.listen {
        file.settings.server.listen.clone_from(listen);
    }
    if let Some(follow) = &arguments.follow {
        let folder = std::path::absolute(follow).ok().filter(|folder| folder.is_dir());
        let folder = folder.map(|folder| folder.display().to_string());
        file.settings.follow.url = Some(folder.unwrap_or_else(|| follow.clone()));
        file.settings.ledger.remote = None;
    }
    file.settings.follow.accept_rewind.clone_from(&arguments.accept_rewind);
    start_logs("info");
    run_to_end(serve(file.settings, &file.base))
}

async fn serve(settings: RegistrySettings, base: &Path) -> anyhow::Result<Verdict> {
    let mut daemon = Daemon::start(settings, base).await.map_err(explained)?;
    say(&format!("packhouse listens on http://{}", daemon.address));
    tokio::select! {
        () = stop_signal()? => {}
        failed = daemon.failed() => failed?,
    }
    daemon.stop().await?;
    Ok(Verdict::Pass)
}

/// Runs a daemon on a thread per core; scans have threads of their own.
///
/// # Errors
/// When the system gives no threads; what the daemon ended with.
pub fn run_to_end<T>(daemon: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let result = runtime.block_on(daemon);
    // A thread that reads from a disk which does not answer would never end.
    runtime.shutdown_background();
    result
}

/// Waits for SIGINT or SIGTERM. Listening starts with the call, not with the wait.
///
/// # Errors
/// When the system refuses to tell signals.
pub fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Says what to do about a daemon that does not start.
pub fn explained(error: ServeError) -> anyhow::Error {
    match error {
        ServeError::Store(error @ StoreError::Remote { .. }) => super::ledger::no_remote(error),
        ServeError::Store(error) => super::ledger::in_use(error),
        ServeError::Listen { ref address, ref source } => {
            let message = format!("cannot listen on {address}: {source}");
            Complaint::new(message)
                .help("choose another address with `--listen ADDR`, such as 127.0.0.1:0")
                .into()
        }
        other => other.into(),
    }
}

/// Starts the logs on standard error, at the level of PACKHOUSE_LOG or else at `default`.
pub fn start_logs(default: &str) {
    let filter = tracing_subscriber::EnvFilter::try_from_env(crate::environment::LOG)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(default));
    let logs =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A second start in one process keeps the first one's logs.
    let _ = logs.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init();
}
