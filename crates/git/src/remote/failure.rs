//! Why a remote repository could not be fetched, and what to do about it.

/// Why a fetch failed. Every text is the same each time, so that one failure is told once.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFailure {
    /// The host wants credentials and none are configured.
    #[error("the host asks for credentials: name them with `credentials`")]
    CredentialsNeeded,
    /// The host does not take the credentials.
    #[error("the host refuses the credentials: they are wrong, have expired or may not read this repository")]
    CredentialsRefused,
    /// The file of the key is not there.
    #[error("the key file `{path}` cannot be read")]
    KeyFile {
        /// The file.
        path: String,
    },
    /// The host does not show such a repository.
    #[error("the host knows no such repository, or does not show it with these credentials")]
    NotFound,
    /// The host asks to come back later.
    #[error("the host asks to come back later (status {status})")]
    Busy {
        /// The status of the answer.
        status: u16,
        /// The header `Retry-After` as it was sent: seconds or a date.
        retry_after: Option<String>,
    },
    /// The host points to another place.
    #[error(
        "the host sends us to {origin}, which is not followed: write that address if it is the right one"
    )]
    Redirected {
        /// Scheme and host of the other place.
        origin: String,
    },
    /// What answers is no Git server.
    #[error("what answers there is no Git repository: check the path of the address")]
    NotGit,
    /// The host answered with a failure of its own.
    #[error("the host answers with status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// The host is silent.
    #[error("nothing came from the host for {seconds} s")]
    Stalled {
        /// How long was waited.
        seconds: u64,
    },
    /// No machine has that name.
    #[error(
        "the name of the host is not known here: check the address, and the name service of this machine"
    )]
    UnknownName,
    /// The machine is there, and nothing listens.
    #[error("the host refuses the connection: check the port of the address, and whether the server runs")]
    Refused,
    /// The host does not prove who it is.
    #[error(
        "the certificate of the host is not trusted ({reason}): the authorities that count are those of this machine, or \
         of the file that `SSL_CERT_FILE` names"
    )]
    Untrusted {
        /// What is wrong with it.
        reason: String,
    },
    /// No connection came about in time.
    #[error("no connection came about within {seconds} s")]
    ConnectTimeout {
        /// How long was waited.
        seconds: u64,
    },
    /// The fetch brings more than it may.
    #[error("the fetch brings more than {limit} bytes: raise `fetch_bytes` in `[limits]` if that is right")]
    TooLarge {
        /// How many it may bring.
        limit: u64,
    },
    /// No file of known hosts has the host.
    #[error(
        "the {kind} key {fingerprint} of {host} stands in no file of known hosts: compare it with the host's own word \
         and add it with `ssh-keyscan`"
    )]
    UnknownHost {
        /// The host, with a port that is not the usual one.
        host: String,
        /// The kind of the key.
        kind: String,
        /// The SHA-256 fingerprint as OpenSSH writes it.
        fingerprint: String,
    },
    /// The host shows another key than it is known by, or a revoked one.
    #[error(
        "{host} shows the {kind} key {fingerprint}, which is not the one that it is known by: somebody may stand in \
         between; ask the host before you change the file of known hosts"
    )]
    ChangedHostKey {
        /// The host, with a port that is not the usual one.
        host: String,
        /// The kind of the key.
        kind: String,
        /// The SHA-256 fingerprint as OpenSSH writes it.
        fingerprint: String,
    },
    /// The repository's objects have another format.
    #[error("the repository uses SHA-256 objects, which cannot be read here")]
    ObjectFormat,
    /// The daemon stops.
    #[error("the fetch was called off")]
    Cancelled,
    /// Another failure.
    #[error("{message}")]
    Other {
        /// What the library says.
        message: String,
    },
}

impl FetchFailure {
    /// Reads what libgit2 says where nothing better is known.
    pub(super) fn of_git(error: &git2::Error) -> FetchFailure {
        let message = error.message();
        if error.class() == git2::ErrorClass::Ssh && error.code() == git2::ErrorCode::Auth {
            return FetchFailure::CredentialsRefused;
        }
        if message.contains("object format") {
            return FetchFailure::ObjectFormat;
        }
        if message.contains("timed out") || message.contains("timeout") {
            return FetchFailure::Stalled { seconds: crate::setup::SERVER_PATIENCE.as_secs() };
        }
        if message.contains("failed to resolve address") {
            return FetchFailure::UnknownName;
        }
        if message.contains("failed to connect") && message.ends_with("Connection refused") {
            return FetchFailure::Refused;
        }
        if error.code() == git2::ErrorCode::NotFound || NOT_FOUND.iter().any(|text| message.contains(text)) {
            return FetchFailure::NotFound;
        }
        FetchFailure::Other { message: one_line(message) }
    }
}

/// What Git servers and hosts say of a repository that is not there, or not for us, over protocols without statuses.
const NOT_FOUND: [&str; 4] = [
    "does not appear to be a git repository",
    "repository not exported",
    "Repository not found",
    "project you were looking for could not be found",
];

/// The beginning of what a host says, so that it cannot write lines of its own into logs.
fn one_line(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_SHOWN).collect();
    shown.trim().to_owned()
}

/// How many characters of that are shown.
const MOST_SHOWN: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: FetchFailure) {
        assert_eq!(FetchFailure::of_git(&git2::Error::from_str(message)), expected, "{message}");
    }

    #[test]
    fn what_hosts_say_has_a_name_where_it_can() {
        check("ERROR: Repository not found.", FetchFailure::NotFound);
        check("remote error: access denied or repository not exported: /p.git", FetchFailure::NotFound);
        check("fatal: '/p.git' does not appear to be a git repository\n", FetchFailure::NotFound);
        check("failed to connect to host: Connection refused", FetchFailure::Refused);
        check("failed to resolve address for host: Name or service not known", FetchFailure::UnknownName);
    }

    #[test]
    fn what_a_host_says_stays_one_short_line() {
        let said = "gone\n2026-01-01 ERROR\u{1b}[31m forged\r\n";
        check(said, FetchFailure::Other { message: "gone 2026-01-01 ERROR [31m forged".to_owned() });
        check(&"é".repeat(1000), FetchFailure::Other { message: "é".repeat(MOST_SHOWN) });
    }
}
