//! Remote repositories: fetched into a mirror on this machine, which is then read like any other source.
//!
//! libgit2 speaks Git; `https://` and `http://` go through an HTTP client of the workspace (`http`), which knows
//! proxies, time limits and `Retry-After`. Nothing here is retried: that is up to whoever asked.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

mod callbacks;
mod failure;
pub(crate) mod http;
mod known_hosts;
mod mirror;
mod refs;

pub use failure::FetchFailure;
pub use http::authorities;
pub use mirror::{Fetched, Mirror};

/// A remote repository and everything that a fetch of it needs.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its address, which holds no secret: it stands in messages.
    pub url: String,
    /// The port that the address names.
    pub port: Option<u16>,
    /// What opens it.
    pub credentials: Credentials,
    /// The files that say which keys SSH hosts have; those that do not exist are passed over.
    pub known_hosts: Vec<PathBuf>,
    /// The file of the certificate authorities to trust; where there is none, those of the machine.
    pub authorities: Option<PathBuf>,
    /// How much a fetch may cost.
    pub limits: FetchLimits,
}

/// What opens a remote repository.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Credentials {
    /// Nothing is needed.
    #[default]
    None,
    /// A name and a password, for HTTP.
    Password {
        /// The name.
        username: String,
        /// The password or token.
        password: String,
    },
    /// The file of a private key without a passphrase, for SSH.
    SshKey(PathBuf),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Credentials::None => "None",
            Credentials::Password { .. } => "Password",
            Credentials::SshKey(_) => "SshKey",
        })
    }
}

/// How much a fetch may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// How many bytes it may receive.
    pub bytes: u64,
    /// How many branches and tags the repository may have.
    pub refs: usize,
    /// How long connecting may take, and how long nothing may come. SSH has a fixed limit of a minute.
    pub patience: Duration,
}

/// One fetch under way: what its parts share.
#[derive(Debug)]
struct Session {
    remote: Remote,
    cancelled: Arc<AtomicBool>,
    /// What went wrong first. libgit2 carries texts only.
    failure: Mutex<Option<FetchFailure>>,
}

impl Session {
    fn new(remote: &Remote, cancelled: &Arc<AtomicBool>) -> Session {
        Session { remote: remote.clone(), cancelled: cancelled.clone(), failure: Mutex::new(None) }
    }

    /// Remembers what went wrong and gives libgit2 its text.
    fn fail(&self, failure: FetchFailure) -> git2::Error {
        let text = failure.to_string();
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        git2::Error::new(git2::ErrorCode::User, git2::ErrorClass::Net, text)
    }

    /// What went wrong: what was remembered, or else what libgit2 says.
    fn failure(&self, error: &git2::Error) -> FetchFailure {
        let remembered = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        remembered.unwrap_or_else(|| FetchFailure::of_git(error))
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether the fetch may go on after that many bytes.
    fn may_go_on(&self, received: u64) -> bool {
        let limit = self.remote.limits.bytes;
        if self.is_cancelled() {
            self.fail(FetchFailure::Cancelled);
        } else if received > limit {
            self.fail(FetchFailure::TooLarge { limit });
        } else {
            return true;
        }
        false
    }
}
