//! `packhouse ledger verify|rebuild`: checks the truth, and builds what follows it anew.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use store::{Options, StoreError};

use crate::complaint::Complaint;
use crate::exit::Verdict;
use crate::output::print;
use crate::registry_file::{self, RegistryFile};

/// Check the ledger, or rebuild what is derived from it
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check every object and every digest of the ledger; works beside a running daemon
    #[command(after_help = "Example:\n  packhouse ledger verify --config registry.toml")]
    Verify(Config),
    /// Throw the derived state away and build it again from the ledger; the daemon must be stopped
    #[command(after_help = "Example:\n  packhouse ledger rebuild --config registry.toml")]
    Rebuild(Config),
}

#[derive(Debug, Args)]
struct Config {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When there is no ledger, or it is locked or cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    match &arguments.action {
        Action::Verify(config) => verify(&registry_file::read(config.config.as_deref())?),
        Action::Rebuild(config) => rebuild(&registry_file::read(config.config.as_deref())?),
    }
}

fn verify(file: &RegistryFile) -> anyhow::Result<Verdict> {
    let verified = store::verify(&file.state())?;
    let mut text = String::new();
    for damage in &verified.damage {
        text.push_str(&format!("damaged: {damage}\n"));
    }
    let counted =
        format!("{} releases, {} bytes compared with their digests", verified.releases, verified.bytes);
    match verified.damage.len() {
        0 => text.push_str(&format!("the ledger is sound: {counted}\n")),
        count => text.push_str(&format!("{count} damaged; {counted}\n")),
    }
    print(&text)?;
    Ok(Verdict::of_findings(!verified.damage.is_empty()))
}

fn rebuild(file: &RegistryFile) -> anyhow::Result<Verdict> {
    let options = Options { ranges: file.settings.policy.ranges };
    let (packs, releases) = store::rebuild(&file.state(), options).map_err(in_use)?;
    print(&format!("rebuilt the derived state of {packs} packs with {releases} releases\n"))?;
    Ok(Verdict::Pass)
}

/// Adds what to do when another daemon has the state folder.
pub fn in_use(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Locked { .. } => Complaint::new(error.to_string())
            .help("stop the other daemon, or give this one its own `state`")
            .into(),
        other => other.into(),
    }
}
