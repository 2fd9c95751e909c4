//! Writing files that people own: all of a file or nothing.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Replaces the content of a file; its permissions stay.
///
/// # Errors
/// Names the file and what the operating system says.
pub fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let target = path.canonicalize().with_context(failed)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(bytes).with_context(failed)?;
    let permissions = fs::metadata(&target).with_context(failed)?.permissions();
    fs::set_permissions(file.path(), permissions).with_context(failed)?;
    file.persist(&target).with_context(failed)?;
    Ok(())
}
