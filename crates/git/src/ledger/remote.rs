//! Replicates the ledger through the installed `git`, whose transports know every host, proxy and credential helper.
//!
//! Nothing here moves the ledger's branch. A push names the commit that the remote has to stand at: that is the
//! compare-and-swap between writers.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{BRANCH, Ledger};
use crate::{GitError, ObjectId, objects};

/// Where the remote's branch is fetched to.
const FETCHED: &str = "refs/packhouse/fetched";
/// Where the remote stood when it and the ledger last agreed.
const AGREED: &str = "refs/packhouse/remote";
/// How long one transfer may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often a running `git` is asked whether it is done.
const PULSE: Duration = Duration::from_millis(2);
/// Variables that would point `git` at another repository.
const OTHER_REPOSITORY: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

/// What a push came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The remote stands at the commit.
    Done,
    /// The remote stood elsewhere and took nothing.
    Rejected,
}

impl Ledger {
    /// Brings the remote's commits here and tells where its branch stands; none when it has no such branch.
    ///
    /// # Errors
    /// [`GitError::Remote`] when the remote does not answer, [`GitError::NoGitBinary`], [`GitError::Io`].
    pub fn fetch(&self, remote: &str) -> Result<Option<ObjectId>, GitError> {
        let listed = self.git(remote, "ask", |git| git.args(["ls-remote", remote, BRANCH]))?;
        let head = listed.text.split_whitespace().next().and_then(|id| id.parse::<ObjectId>().ok());
        let Some(head) = head else { return Ok(None) };
        if self.reading(|repository| objects::commit(repository, head).map(|_| ())).is_ok() {
            return Ok(Some(head));
        }
        let refspec = format!("+{BRANCH}:{FETCHED}");
        let options = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
        self.git(remote, "fetch from", |git| git.args(options).args([remote, &refspec]))?;
        self.reopen()?;
        self.reference(FETCHED)
    }

    /// Pushes `commit` to the remote, whose branch has to stand at `expected`, or not to exist.
    ///
    /// # Errors
    /// [`GitError::Remote`] when the remote does not answer or takes nothing from us, [`GitError::NoGitBinary`],
    /// [`GitError::Io`].
    pub fn push(
        &self,
        remote: &str,
        expected: Option<ObjectId>,
        commit: ObjectId,
    ) -> Result<Pushed, GitError> {
        self.refuse_reader()?;
        let expected = expected.map(|id| id.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease={BRANCH}:{expected}");
        let refspec = format!("{commit}:{BRANCH}");
        let options = ["push", "--porcelain", "--no-verify", "--no-signed"];
        let pushed =
            self.run(remote, "push to", |git| git.args(options).args([lease.as_str(), remote, &refspec]))?;
        match pushed.status.success() {
            true => Ok(Pushed::Done),
            false if pushed.is_overtaken() => Ok(Pushed::Rejected),
            false => Err(self.refused(remote, "push to", &pushed)),
        }
    }

    /// Remembers that the remote and the ledger agree on a commit.
    ///
    /// # Errors
    /// [`GitError::ReadOnly`] or [`GitError::Reference`].
    pub fn agree(&mut self, commit: ObjectId) -> Result<(), GitError> {
        self.refuse_reader()?;
        let repository = self.repository.borrow();
        let written = repository.reference(AGREED, commit.oid(), true, "");
        written.map(|_| ()).map_err(|source| GitError::reference("move", AGREED, source))
    }

    /// Tells on which commit the remote and the ledger agreed last; none before they first did.
    ///
    /// # Errors
    /// [`GitError::Reference`].
    pub fn agreed(&self) -> Result<Option<ObjectId>, GitError> {
        self.reference(AGREED)
    }

    /// Whether the history of `new` contains `old`.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn contains(&self, new: ObjectId, old: ObjectId) -> Result<bool, GitError> {
        self.reading(|repository| {
            let descends = repository.graph_descendant_of(new.oid(), old.oid());
            descends.map_err(|source| GitError::object("commit", new.oid(), source))
        })
        .map(|descends| descends || new == old)
    }

    fn git(
        &self,
        remote: &str,
        operation: &'static str,
        arguments: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Output, GitError> {
        let output = self.run(remote, operation, arguments)?;
        if output.status.success() { Ok(output) } else { Err(self.refused(remote, operation, &output)) }
    }

    fn run(
        &self,
        remote: &str,
        operation: &'static str,
        arguments: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<Output, GitError> {
        let mut command = command(OsStr::new("git"), &self.path);
        arguments(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |source| GitError::Io { operation: "run git in", path: self.path.clone(), source };
        let child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitError::NoGitBinary,
            _ => failed(error),
        })?;
        match finish(child).map_err(failed)? {
            Some(output) => Ok(output),
            None => {
                let output = format!("it took longer than {} seconds", PATIENCE.as_secs());
                Err(GitError::Remote { operation, remote: without_credentials(remote), output })
            }
        }
    }

    fn refused(&self, remote: &str, operation: &'static str, output: &Output) -> GitError {
        let lines = || output.errors.lines().chain(output.text.lines());
        let telling = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
        let line = lines().find(telling).or_else(|| lines().next()).unwrap_or("git does not say why");
        let output = line.replace(remote, &without_credentials(remote));
        GitError::Remote { operation, remote: without_credentials(remote), output }
    }
}

/// A remote as messages may show it: without the name and password that its URL may carry.
pub fn without_credentials(remote: &str) -> String {
    let Some((scheme, rest)) = remote.split_once("://") else { return remote.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
}

/// Configuration and credential helpers of the user count, as the transports need them; hooks do not, and nobody is
/// asked for a password.
fn command(git: &OsStr, path: &std::path::Path) -> Command {
    let mut command = Command::new(git);
    for variable in OTHER_REPOSITORY {
        command.env_remove(variable);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    if std::env::var_os("GIT_SSH_COMMAND").is_none() {
        command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15");
    }
    command.arg("--git-dir").arg(path);
    for setting in [
        "safe.directory=*",
        "core.hooksPath=/dev/null",
        "fetch.unpackLimit=1",
        "http.lowSpeedLimit=1",
        "http.lowSpeedTime=30",
    ] {
        command.args(["-c", setting]);
    }
    command
}

/// What a run of `git` gave.
struct Output {
    status: ExitStatus,
    text: String,
    errors: String,
}

impl Output {
    /// Whether the remote stood elsewhere than expected, or somebody else was moving its branch at the same time.
    fn is_overtaken(&self) -> bool {
        let refused = self.text.lines().find(|line| line.starts_with('!')).unwrap_or_default();
        let overtaken =
            ["stale info", "fetch first", "non-fast-forward", "failed to update ref", "cannot lock ref"];
        overtaken.iter().any(|reason| refused.contains(reason))
    }
}

/// Waits for a process and reads what it prints; none when it takes too long, and then it is ended.
fn finish(mut child: Child) -> io::Result<Option<Output>> {
    let text = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PULSE);
    };
    let said = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    Ok(Some(Output { status, text: said(text), errors: said(errors) }))
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was printed before a pipe broke is all that there is.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
