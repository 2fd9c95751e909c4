//! `packhouse demo`: a complete registry out of the embedded seed packs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use daemon::Daemon;
use include_dir::{Dir, DirEntry, include_dir};
use registry::RegistrySettings;
use registry::settings::{SourceSettings, VersionsMode};
use store::Reader;

use super::serve::{explained, run_to_end, start_logs, stop_signal};
use crate::complaint::{Complaint, say};
use crate::exit::Verdict;
use crate::output::print;

/// The demo packs as histories: a folder per source, a folder per commit.
static SEED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../registry-data/seed");

/// The file of a step that describes its commit; it is not part of the repository.
const COMMIT_FILE: &str = "COMMIT.txt";

/// Show a complete registry with example packs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse demo\n\n\
    Makes Git repositories in a temporary folder, serves them, and removes everything at the end (Ctrl-C).")]
pub struct Arguments {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7420")]
    listen: String,
    /// Make everything in this folder, and keep it
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command until a signal ends it.
///
/// # Errors
/// When git is missing, the folder cannot be written or the port is taken.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    start_logs("error");
    let temporary = match &arguments.dir {
        Some(_) => None,
        None => Some(
            tempfile::Builder::new().prefix("packhouse-demo-").tempdir().context("no temporary folder")?,
        ),
    };
    let folder = match (&arguments.dir, &temporary) {
        (Some(folder), _) => folder.clone(),
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => bail!("no folder for the demo"),
    };
    let result = run_to_end(demo(&folder, &arguments.listen, arguments.dir.is_some()));
    if let Some(temporary) = temporary {
        temporary.close().context("the temporary folder could not be removed")?;
    }
    result
}

async fn demo(folder: &Path, listen: &str, kept: bool) -> anyhow::Result<Verdict> {
    // From here on a signal ends the demo tidily, also while it still prepares.
    let stopped = stop_signal()?;
    tokio::pin!(stopped);
    let mut settings = RegistrySettings::parse("").context("the built-in settings")?;
    listen.clone_into(&mut settings.server.listen);
    for source in SEED.dirs() {
        let name = name_of(source.path());
        let repository = folder.join(&name);
        if repository.join(".git").exists() {
            say(&format!("{} is there already and is used as it stands", repository.display()));
        } else {
            replay(source, &repository)?;
        }
        let mut source = SourceSettings::local(&name, &name);
        if has_tags(&name) {
            source.versions = VersionsMode::Tags;
        }
        settings.sources.push(source);
    }
    let mut daemon = Daemon::start(settings, folder).await.map_err(explained)?;
    tokio::select! {
        () = daemon.first_scans() => {}
        () = &mut stopped => return finish(daemon).await,
    }
    print(&introduction(&daemon, folder, kept))?;
    tokio::select! {
        () = &mut stopped => {}
        failed = daemon.failed() => failed?,
    }
    finish(daemon).await
}

async fn finish(daemon: Daemon) -> anyhow::Result<Verdict> {
    daemon.stop().await?;
    Ok(Verdict::Pass)
}

/// Whether a step of the source sets a tag.
fn has_tags(source: &str) -> bool {
    let steps = SEED.get_dir(source).into_iter().flat_map(Dir::dirs);
    steps.filter_map(commit_text).any(|text| text.lines().any(|line| line.starts_with("tag: ")))
}

fn commit_text(step: &Dir<'static>) -> Option<&'static str> {
    step.get_file(step.path().join(COMMIT_FILE))?.contents_utf8()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Makes a Git repository of the steps of one source.
fn replay(source: &Dir<'static>, repository: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(repository).with_context(|| format!("cannot make {}", repository.display()))?;
    git(repository, 0, &["init", "--quiet", "--initial-branch=main"])?;
    let mut steps: Vec<&Dir<'static>> = source.dirs().collect();
    steps.sort_by_key(|step| step.path().to_owned());
    for (number, step) in steps.into_iter().enumerate() {
        write_files(step, step.path(), repository)?;
        let text = commit_text(step).unwrap_or("Update packs");
        let mut message = String::new();
        let mut tags = Vec::new();
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("delete: ") {
                let _ = std::fs::remove_file(repository.join(path));
            } else if let Some(tag) = line.strip_prefix("tag: ") {
                tags.push(tag.to_owned());
            } else {
                message.push_str(line);
                message.push('\n');
            }
        }
        git(repository, number, &["add", "--all"])?;
        git(repository, number, &["commit", "--quiet", "--allow-empty", "--message", message.trim()])?;
        for tag in tags {
            git(repository, number, &["tag", &tag])?;
        }
    }
    Ok(())
}

fn write_files(folder: &Dir<'static>, step: &Path, repository: &Path) -> anyhow::Result<()> {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => write_files(inner, step, repository)?,
            DirEntry::File(file) => {
                let below = file.path().strip_prefix(step).unwrap_or(file.path());
                if below == Path::new(COMMIT_FILE) {
                    continue;
                }
                let path = repository.join(below);
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)
                        .with_context(|| format!("cannot make {}", folder.display()))?;
                }
                std::fs::write(&path, file.contents())
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(())
}

/// Runs git without any configuration of the user; each step of a history is a day after the one before.
fn git(repository: &Path, step: usize, arguments: &[&str]) -> anyhow::Result<()> {
    let date = format!("2026-01-{:02}T09:00:00Z", step + 5);
    let mut command = Command::new("git");
    command.current_dir(repository).args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]);
    command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Packhouse Demo");
        command.env(format!("GIT_{role}_EMAIL"), "demo@example.org");
        command.env(format!("GIT_{role}_DATE"), &date);
    }
    let output = command.output().map_err(|error| {
        Complaint::new(format!("cannot run git: {error}"))
            .help("install git, for example with `apt install git`")
    })?;
    if output.status.success() {
        return Ok(());
    }
    bail!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim())
}

/// What was found, and what to try.
fn introduction(daemon: &Daemon, folder: &Path, kept: bool) -> String {
    let snapshot = daemon.store.snapshot();
    let reader = Reader::everybody();
    let (packs, releases) = snapshot.totals(&reader);
    let mut text = format!(
        "{packs} packs with {releases} releases, out of Git repositories in {}\n\n",
        folder.display()
    );
    for pack in snapshot.packs(&reader) {
        let latest = snapshot.latest(&reader, pack).map(|row| row.version.to_string()).unwrap_or_default();
        let versions: Vec<String> = pack
            .releases
            .iter()
            .map(|row| {
                let held = if pack.active_flags(row).is_empty() { "" } else { " (flagged)" };
                format!("{}{held}", row.version)
            })
            .collect();
        text.push_str(&format!("  {:<18} latest {latest:<12} {}\n", pack.id, versions.join(", ")));
    }
    let url = format!("http://{}", daemon.address);
    let held = "published with a break and too small a version: its exact number is served, ranges skip it";
    text.push_str(&format!("\nflagged = {held}\n\nopen {url}/ in a browser, or try:\n\n"));
    for command in [
        format!("curl {url}/v1/packs"),
        format!("curl -i '{url}/v1/fetch/support-bot@^1'"),
        format!("curl {url}/v1/packs/support-bot/compare/1.1.0...1.2.0"),
        format!("curl '{url}/v1/search?q=refund'"),
        format!("packhouse lint {}", folder.join("support-packs").display()),
    ] {
        text.push_str(&format!("  {command}\n"));
    }
    let end = if kept { "the folder stays" } else { "everything is removed" };
    text.push_str(&format!("\nCtrl-C ends the demo; {end}.\n"));
    text
}
