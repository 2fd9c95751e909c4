//! Git's smart protocol over HTTP, spoken through an HTTP client instead of libgit2's own.
//!
//! That brings proxies from the environment, a limit on silence, `Retry-After`, and credentials that never go to
//! another host: a redirect is followed within one origin only, and before anything but the address was sent.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream, Transport};
use ureq::http::{HeaderMap, Response, header};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Timeout};

use super::{Credentials, FetchFailure, Session};

/// How many redirects are followed.
const REDIRECTS: usize = 5;
/// The list of refs may be that long: hosts show more refs than branches and tags.
const LIST_BYTES: u64 = 64 << 20;
/// No answer takes longer than that, however steadily it trickles.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// What hosts that look for a Git client are told.
const USER_AGENT: &str = concat!("git/2.0 (packhouse ", env!("CARGO_PKG_VERSION"), ")");
/// Where machines keep the certificate authorities that they trust.
const AUTHORITIES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

thread_local! {
    /// The fetch that runs on this thread: libgit2 makes transports by scheme and hands nothing through.
    static CURRENT: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

/// Lets transports that are made on this thread belong to `session` while `work` runs.
pub(super) fn during<T>(session: &Arc<Session>, work: impl FnOnce() -> T) -> T {
    CURRENT.set(Some(session.clone()));
    let result = work();
    CURRENT.set(None);
    result
}

/// Makes the transport for the fetch that runs on this thread.
pub(crate) fn transport(remote: &git2::Remote<'_>) -> Result<Transport, git2::Error> {
    let session = CURRENT.with_borrow(Clone::clone);
    let session = session.ok_or_else(|| git2::Error::from_str("HTTP is spoken by mirrors only"))?;
    Transport::smart(remote, true, Http(Arc::new(Connection::new(session))))
}

struct Http(Arc<Connection>);

impl SmartSubtransport for Http {
    fn action(&self, _: &str, service: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        match service {
            Service::UploadPackLs => match self.0.list() {
                Ok(answer) => Ok(Box::new(answer)),
                Err(failure) => Err(self.0.session.fail(failure)),
            },
            Service::UploadPack => {
                Ok(Box::new(Exchange { connection: self.0.clone(), request: Vec::new(), answer: None }))
            }
            Service::ReceivePackLs | Service::ReceivePack => {
                Err(git2::Error::from_str("sources are never pushed to"))
            }
        }
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

/// What the requests of one fetch share.
struct Connection {
    session: Arc<Session>,
    agent: Agent,
    /// The address of the repository, after redirects.
    base: Mutex<String>,
}

impl Connection {
    fn new(session: Arc<Session>) -> Connection {
        let patience = Some(session.remote.limits.patience);
        let tls = TlsConfig::builder().root_certs(authorities(session.remote.authorities.as_deref())).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(USER_AGENT)
            .timeout_resolve(patience)
            .timeout_connect(patience)
            .timeout_per_read(patience)
            .timeout_per_write(patience)
            .timeout_global(Some(LONGEST));
        let base = session.remote.url.trim_end_matches('/').to_owned();
        // Plain HTTP is spoken with this machine alone, which a proxy would look for at its own place.
        let config = if base.starts_with("http://") { config.proxy(None) } else { config };
        Connection { agent: config.build().new_agent(), session, base: Mutex::new(base) }
    }

    /// Asks for the list of refs.
    fn list(&self) -> Result<Answer, FetchFailure> {
        for _ in 0..=REDIRECTS {
            let url = format!("{}{LIST}", self.base());
            let mut request = self.agent.get(&url);
            if let Some(authorization) = self.authorization() {
                request = request.header(header::AUTHORIZATION, authorization);
            }
            let response = request.call().map_err(|error| self.failure(error))?;
            if response.status().is_redirection() {
                let base = redirected(&self.base(), response.headers())?;
                *self.base.lock().unwrap_or_else(PoisonError::into_inner) = base;
                continue;
            }
            return self.answer(response, "application/x-git-upload-pack-advertisement", LIST_BYTES);
        }
        Err(FetchFailure::NotGit)
    }

    /// Sends what is wanted and had.
    fn exchange(&self, request: &[u8]) -> Result<Answer, FetchFailure> {
        let mut post = self.agent.post(format!("{}/git-upload-pack", self.base()));
        post = post.header(header::CONTENT_TYPE, "application/x-git-upload-pack-request");
        post = post.header(header::ACCEPT, "application/x-git-upload-pack-result");
        if let Some(authorization) = self.authorization() {
            post = post.header(header::AUTHORIZATION, authorization);
        }
        let response = post.send(request).map_err(|error| self.failure(error))?;
        // The objects are counted as libgit2 takes them in; this also counts what is said beside them.
        let limit = self.session.remote.limits.bytes.saturating_add(LIST_BYTES);
        self.answer(response, "application/x-git-upload-pack-result", limit)
    }

    fn base(&self) -> String {
        self.base.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn authorization(&self) -> Option<String> {
        match &self.session.remote.credentials {
            Credentials::Password { username, password } => {
                Some(format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
            }
            Credentials::None | Credentials::SshKey(_) => None,
        }
    }

    fn answer(&self, response: Response<Body>, media_type: &str, limit: u64) -> Result<Answer, FetchFailure> {
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = text(header::RETRY_AFTER).map(str::to_owned);
        let has_credentials = self.session.remote.credentials != Credentials::None;
        match response.status().as_u16() {
            200 if text(header::CONTENT_TYPE).is_some_and(|found| found.starts_with(media_type)) => {}
            200..=399 => return Err(FetchFailure::NotGit),
            status @ (429 | 503) => return Err(FetchFailure::Busy { status, retry_after }),
            status @ 403 if retry_after.is_some() => return Err(FetchFailure::Busy { status, retry_after }),
            401 | 403 if has_credentials => return Err(FetchFailure::CredentialsRefused),
            401 => return Err(FetchFailure::CredentialsNeeded),
            404 | 410 => return Err(FetchFailure::NotFound),
            status => return Err(FetchFailure::Status { status }),
        }
        let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Answer { session: self.session.clone(), reader: Box::new(reader), left: limit })
    }

    fn failure(&self, error: ureq::Error) -> FetchFailure {
        failure(&self.session, error)
    }
}

const LIST: &str = "/info/refs?service=git-upload-pack";

/// The repository's address after a redirect of its list of refs.
fn redirected(base: &str, headers: &HeaderMap) -> Result<String, FetchFailure> {
    let location = headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let origin = origin(base);
    let target = match location.strip_prefix('/') {
        Some(path) if !path.starts_with('/') => format!("{origin}{location}"),
        _ => location.to_owned(),
    };
    match target.strip_prefix(origin) {
        Some(path) if path.starts_with('/') => {
            target.strip_suffix(LIST).map(str::to_owned).ok_or(FetchFailure::NotGit)
        }
        _ if target.contains("://") => Err(FetchFailure::Redirected { origin: shown_origin(&target) }),
        _ => Err(FetchFailure::NotGit),
    }
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    &url[..end]
}

/// The origin without anything that could be a secret.
fn shown_origin(url: &str) -> String {
    let origin = origin(url);
    match (origin.split_once("://"), origin.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => origin.to_owned(),
    }
}

/// The certificate authorities of a file, of the machine, or of the program where the machine has none.
pub fn authorities(file: Option<&Path>) -> RootCerts {
    let files = file.into_iter().chain(AUTHORITIES.iter().map(Path::new));
    let bytes = files.filter_map(|file| std::fs::read(file).ok()).next();
    let certificates: Vec<_> = bytes
        .iter()
        .flat_map(|bytes| parse_pem(bytes))
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() { RootCerts::WebPki } else { RootCerts::new_with_certs(&certificates) }
}

fn failure(session: &Session, error: ureq::Error) -> FetchFailure {
    let seconds = session.remote.limits.patience.as_secs();
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => FetchFailure::ConnectTimeout { seconds },
        ureq::Error::Timeout(Timeout::Global) => FetchFailure::Stalled { seconds: LONGEST.as_secs() },
        ureq::Error::Timeout(_) => FetchFailure::Stalled { seconds },
        ureq::Error::HostNotFound => FetchFailure::UnknownName,
        ureq::Error::Io(error) => broken(&error),
        error => FetchFailure::Other { message: error.to_string() },
    }
}

/// Names what breaks a connection. Neither the system's resolver nor the TLS library has a kind for it.
fn broken(error: &io::Error) -> FetchFailure {
    let message = error.to_string();
    if error.kind() == io::ErrorKind::ConnectionRefused {
        return FetchFailure::Refused;
    }
    if message.starts_with("failed to lookup address information") {
        return FetchFailure::UnknownName;
    }
    match message.strip_prefix("invalid peer certificate: ") {
        Some(reason) => FetchFailure::Untrusted { reason: reason.to_owned() },
        None => FetchFailure::Other { message },
    }
}

/// The body of an answer, as libgit2 reads it.
struct Answer {
    session: Arc<Session>,
    reader: Box<dyn Read + Send>,
    left: u64,
}

impl Answer {
    fn fail(&self, failure: FetchFailure) -> io::Error {
        io::Error::other(self.session.fail(failure).message().to_owned())
    }
}

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.session.is_cancelled() {
            return Err(self.fail(FetchFailure::Cancelled));
        }
        let count = match self.reader.read(buffer) {
            Ok(count) => count,
            Err(error) => return Err(self.fail(failure(&self.session, error.into()))),
        };
        match self.left.checked_sub(u64::try_from(count).unwrap_or(u64::MAX)) {
            Some(left) => self.left = left,
            None => return Err(self.fail(FetchFailure::TooLarge { limit: self.session.remote.limits.bytes })),
        }
        Ok(count)
    }
}

impl Write for Answer {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One round of wanting and having: it is sent when libgit2 begins to read.
struct Exchange {
    connection: Arc<Connection>,
    request: Vec<u8>,
    answer: Option<Answer>,
}

impl Read for Exchange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.answer.is_none() {
            let request = std::mem::take(&mut self.request);
            let answer = self.connection.exchange(&request);
            let session = &self.connection.session;
            self.answer =
                Some(answer.map_err(|failure| io::Error::other(session.fail(failure).message().to_owned()))?);
        }
        self.answer.as_mut().map_or(Ok(0), |answer| answer.read(buffer))
    }
}

impl Write for Exchange {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.request.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(location: &str, expected: Result<&str, FetchFailure>) {
        let headers = HeaderMap::from_iter([(header::LOCATION, location.parse().unwrap())]);
        assert_eq!(
            redirected("https://host:8443/old.git", &headers),
            expected.map(str::to_owned),
            "{location}"
        );
    }

    #[test]
    fn what_breaks_a_connection_has_a_name() {
        let broken = |message: &str| broken(&io::Error::other(message));
        let unknown = broken("failed to lookup address information: Name or service not known");
        assert_eq!(unknown, FetchFailure::UnknownName);
        let untrusted = FetchFailure::Untrusted { reason: "UnknownIssuer".to_owned() };
        assert_eq!(broken("invalid peer certificate: UnknownIssuer"), untrusted);
    }

    #[test]
    fn a_redirect_is_followed_within_one_origin() {
        let list = |base: &str| format!("{base}{LIST}");
        check(&list("https://host:8443/new.git"), Ok("https://host:8443/new.git"));
        check(&list("/team/new.git"), Ok("https://host:8443/team/new.git"));
        let elsewhere = |origin: &str| Err(FetchFailure::Redirected { origin: origin.to_owned() });
        check(&list("https://other/new.git"), elsewhere("https://other"));
        check(&list("http://host:8443/new.git"), elsewhere("http://host:8443"));
        check(&list("https://host:84430/new.git"), elsewhere("https://host:84430"));
        check(&list("https://ada:hunter2@other/new.git"), elsewhere("https://other"));
        check("https://host:8443/login", Err(FetchFailure::NotGit));
        check("//other/new.git", Err(FetchFailure::NotGit));
        check("", Err(FetchFailure::NotGit));
    }
}
