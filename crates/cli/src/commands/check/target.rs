//! The branch that a change is to be merged into, and how its commits get here.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use git::{ObjectId, SourceRepository};

use crate::complaint::{self, Complaint};
use crate::environment::{self, TARGET_BRANCHES};

/// A branch to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What to resolve, in order: the first that exists counts.
    pub revisions: Vec<String>,
    /// Its name on the remote, for fetching it.
    pub branch: String,
}

impl Target {
    /// A revision that somebody named: itself, else the remote's branch of that name.
    pub fn named(revision: &str) -> Target {
        let branch = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        let branch = branch.strip_prefix("origin/").unwrap_or(branch);
        Target { revisions: vec![revision.to_owned(), format!("origin/{branch}")], branch: branch.to_owned() }
    }

    /// A branch that a CI service named: on the remote first, since the local one may be stale.
    fn on_remote(branch: &str) -> Target {
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        Target { revisions: vec![format!("origin/{branch}"), branch.to_owned()], branch: branch.to_owned() }
    }

    /// The target branch that the CI's variables name, else the remote's default branch.
    ///
    /// # Errors
    /// When neither says anything: the choices.
    pub fn by_default(repository: &SourceRepository) -> anyhow::Result<Target> {
        for variable in TARGET_BRANCHES {
            if let Some(branch) = environment::read(variable.name) {
                complaint::say(&format!("target branch `{branch}`, as {} says", variable.service));
                return Ok(Target::on_remote(&branch));
            }
        }
        match repository.remote_default_branch()? {
            Some(branch) => Ok(Target::on_remote(branch.strip_prefix("origin/").unwrap_or(&branch))),
            None => Err(Complaint::new("there is no base to compare with: neither a CI variable nor the remote names one")
                .help(
                    "name it: `--against merge-base:main` (a branch), `--against HEAD~1` (a revision), `--against \
                     tag:v*`, `--against registry`, `--against FILE`, or `--against none` to lint only",
                )
                .into()),
        }
    }

    /// The commit at the end of the branch, and the revision that named it.
    pub fn resolve(&self, repository: &SourceRepository) -> Option<(String, ObjectId)> {
        self.revisions
            .iter()
            .find_map(|revision| Some((revision.clone(), repository.resolve(revision).ok()?)))
    }
}

/// Fetches a branch, with its whole history where the clone is shallow; or says how to.
pub struct Fetch {
    /// Whether `--fetch` was given.
    pub wanted: bool,
}

impl Fetch {
    /// Fetches when that is wanted, and opens the repository again: what an open one knows of its history stays.
    ///
    /// # Errors
    /// When it is not wanted: `why`, with the exact command; when Git fails: what it says.
    pub fn run(
        &self,
        repository: &mut Rc<SourceRepository>,
        branch: &str,
        why: String,
    ) -> anyhow::Result<()> {
        let unshallow = if repository.is_shallow() { "--unshallow " } else { "" };
        let arguments = format!("fetch --no-tags {unshallow}origin {branch}:refs/remotes/origin/{branch}");
        if !self.wanted {
            let help = format!("run `git {arguments}`, or add `--fetch`");
            return Err(Complaint::new(why).help(help).into());
        }
        let folder = repository.workdir().unwrap_or_else(|| repository.git_dir()).to_owned();
        complaint::say(&format!("git {arguments}"));
        git(&folder, &arguments)
            .map_err(|said| Complaint::new(format!("`git {arguments}` failed: {said}")))?;
        *repository = Rc::new(SourceRepository::discover(&folder)?);
        Ok(())
    }
}

fn git(folder: &Path, arguments: &str) -> Result<(), String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments.split(' ')).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().last().unwrap_or("it gave no reason").to_owned())
}
