//! The branch that a change is to be merged into, and how its commits get here.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use git::{ObjectId, SourceRepository, is_branch_name};
use serde_json::Value;

use crate::complaint::{self, Complaint};
use crate::environment::{self, TARGET_BRANCHES};

/// The remote that is meant where nobody names one.
const ORIGIN: &str = "origin";
/// The names that a default branch mostly has; one counts where the remote has not told, and only one is there.
const USUAL: [&str; 2] = ["main", "master"];

/// A branch or another revision to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What to resolve, in order: the first that exists counts.
    pub revisions: Vec<String>,
    /// How it is called.
    pub shown: String,
    /// Where it can be fetched from; none for a revision that no remote knows by that name.
    pub branch: Option<RemoteBranch>,
}

/// A branch on a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteBranch {
    remote: String,
    name: String,
}

impl Target {
    /// A revision that somebody named: itself, else the remote's branch of that name.
    pub fn named(revision: &str, repository: &SourceRepository) -> Target {
        let name = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        let name = name.strip_prefix("refs/remotes/").unwrap_or(name);
        let of_remote =
            |remote: &String| Some((remote.clone(), name.strip_prefix(remote)?.strip_prefix('/')?));
        let found = repository.remotes().iter().find_map(of_remote);
        let (remote, name) = found.unwrap_or((ORIGIN.to_owned(), name));
        let is_id = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let branch = RemoteBranch { remote, name: name.to_owned() };
        Target {
            revisions: vec![revision.to_owned(), format!("{}/{}", branch.remote, branch.name)],
            shown: revision.to_owned(),
            branch: (is_branch_name(name) && !is_id).then_some(branch),
        }
    }

    /// A branch that a CI service named: on the remote first, since the local one may be stale.
    fn on_remote(branch: &str) -> Target {
        let name = branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned();
        let revisions = vec![format!("{ORIGIN}/{name}"), name.clone()];
        let branch = RemoteBranch { remote: ORIGIN.to_owned(), name: name.clone() };
        Target { revisions, branch: is_branch_name(&name).then_some(branch), shown: name }
    }

    /// The target branch that the CI's variables name, else the default branch, as far as anything here tells it.
    ///
    /// # Errors
    /// When nothing does: the choices.
    pub fn by_default(repository: &SourceRepository) -> anyhow::Result<Target> {
        for variable in TARGET_BRANCHES {
            if let Some(branch) = environment::read(variable.name) {
                complaint::say(&format!("target branch `{branch}`, as {} says", variable.service));
                return Ok(Target::on_remote(&branch));
            }
        }
        if let Some(branch) = repository.remote_default_branch()? {
            return Ok(Target::on_remote(branch.strip_prefix("origin/").unwrap_or(&branch)));
        }
        if let Some(branch) = default_branch_of_event() {
            complaint::say(&format!("target branch `{branch}`, the default branch as GitHub Actions says"));
            return Ok(Target::on_remote(&branch));
        }
        let is_there =
            |branch: &&&str| repository.resolve(&format!("refs/remotes/{ORIGIN}/{branch}")).is_ok();
        if let [branch] = USUAL.iter().filter(is_there).collect::<Vec<_>>()[..] {
            complaint::say(&format!("target branch `{branch}`: the remote names no default branch"));
            return Ok(Target::on_remote(branch));
        }
        Err(Complaint::new(
            "there is no base to compare with: neither a CI variable nor the remote names one",
        )
        .help(
            "name it: `--against merge-base:main` (a branch), `--against HEAD~1` (a revision), `--against \
                 tag:v*`, `--against registry`, `--against FILE`, or `--against none` to lint only",
        )
        .into())
    }

    /// The commit at the end of the branch, and the revision that named it.
    pub fn resolve(&self, repository: &SourceRepository) -> Option<(String, ObjectId)> {
        self.revisions
            .iter()
            .find_map(|revision| Some((revision.clone(), repository.resolve(revision).ok()?)))
    }
}

/// The default branch in the file that describes what started a GitHub workflow: its checkout leaves no `origin/HEAD`.
fn default_branch_of_event() -> Option<String> {
    let path = environment::read(environment::GITHUB_EVENT_PATH)?;
    let event: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    event["repository"]["default_branch"].as_str().map(str::to_owned)
}

/// Fetches what a clone left out, or says how to.
pub struct Fetch {
    /// Whether `--fetch` was given.
    pub wanted: bool,
}

impl Fetch {
    /// Fetches a branch, with its whole history where the clone is shallow; of a revision that no remote knows by its
    /// name, the whole history. Opens the repository again: what an open one knows of its history stays.
    ///
    /// # Errors
    /// When that is not wanted: `why`, with the exact command. When nothing can be fetched, `why`; when Git fails, what
    /// it says.
    pub fn history(
        &self,
        repository: &mut Rc<SourceRepository>,
        branch: Option<&RemoteBranch>,
        why: String,
    ) -> anyhow::Result<()> {
        let remote = branch.map_or(ORIGIN, |branch| branch.remote.as_str());
        let is_shallow = repository.is_shallow();
        let is_known = repository.remotes().iter().any(|known| known == remote);
        if !is_known || !is_shallow && branch.is_none() {
            let local = branch.filter(|_| !is_known).and_then(|branch| branch.name.strip_prefix("origin/"));
            let help = match local {
                Some(name) => format!(
                    "there is no remote `origin` here: for the branch of this clone, write `merge-base:{name}`"
                ),
                None => "name a revision, a file or a folder that is here".to_owned(),
            };
            return Err(Complaint::new(why).help(help).into());
        }
        let mut arguments = vec!["fetch".to_owned(), "--no-tags".to_owned()];
        arguments.extend(is_shallow.then(|| "--unshallow".to_owned()));
        arguments.push(remote.to_owned());
        arguments.extend(
            branch.map(|RemoteBranch { remote, name }| format!("{name}:refs/remotes/{remote}/{name}")),
        );
        self.run(repository, &arguments, why)
    }

    /// Fetches the contents that a partial clone left out.
    ///
    /// # Errors
    /// As [`Fetch::history`].
    pub fn contents(
        &self,
        repository: &mut Rc<SourceRepository>,
        remote: &str,
        why: String,
    ) -> anyhow::Result<()> {
        let arguments = ["fetch", "--no-tags", "--refetch", "--no-filter", remote].map(str::to_owned);
        self.run(repository, &arguments, why)
    }

    fn run(
        &self,
        repository: &mut Rc<SourceRepository>,
        arguments: &[String],
        why: String,
    ) -> anyhow::Result<()> {
        let shown = arguments.iter().map(|argument| for_shell(argument)).collect::<Vec<_>>().join(" ");
        if !self.wanted {
            return Err(Complaint::new(why).help(format!("run `git {shown}`, or add `--fetch`")).into());
        }
        let folder = repository.workdir().unwrap_or_else(|| repository.git_dir()).to_owned();
        complaint::say(&format!("git {shown}"));
        git(&folder, arguments).map_err(|said| Complaint::new(format!("`git {shown}` failed: {said}")))?;
        *repository = Rc::new(SourceRepository::discover(&folder)?);
        Ok(())
    }
}

/// An argument as a shell takes it.
fn for_shell(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@+=".contains(&byte);
    if argument.bytes().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

fn git(folder: &Path, arguments: &[String]) -> Result<(), String> {
    let mut command = Command::new("git");
    // Nobody sits at a CI job to type a password.
    command.arg("-C").arg(folder).args(arguments).env("GIT_TERMINAL_PROMPT", "0");
    let output = command.output().map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().last().unwrap_or("it gave no reason").to_owned())
}
