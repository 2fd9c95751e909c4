//! Temporary repositories, made by the installed `git` without any configuration of the machine's.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::{ObjectId, SourceRepository};

/// A folder with a repository in it.
pub(super) struct Sandbox {
    root: TempDir,
    /// Commit times count up from here, one second each.
    clock: Cell<i64>,
}

impl Sandbox {
    /// A sandbox whose folder `repo` is a repository with the branch `main` and no commit.
    pub(super) fn new() -> Sandbox {
        let sandbox = Sandbox { root: TempDir::new().unwrap(), clock: Cell::new(1_700_000_000) };
        sandbox.git_in(sandbox.root(), ["init", "-q", "-b", "main", "repo"]);
        sandbox
    }

    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(super) fn path(&self) -> PathBuf {
        self.root().join("repo")
    }

    pub(super) fn open(&self) -> SourceRepository {
        SourceRepository::open(&self.path()).unwrap()
    }

    /// Runs git in the repository and returns what it prints.
    pub(super) fn git<const N: usize>(&self, arguments: [&str; N]) -> String {
        self.git_in(&self.path(), arguments)
    }

    pub(super) fn git_in<'a>(&self, folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> String {
        let arguments: Vec<&str> = arguments.into_iter().collect();
        let output = self.try_git_in(folder, &arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub(super) fn try_git_in<I: IntoIterator<Item: AsRef<OsStr>>>(
        &self,
        folder: &Path,
        arguments: I,
    ) -> Output {
        self.clock.set(self.clock.get() + 1);
        let date = format!("{} +0000", self.clock.get());
        let mut command = Command::new("git");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.root());
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        command.args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@localhost",
            "-c",
            "protocol.file.allow=always",
        ]);
        command.args(["-c", "advice.detachedHead=false"]);
        command.args(arguments).current_dir(folder).output().unwrap()
    }

    /// Turns the clock that git sees.
    pub(super) fn set_clock(&self, seconds: i64) {
        self.clock.set(seconds);
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits the whole work tree, and returns the commit.
    pub(super) fn commit(&self, message: &str) -> ObjectId {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    /// Writes one file and commits it.
    pub(super) fn commit_file(&self, path: &str, text: &str) -> ObjectId {
        self.write(path, text);
        self.commit(path)
    }

    pub(super) fn id(&self, revision: &str) -> ObjectId {
        self.git(["rev-parse", revision]).parse().unwrap()
    }
}

/// A name as Latin-1 writes it.
pub(super) fn name_that_is_not_utf8() -> &'static OsStr {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(b"caf\xe9.json")
}
