//! The API's immutable answers as files of a folder, for a static server or a content network.
//!
//! Every file stands at the path at which the API answers with the same bytes, decoded. Documents that change, such as
//! packs, manifests and whatever a range means, are answered by the registry alone. The folder belongs to the export:
//! what is not published any more, or not for these readers, is taken out of it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use pack::Digest;
use registry::{Form, Release};
use store::{Published, Reader, ReleaseRow, StoreError};

use crate::web::skill_keys;

mod folder;

#[cfg(test)]
mod tests;

use folder::Folder;

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder holds something else.
    #[error("{} is not empty, and no export made it", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// A file or folder cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// How many releases are in the folder.
    pub releases: usize,
    /// How many files are in it.
    pub files: usize,
    /// How many of these were not there, or were others.
    pub written: usize,
    /// How many files were taken out.
    pub removed: usize,
    /// Addresses that cannot be files: the API alone answers them.
    pub left_out: Vec<String>,
}

/// Writes everything that `reader` may see of the registry whose state is below `state` into the folder `target`.
/// Works beside a running daemon.
///
/// # Errors
/// [`ExportError`] says what is in the way. What was written until then is whole, and stays.
pub fn export(state: &Path, target: &Path, reader: &Reader) -> Result<Exported, ExportError> {
    let published = Published::open(state)?;
    let mut folder = Folder::open(target)?;
    let mut exported = Exported::default();
    let snapshot = published.snapshot();
    for pack in snapshot.packs(reader) {
        for row in pack.releases.iter().filter(|row| snapshot.shows(reader, row)) {
            exported.releases += 1;
            Export { published: &published, folder: &mut folder, exported: &mut exported, row }.release()?;
        }
    }
    (exported.files, exported.written) = (folder.files(), folder.written());
    exported.removed = folder.remove_others()?;
    Ok(exported)
}

/// One release on its way.
struct Export<'e> {
    published: &'e Published,
    folder: &'e mut Folder,
    exported: &'e mut Exported,
    row: &'e ReleaseRow,
}

impl Export<'_> {
    fn release(&mut self) -> Result<(), ExportError> {
        let release = self.published.release(self.row)?;
        for form in Form::ALL {
            let Some(bytes) = self.published.form(self.row, form)? else { continue };
            self.write(&[form.file_name()], &bytes)?;
            if let Some((digest, _)) = self.row.form(form) {
                self.write_blob(digest, &bytes)?;
            }
        }
        self.skills(&release)?;
        for path in &release.files {
            let bytes = self.published.file(self.row, &format!("files/{path}"), None)?;
            let parts: Vec<&str> = std::iter::once("files").chain(path.split('/')).collect();
            self.write(&parts, &bytes)?;
        }
        Ok(())
    }

    fn skills(&mut self, release: &Release) -> Result<(), ExportError> {
        for (skill, key) in release.skills.iter().zip(skill_keys(&release.skills)) {
            for file in &skill.files {
                let bytes = self.published.file(self.row, &file.ledger_path, Some(file.digest))?;
                let parts: Vec<&str> = ["skills", &key].into_iter().chain(file.path.split('/')).collect();
                self.write(&parts, &bytes)?;
                self.write_blob(file.digest, &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes what stands below the address of the release.
    fn write(&mut self, below: &[&str], bytes: &[u8]) -> Result<(), ExportError> {
        let version = self.row.version.to_string();
        self.write_at(&[&["v1", "packs", &self.row.id, "versions", &version], below].concat(), bytes)
    }

    fn write_blob(&mut self, digest: Digest, bytes: &[u8]) -> Result<(), ExportError> {
        let hex = digest.hex();
        self.write_at(&["v1", "packs", &self.row.id, "blobs", "sha256", &hex], bytes)
    }

    fn write_at(&mut self, parts: &[&str], bytes: &[u8]) -> Result<(), ExportError> {
        if parts.iter().all(|part| is_file_name(part)) {
            return self.folder.write(&parts.iter().collect::<PathBuf>(), bytes);
        }
        self.exported.left_out.push(format!("/{}", parts.join("/")));
        Ok(())
    }
}

/// Whether a part of an address can be the name of a file. A leading dot means something to servers, such as
/// `.htaccess`, and what a pack brings along must not.
fn is_file_name(part: &str) -> bool {
    let fits = |c: char| !c.is_control() && !matches!(c, '/' | '\\');
    (1..=255).contains(&part.len()) && !part.starts_with('.') && part.chars().all(fits)
}

/// The paths of all files below a folder.
fn files_below(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files_below(&entry.path())?);
        } else {
            found.insert(entry.path());
        }
    }
    Ok(found)
}
