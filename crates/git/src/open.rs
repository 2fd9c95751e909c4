//! Opens repositories and says in plain words why one does not open.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{Config, ErrorCode, Repository, RepositoryOpenFlags};

use crate::GitError;
use crate::setup::prepare;

/// Opens the repository that stands exactly at `path`: a work tree, its `.git`, or a bare one.
pub(crate) fn open(path: &Path) -> Result<Repository, GitError> {
    open_with(path, RepositoryOpenFlags::NO_SEARCH)
}

/// Opens the repository that `path` lies in, looking upward.
pub(crate) fn discover(path: &Path) -> Result<Repository, GitError> {
    open_with(path, RepositoryOpenFlags::empty())
}

/// Opens the bare repository that stands exactly at `path`.
pub(crate) fn open_bare(path: &Path) -> Result<Repository, GitError> {
    let exactly = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT | RepositoryOpenFlags::BARE;
    open_with(path, exactly)
}

fn open_with(path: &Path, flags: RepositoryOpenFlags) -> Result<Repository, GitError> {
    prepare();
    if !path.exists() {
        return Err(GitError::Missing { path: path.to_owned() });
    }
    let opened = Repository::open_ext(path, flags, std::iter::empty::<&Path>());
    opened.map_err(|source| explain(path, flags, source))
}

fn explain(path: &Path, flags: RepositoryOpenFlags, source: git2::Error) -> GitError {
    let path = path.to_owned();
    let levels = if flags.contains(RepositoryOpenFlags::NO_SEARCH) { 1 } else { usize::MAX };
    let unsupported = path.ancestors().take(levels).find_map(config_file).and_then(|file| unsupported(&file));
    match unsupported {
        Some(what) => GitError::Unsupported { path, what },
        None if source.code() == ErrorCode::NotFound => GitError::NotARepository { path },
        None => GitError::Open { path, source },
    }
}

/// Finds the configuration of the repository at `path`: libgit2 cannot tell, as it refused to open it.
fn config_file(path: &Path) -> Option<PathBuf> {
    let dot_git = path.join(".git");
    let git_dir = match fs::read_to_string(&dot_git) {
        Ok(link) => path.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) if dot_git.is_dir() => dot_git,
        Err(_) => path.to_owned(),
    };
    let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(relative) => git_dir.join(relative.trim()),
        Err(_) => git_dir,
    };
    let config = common_dir.join("config");
    (common_dir.join("objects").is_dir() && config.is_file()).then_some(config)
}

fn unsupported(config_file: &Path) -> Option<String> {
    let config = Config::open(config_file).ok()?;
    let value = |key: &str| config.get_string(key).ok().map(|value| value.to_lowercase());
    if value("extensions.objectformat").is_some_and(|format| format != "sha1") {
        return Some("SHA-256 objects".to_owned());
    }
    if value("extensions.refstorage").is_some_and(|storage| storage != "files") {
        return Some("reftable references".to_owned());
    }
    value("extensions.partialclone").map(|_| "a partial clone's extension".to_owned())
}
