//! Everything that can go wrong between a program and its registry.

use std::io;
use std::path::PathBuf;

use registry::Digest;

/// Why a registry, the lock file or the cache did not give what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address of the registry cannot be used.
    #[error("`{url}` is no address of a registry: expected http:// or https:// and a host")]
    Address {
        /// The address.
        url: String,
    },
    /// The registry did not answer.
    #[error("the registry at {url} did not answer")]
    Unreachable {
        /// The address of the registry.
        url: String,
        /// What the HTTP client says.
        #[source]
        source: Box<ureq::Error>,
    },
    /// What was asked for is not there.
    #[error("{what}: {detail}")]
    NotFound {
        /// What was asked for.
        what: String,
        /// What the registry says.
        detail: String,
    },
    /// The release is there, and has no such form.
    #[error("{what}: {detail}")]
    NoForm {
        /// What was asked for.
        what: String,
        /// What the registry says.
        detail: String,
    },
    /// The registry refuses.
    #[error("{what}: the registry answered {status}: {detail}")]
    Problem {
        /// What was asked for.
        what: String,
        /// The HTTP status.
        status: u16,
        /// What the registry says.
        detail: String,
    },
    /// The registry's answer is not what the API promises.
    #[error("{what}: the registry's answer cannot be used: {reason}")]
    Malformed {
        /// What was asked for.
        what: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// The bytes are not those that were promised.
    #[error("{what}: the bytes have the digest {found}, and {promised} was promised")]
    WrongDigest {
        /// What was asked for.
        what: String,
        /// The digest of the bytes that came.
        found: Digest,
        /// The digest that was promised.
        promised: Digest,
    },
    /// A file of the lock or the cache could not be handled.
    #[error("cannot {operation} {}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// The lock file cannot be read.
    #[error("{}: {reason}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
