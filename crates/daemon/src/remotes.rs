//! Remote sources: where their mirrors stand, what opens them, and that a host is asked one thing at a time.
//!
//! A fetch runs on a thread of its own and takes no place of a scan, so that a slow host slows nobody else. Secrets
//! are read from the environment for each fetch and go nowhere but into it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use git::{Credentials, FetchFailure, FetchLimits, Fetched, GitError, Mirror, Remote};
use registry::ProblemCode;
use registry::settings::{CredentialSettings, Limits, RemoteUrl, Scheme, SourceLocation, SourceSettings};

/// How long a host may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a remote source could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// The fetch itself failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A variable that credentials are read from is missing.
    #[error("the variable `{variable}` is not set: the credentials of this source are read from it")]
    Variable {
        /// The variable.
        variable: String,
    },
    /// The thread of the fetch ended without a word.
    #[error("the fetch broke off")]
    BrokeOff,
}

impl FetchError {
    /// The code of the problem that it makes.
    pub(crate) fn code(&self) -> ProblemCode {
        match self {
            FetchError::Git(GitError::Fetch { failure, .. }) if **failure == FetchFailure::ObjectFormat => {
                ProblemCode::UnsupportedRepository
            }
            FetchError::BrokeOff => ProblemCode::Internal,
            FetchError::Git(_) | FetchError::Variable { .. } => ProblemCode::Unreachable,
        }
    }

    /// The header `Retry-After` of a host that asks to be left alone.
    pub(crate) fn retry_after(&self) -> Option<&str> {
        match self {
            FetchError::Git(GitError::Fetch { failure, .. }) => match &**failure {
                FetchFailure::Busy { retry_after, .. } => retry_after.as_deref(),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What all remote sources share.
pub(crate) struct Remotes {
    base: PathBuf,
    mirrors: PathBuf,
    limits: Limits,
    cancelled: Arc<AtomicBool>,
    hosts: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// When the last good fetch of a mirror began, and with which credentials.
    fresh: Mutex<HashMap<PathBuf, (Instant, Option<CredentialSettings>)>>,
}

impl Remotes {
    /// Mirrors below the folder `state`; relative paths of the settings count from `base`.
    pub(crate) fn new(base: &Path, state: &Path, limits: Limits) -> Remotes {
        Remotes {
            base: base.to_owned(),
            mirrors: state.join("mirrors"),
            limits,
            cancelled: Arc::new(AtomicBool::new(false)),
            hosts: Mutex::default(),
            fresh: Mutex::default(),
        }
    }

    /// The folder in which a source is read: its own, or the mirror of its address.
    pub(crate) fn folder(&self, location: &SourceLocation) -> PathBuf {
        match location {
            SourceLocation::Path(path) => self.base.join(path),
            SourceLocation::Url(url) => match url.folder() {
                Some(folder) => PathBuf::from(folder),
                None => self.mirror(url).path().to_owned(),
            },
        }
    }

    /// Calls off every fetch that runs.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Fetches a source; nothing is to be done for one of this machine.
    pub(crate) async fn fetch(&self, source: &SourceSettings) -> Result<Option<Fetched>, FetchError> {
        let Some(url) = remote_url(source) else { return Ok(None) };
        let (mirror, asked) = (self.mirror(url), Instant::now());
        let host = self.host(url);
        let _turn = host.lock().await;
        if self.is_fresh(&mirror, asked, source) {
            return Ok(Some(Fetched::default()));
        }
        let (remote, began) = (self.remote(url, source)?, Instant::now());
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let (fetching, cancelled) = (mirror.clone(), self.cancelled.clone());
        let name = source.name.clone();
        let fetch = move || {
            let fetched = fetching.fetch(&remote, &cancelled);
            if fetched.as_ref().is_ok_and(|fetched| fetched.moved) {
                maintain(&fetching, &name);
            }
            // Nobody listens any more when the daemon stops.
            let _ = sender.send(fetched);
        };
        std::thread::Builder::new()
            .name("fetch".to_owned())
            .spawn(fetch)
            .map_err(|_| FetchError::BrokeOff)?;
        let fetched = receiver.await.map_err(|_| FetchError::BrokeOff)??;
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        fresh.insert(mirror.path().to_owned(), (began, source.credentials.clone()));
        Ok(Some(fetched))
    }

    /// Deletes the mirror of a source, so that the next fetch begins anew.
    pub(crate) fn begin_anew(&self, source: &SourceSettings) {
        let Some(url) = remote_url(source) else { return };
        let mirror = self.mirror(url);
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner).remove(mirror.path());
        if let Err(error) = mirror.delete() {
            let error = store::with_causes(&error);
            tracing::error!(source.name = %source.name, %error, "a damaged mirror cannot be deleted");
        }
    }

    /// Sources with one address share one mirror.
    fn mirror(&self, url: &RemoteUrl) -> Mirror {
        let digest = pack::Digest::of(url.as_str().as_bytes()).hex();
        let host = url.host().replace(':', "-");
        Mirror::at(self.mirrors.join(format!("{host}-{}.git", &digest[..16])))
    }

    fn host(&self, url: &RemoteUrl) -> Arc<tokio::sync::Mutex<()>> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.entry(url.host().to_owned()).or_default().clone()
    }

    /// Whether another source of the same address was fetched after this one asked.
    fn is_fresh(&self, mirror: &Mirror, asked: Instant, source: &SourceSettings) -> bool {
        let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        fresh
            .get(mirror.path())
            .is_some_and(|(began, credentials)| *began >= asked && *credentials == source.credentials)
    }

    fn remote(&self, url: &RemoteUrl, source: &SourceSettings) -> Result<Remote, FetchError> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let own = home.map(|home| home.join(".ssh").join("known_hosts"));
        let everybody = PathBuf::from("/etc/ssh/ssh_known_hosts");
        Ok(Remote {
            url: url.as_str().to_owned(),
            port: url.port(),
            credentials: self.credentials(url, source.credentials.as_ref())?,
            known_hosts: own.into_iter().chain([everybody]).collect(),
            authorities: std::env::var_os("SSL_CERT_FILE").map(PathBuf::from),
            limits: FetchLimits {
                bytes: self.limits.fetch_bytes,
                refs: self.limits.refs,
                patience: PATIENCE,
            },
        })
    }

    fn credentials(
        &self,
        url: &RemoteUrl,
        settings: Option<&CredentialSettings>,
    ) -> Result<Credentials, FetchError> {
        Ok(match settings {
            None => Credentials::None,
            Some(CredentialSettings::Token { token_env }) => {
                Credentials::Password { username: token_user(url).to_owned(), password: secret(token_env)? }
            }
            Some(CredentialSettings::Password { username_env, password_env }) => {
                Credentials::Password { username: secret(username_env)?, password: secret(password_env)? }
            }
            Some(CredentialSettings::SshKey { ssh_key }) => Credentials::SshKey(self.base.join(ssh_key)),
        })
    }
}

/// Keeps a mirror quick. One that grows slow is told of, and read all the same.
fn maintain(mirror: &Mirror, source: &str) {
    if let Err(error) = mirror.maintain() {
        let error = store::with_causes(&error);
        tracing::warn!(source.name = source, %error, "the packs of the mirror are not merged");
    }
}

/// The address of a source that has to be fetched.
pub(crate) fn remote_url(source: &SourceSettings) -> Option<&RemoteUrl> {
    match &source.location {
        SourceLocation::Url(url) if url.scheme() != Scheme::File => Some(url),
        SourceLocation::Url(_) | SourceLocation::Path(_) => None,
    }
}

/// The name that goes with a token. Hosts take any name but Bitbucket, which knows one.
fn token_user(url: &RemoteUrl) -> &'static str {
    if url.host() == "bitbucket.org" { "x-token-auth" } else { "x-access-token" }
}

fn secret(variable: &str) -> Result<String, FetchError> {
    let value = std::env::var(variable).ok().map(|value| value.trim().to_owned());
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| FetchError::Variable { variable: variable.to_owned() })
}

#[cfg(test)]
mod tests {
    use registry::settings::RegistrySettings;

    use super::*;

    #[test]
    fn one_address_has_one_mirror_and_files_are_read_in_place() {
        let settings = RegistrySettings::parse(
            "[[source]]\nname = \"a\"\nurl = \"https://git.example.org/a.git\"\n\
             [[source]]\nname = \"b\"\nurl = \"https://git.example.org/a.git\"\n\
             [[source]]\nname = \"c\"\nurl = \"https://git.example.org/c.git\"\n\
             [[source]]\nname = \"d\"\nurl = \"file:///srv/git/d.git\"\n\
             [[source]]\nname = \"e\"\npath = \"e.git\"\n",
        )
        .expect("a configuration");
        let remotes = Remotes::new(Path::new("/etc/packhouse"), Path::new("/state"), settings.limits);
        let folders: Vec<PathBuf> =
            settings.sources.iter().map(|source| remotes.folder(&source.location)).collect();
        assert_eq!(folders[0], folders[1]);
        assert_ne!(folders[0], folders[2]);
        assert!(folders[0].starts_with("/state/mirrors"), "{}", folders[0].display());
        assert_eq!(folders[3], Path::new("/srv/git/d.git"));
        assert_eq!(folders[4], Path::new("/etc/packhouse/e.git"));
    }

    #[test]
    fn a_missing_variable_is_named() {
        let text = "[[source]]\nname = \"a\"\nurl = \"https://git.example.org/a.git\"\n\
                    credentials = { token_env = \"PACKHOUSE_TEST_NO_SUCH_TOKEN\" }\n";
        let settings = RegistrySettings::parse(text).expect("a configuration");
        let remotes = Remotes::new(Path::new("/etc"), Path::new("/state"), settings.limits);
        let source = &settings.sources[0];
        let error = remotes.remote(remote_url(source).expect("a url"), source).expect_err("no variable");
        assert!(error.to_string().contains("`PACKHOUSE_TEST_NO_SUCH_TOKEN` is not set"), "{error}");
        assert_eq!(error.code(), ProblemCode::Unreachable);
    }
}
