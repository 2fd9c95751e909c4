//! `packhouse.lock`: which release each reference means, until somebody asks for newer ones.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use registry::{Digest, Form};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::ClientError;

const HEADER: &str = "# Written by `packhouse fetch`. Commit it: the same packs are fetched everywhere.\n";

/// The lock file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The locked references, sorted by reference and form.
    #[serde(default, rename = "pack")]
    pub packs: Vec<LockedPack>,
}

/// One reference and the release that it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPack {
    /// The reference as it was asked for.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The pack's id.
    pub id: String,
    /// The version.
    pub version: Version,
    /// The form that is fetched.
    pub form: Form,
    /// The digest of the form's bytes.
    pub digest: Digest,
    /// The immutable address of the bytes.
    pub url: String,
    /// The commit of the source that they come from; empty where the registry does not say.
    #[serde(default)]
    pub commit: String,
}

impl Lock {
    /// Reads a lock file; an empty lock where there is none.
    ///
    /// # Errors
    /// [`ClientError::Io`] or [`ClientError::Lock`]
    pub fn read(path: &Path) -> Result<Lock, ClientError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lock::default()),
            Err(source) => return Err(ClientError::Io { operation: "read", path: path.to_owned(), source }),
        };
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
            let message = error.message().lines().next().unwrap_or_default();
            ClientError::Lock { path: path.to_owned(), reason: format!("line {line}: {message}") }
        })
    }

    /// The entry of a reference.
    pub fn find(&self, reference: &str) -> Option<&LockedPack> {
        self.packs.iter().find(|pack| pack.reference == reference)
    }

    /// Adds an entry, or replaces that of the same reference.
    pub fn put(&mut self, pack: LockedPack) {
        self.packs.retain(|known| known.reference != pack.reference);
        self.packs.push(pack);
        self.packs.sort_by(|a, b| (&a.reference, a.form).cmp(&(&b.reference, b.form)));
    }

    /// Takes out entries of the same pack that mean another release: both would be written to one place. Gives them.
    pub fn drop_rivals(&mut self, of: &LockedPack) -> Vec<LockedPack> {
        self.packs.extract_if(.., |pack| pack.id == of.id && pack.digest != of.digest).collect()
    }

    /// Writes the lock file, all of it or nothing.
    ///
    /// # Errors
    /// [`ClientError::Io`]
    pub fn write(&self, path: &Path) -> Result<(), ClientError> {
        let body = toml::to_string(self).map_err(|error| ClientError::Lock {
            path: path.to_owned(),
            reason: format!("it cannot be written: {error}"),
        })?;
        write_whole(path, format!("{HEADER}\n{body}").as_bytes())
    }
}

/// Writes a file so that nobody ever sees a part of it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ClientError> {
    let failed = |operation: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| ClientError::Io { operation, path, source }
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let temporary: PathBuf = path.with_file_name(name);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(failed("write", &temporary))?;
    fs::rename(&temporary, path).map_err(failed("write", path))
}
