//! `packhouse ledger verify|rebuild|export`: checks the truth, builds what follows it anew, writes it as files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use daemon::{ExportError, Exported};
use store::{Options, Reader, Remedy, StoreError, Verified};

use crate::complaint::{Complaint, warn};
use crate::exit::Verdict;
use crate::output::{counted, print, printable};
use crate::registry_file::{self, RegistryFile};

/// Check the ledger, rebuild what is derived from it, or write it as static files
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check every object, file, digest and event of the ledger, and the rows that follow it; works beside a running
    /// daemon, except for the rows
    #[command(after_help = "Example:\n  packhouse ledger verify --config registry.toml")]
    Verify(Config),
    /// Throw the derived state away and build it again from the ledger; the daemon must be stopped
    #[command(after_help = "Example:\n  packhouse ledger rebuild --config registry.toml")]
    Rebuild(Config),
    /// Write what the API answers for ever into a folder for a static server; works beside a running daemon
    ///
    /// The files are the exact bytes of every release: its forms, skills and schema files, and each of them by digest.
    /// The folder belongs to the export: what is not published any more, or not for these readers, is removed from it.
    #[command(after_help = "Example:\n  packhouse ledger export --out /srv/www/packs")]
    Export {
        #[command(flatten)]
        config: Config,
        /// The folder: an empty one, or one that an export made
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// A group whose packs are written too, besides those for everybody; repeatable
        #[arg(long = "group", value_name = "NAME")]
        groups: Vec<String>,
    },
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
        Action::Export { config, out, groups } => {
            export(&registry_file::read(config.config.as_deref())?, out, groups)
        }
    }
}

fn verify(file: &RegistryFile) -> anyhow::Result<Verdict> {
    let verified = store::verify(&file.state())?;
    print(&report(&verified))?;
    Ok(Verdict::of_findings(!verified.damage.is_empty()))
}

/// What was found, what to do about it, what was not compared, and how much was.
fn report(verified: &Verified) -> String {
    let mut text = String::new();
    for damage in &verified.damage {
        text.push_str(&format!("damaged: {}\n", damage.text));
    }
    let remedies: BTreeSet<Remedy> = verified.damage.iter().map(|damage| damage.remedy).collect();
    for remedy in remedies {
        text.push_str(&format!("help: {}\n", help(remedy)));
    }
    for note in &verified.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    let rows = verified.rows.map_or_else(String::new, |rows| format!(", {}", counted(rows, "row")));
    let counted = format!(
        "{}, {}{rows}; {} bytes compared with their digests",
        counted(verified.releases, "release"),
        counted(verified.events, "event"),
        verified.bytes
    );
    match verified.damage.len() {
        0 => text.push_str(&format!("the ledger is sound: {counted}\n")),
        count => text.push_str(&format!("{count} damaged: {counted}\n")),
    }
    text
}

fn help(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::RestoreLedger => {
            "bring the ledger back from its remote or from a backup, then run `packhouse ledger rebuild`"
        }
        Remedy::Rebuild => {
            "stop the daemon and run `packhouse ledger rebuild`: rows come out of the ledger anew"
        }
    }
}

fn rebuild(file: &RegistryFile) -> anyhow::Result<Verdict> {
    let options = Options { ranges: file.settings.policy.ranges, upstream: None };
    let (packs, releases) = store::rebuild(&file.state(), options).map_err(in_use)?;
    let (packs, releases) = (counted(packs, "pack"), counted(releases, "release"));
    print(&format!("rebuilt the derived state of {packs} with {releases}\n"))?;
    Ok(Verdict::Pass)
}

fn export(file: &RegistryFile, out: &Path, groups: &[String]) -> anyhow::Result<Verdict> {
    if file.settings.auth.as_ref().is_some_and(|auth| !auth.anonymous_read) {
        warn("`anonymous_read` is false here, and whoever reaches the files needs no token");
    }
    let known: BTreeSet<&String> = file.settings.sources.iter().flat_map(|source| &source.readers).collect();
    for group in groups.iter().filter(|group| !known.contains(group)) {
        warn(&format!(
            "no source names `{}` among its `readers`, so that it sees no more than everybody",
            printable(group)
        ));
    }
    let reader = Reader::of_groups(groups.to_vec());
    let exported = daemon::export(&file.state(), out, &reader).map_err(|error| match error {
        ExportError::Foreign { .. } => Complaint::new(error.to_string())
            .help("name an empty folder, or one that does not exist: an export removes what is not its own")
            .into(),
        other => anyhow::Error::from(other),
    })?;
    print(&said(&exported))?;
    Ok(Verdict::Pass)
}

fn said(exported: &Exported) -> String {
    let Exported { releases, files, written, removed, left_out } = exported;
    let notes = left_out.iter().map(|address| format!("note: no file can stand at {}\n", printable(address)));
    let (releases, files) = (counted(*releases, "release"), counted(*files, "file"));
    let all = format!("exported {releases}: {files}, {written} written, {removed} removed\n");
    notes.chain([all]).collect()
}

/// Adds what to do when there is no ledger here, and its remote does not answer.
pub fn no_remote(error: StoreError) -> anyhow::Error {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
    let message = format!("there is no ledger here yet, and its remote is away{}", cause.unwrap_or_default());
    Complaint::new(message)
        .help("bring the remote within reach, or put a clone of it into the state folder as `ledger.git`")
        .into()
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
