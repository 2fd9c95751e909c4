//! What libgit2 asks during a fetch: credentials, the key of the host, whether to go on.

use std::sync::Arc;

use git2::cert::Cert;
use git2::{CertificateCheckStatus, Cred, CredentialType, RemoteCallbacks};

use super::known_hosts::{Key, KnownHosts, Verdict, fingerprint};
use super::{Credentials, FetchFailure, Session};

/// The user of an SSH address that names none.
const SSH_USER: &str = "git";

/// The answers for one fetch.
pub(super) fn callbacks(session: &Arc<Session>) -> RemoteCallbacks<'static> {
    let mut callbacks = RemoteCallbacks::new();
    let shared = session.clone();
    let mut asked = false;
    callbacks.credentials(move |_, user, allowed| {
        let user = user.unwrap_or(SSH_USER);
        if allowed.contains(CredentialType::USERNAME) {
            return Cred::username(user);
        }
        // Asked once more means that the answer before was refused; the same answer would be asked for for ever.
        if std::mem::replace(&mut asked, true) {
            return Err(shared.fail(FetchFailure::CredentialsRefused));
        }
        credentials(&shared, user)
    });
    let shared = session.clone();
    callbacks.certificate_check(move |certificate, host| check_host(&shared, certificate, host));
    let shared = session.clone();
    callbacks.transfer_progress(move |progress| {
        shared.may_go_on(u64::try_from(progress.received_bytes()).unwrap_or(u64::MAX))
    });
    let shared = session.clone();
    callbacks.sideband_progress(move |_| shared.may_go_on(0));
    callbacks
}

fn credentials(session: &Session, user: &str) -> Result<Cred, git2::Error> {
    match &session.remote.credentials {
        Credentials::SshKey(path) if path.is_file() => Cred::ssh_key(user, None, path, None),
        Credentials::SshKey(path) => {
            Err(session.fail(FetchFailure::KeyFile { path: path.display().to_string() }))
        }
        Credentials::Password { .. } | Credentials::None => {
            Err(session.fail(FetchFailure::CredentialsNeeded))
        }
    }
}

/// Compares the key that a host shows with the files of known hosts. Whatever is not known is refused.
fn check_host(
    session: &Session,
    certificate: &Cert<'_>,
    host: &str,
) -> Result<CertificateCheckStatus, git2::Error> {
    let Some(shown) = certificate.as_hostkey().and_then(|key| key.hostkey()).and_then(Key::read) else {
        return Ok(CertificateCheckStatus::CertificatePassthrough);
    };
    let known = KnownHosts::read(&session.remote.known_hosts);
    let place = match session.remote.port {
        None | Some(22) => host.to_owned(),
        Some(port) => format!("[{host}]:{port}"),
    };
    let (kind, fingerprint) = (shown.kind.to_owned(), fingerprint(certificate));
    match known.judge(&place, &shown) {
        Verdict::Known => Ok(CertificateCheckStatus::CertificateOk),
        Verdict::Unknown => Err(session.fail(FetchFailure::UnknownHost { host: place, kind, fingerprint })),
        Verdict::Other => Err(session.fail(FetchFailure::ChangedHostKey { host: place, kind, fingerprint })),
    }
}
