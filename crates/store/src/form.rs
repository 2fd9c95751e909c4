//! The forms of a release, read from the ledger and checked against their digests.

use std::cell::RefCell;

use pack::Digest;
use registry::bundle::bundle;
use registry::release::{Form, Release};

use crate::error::StoreError;
use crate::ledger::decode;
use crate::row::ReleaseRow;

/// Reads a file below the folder of a release; none where it is missing.
pub(crate) type ReadFile<'r> = dyn Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + 'r;

/// The bytes of a form; none where the release does not have it.
pub(crate) fn read_form(
    row: &ReleaseRow,
    form: Form,
    read: &ReadFile<'_>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some((digest, _)) = row.form(form) else { return Ok(None) };
    let damaged =
        |path: &str, reason: String| StoreError::Record { path: format!("{}/{path}", row.folder()), reason };
    let missing = |path: &str| damaged(path, "it is missing".to_owned());
    let (path, bytes) = match row.kept_as(form) {
        Some(kept) => (kept.file_name(), read(kept.file_name())?.ok_or_else(|| missing(kept.file_name()))?),
        None => {
            let record = "release.json";
            let release = decode(
                &format!("{}/{record}", row.folder()),
                &read(record)?.ok_or_else(|| missing(record))?,
            )?;
            (record, composed(&release, read)?.map_err(|why| damaged(record, why))?)
        }
    };
    if Digest::of(&bytes) == digest {
        Ok(Some(bytes))
    } else {
        Err(damaged(path, format!("the digest of the form `{}` differs", form.as_str())))
    }
}

/// The bundle of a release, made of its files; or why there is none.
fn composed(release: &Release, read: &ReadFile<'_>) -> Result<Result<Vec<u8>, String>, StoreError> {
    let failed = RefCell::new(None);
    let made = bundle(release, &|path| {
        read(path).unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            None
        })
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(made.map_err(|why| format!("it makes no bundle: {why}"))),
    }
}
