//! `packhouse init`: a commented `packhouse.toml` and a CI workflow.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use git::{GitError, SourceRepository};

use crate::complaint;
use crate::exit::Verdict;
use crate::packs::place_of;

/// Write a commented packhouse.toml into the current folder, and a CI workflow into its repository
///
/// Files that are there already are left alone. The workflow checks pull requests, and pushes to the default branch.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse init --ci github")]
pub struct Arguments {
    /// The CI service: github, gitlab, none; otherwise what the repository looks like
    #[arg(long, value_enum, value_name = "SERVICE", hide_possible_values = true)]
    ci: Option<Service>,
}

/// The services that a workflow is written for.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Service {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// None
    None,
}

/// The repository as far as a workflow depends on it.
struct Around {
    root: PathBuf,
    /// How the root is called from the current folder: nothing, or `../` some times.
    up: String,
    branch: String,
}

const FALLBACK_BRANCH: &str = "main";
const GITLAB_CI: &str = ".gitlab-ci.yml";
const GITLAB_INCLUDE: &str = "include:\n  - local: .gitlab/packhouse.yml\n";

/// Runs the command.
///
/// # Errors
/// When the repository cannot be read, or a file cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    write(Path::new("packhouse.toml"), "packhouse.toml", include_str!("init/packhouse.toml"))?;
    let around = Around::find()?;
    let looks_like_gitlab = [GITLAB_CI, ".gitlab"].iter().any(|name| around.root.join(name).exists());
    let guessed = if looks_like_gitlab { Service::Gitlab } else { Service::Github };
    match arguments.ci.unwrap_or(guessed) {
        Service::Github => {
            let branch = serde_json::to_string(&around.branch)?;
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            let plain = around.branch.chars().all(is_plain);
            let branch = if plain { &around.branch } else { &branch };
            let workflow = include_str!("init/github.yml").replace("BRANCH", branch);
            around.write(".github/workflows/packhouse.yml", &workflow)?;
        }
        Service::Gitlab => {
            around.write(".gitlab/packhouse.yml", include_str!("init/gitlab.yml"))?;
            around.include()?;
        }
        Service::None => {}
    }
    Ok(Verdict::Pass)
}

impl Around {
    /// The repository of the current folder; outside of one, the folder itself.
    fn find() -> anyhow::Result<Around> {
        let here =
            || Around { root: PathBuf::from("."), up: String::new(), branch: FALLBACK_BRANCH.to_owned() };
        let current = place_of(Path::new("."))?;
        let repository = match SourceRepository::discover(&current) {
            Ok(repository) => repository,
            Err(GitError::NotARepository { .. } | GitError::Missing { .. }) => return Ok(here()),
            Err(error) => return Err(error.into()),
        };
        let Some(root) = repository.workdir().map(place_of).transpose()? else { return Ok(here()) };
        let remote = repository.remote_default_branch()?;
        let remote = remote.map(|branch| branch.strip_prefix("origin/").unwrap_or(&branch).to_owned());
        // Without a remote's word, one may stand on a branch of one's own.
        let usual = |name: &&str| repository.resolve(&format!("refs/heads/{name}")).is_ok();
        let local = ["main", "master"].into_iter().find(usual).map(str::to_owned);
        let branch = match remote.or(local) {
            Some(branch) => Some(branch),
            None => repository.head_branch()?,
        };
        let depth = current.strip_prefix(&root).map_or(0, |below| below.components().count());
        Ok(Around {
            root,
            up: "../".repeat(depth),
            branch: branch.unwrap_or_else(|| FALLBACK_BRANCH.to_owned()),
        })
    }

    /// Writes a file of the repository.
    fn write(&self, path: &str, text: &str) -> anyhow::Result<()> {
        write(&self.root.join(path), &format!("{}{path}", self.up), text)
    }

    /// GitLab reads one file only: it has to name the others.
    fn include(&self) -> anyhow::Result<()> {
        let place = self.root.join(GITLAB_CI);
        if !place.exists() {
            return self.write(GITLAB_CI, GITLAB_INCLUDE);
        }
        let text = fs::read_to_string(&place).unwrap_or_default();
        if !text.contains(".gitlab/packhouse.yml") {
            let shown = format!("{}{GITLAB_CI}", self.up);
            complaint::say(&format!("{shown}: left as it is; add to it:"));
            GITLAB_INCLUDE.lines().for_each(|line| complaint::say(&format!("  {line}")));
        }
        Ok(())
    }
}

fn write(place: &Path, shown: &str, text: &str) -> anyhow::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let made = if folder.as_os_str().is_empty() { Ok(()) } else { fs::create_dir_all(folder) };
    made.with_context(|| format!("cannot make the folder {}", folder.display()))?;
    match fs::OpenOptions::new().write(true).create_new(true).open(place) {
        Ok(mut file) => {
            std::io::Write::write_all(&mut file, text.as_bytes())
                .with_context(|| format!("cannot write {shown}"))?;
            complaint::say(&format!("{shown}: written"));
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            complaint::say(&format!("{shown}: left as it is"));
            Ok(())
        }
        Err(error) => Err(error).with_context(|| format!("cannot write {shown}")),
    }
}
