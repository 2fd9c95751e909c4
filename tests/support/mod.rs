//! Temporary folders and Git repositories, and the program run inside them.
//!
//! Nothing of the user's or the machine's configuration reaches a test: home, Git and CI variables are cleared.

pub mod git_http;
pub mod receiver;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary folder, removed at the end of the test.
pub struct Folder {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
#[derive(Debug)]
pub struct Ran {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder with an empty Git repository on the branch `main`.
    pub fn repository() -> Folder {
        let folder = Folder::new();
        folder.git(&["init", "--quiet", "--initial-branch=main"]);
        folder
    }

    /// Its place.
    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a place")
    }

    /// Writes a file; folders on the way are made.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Folder {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).expect("a file")
    }

    /// Whether something stands at a path.
    pub fn has(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) -> &Folder {
        fs::remove_file(self.folder.path().join(path)).expect("a file");
        self
    }

    /// Runs Git in the folder; gives what it prints.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        isolate(command.args(arguments), self.folder.path());
        let output = command.output().expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Commits everything that stands in the folder.
    pub fn commit(&self, subject: &str) -> &Folder {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        self
    }

    /// Runs the program in the folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[], "")
    }

    /// Runs the program with environment variables and standard input.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
        self.run_in("", arguments, variables, input)
    }

    /// Runs the program in a folder below.
    pub fn run_in(&self, below: &str, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
        let stdin = self.folder.path().join(".stdin");
        fs::write(&stdin, input).expect("a file");
        let mut command = program(arguments, &self.folder.path().join(below));
        command.envs(variables.iter().copied());
        command.stdin(fs::File::open(&stdin).expect("a file"));
        let output = command.output().expect("the program runs");
        fs::remove_file(&stdin).expect("a file");
        ran(&output)
    }
}

/// The program with its arguments, to be run in a folder.
pub fn program(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_packhouse"));
    isolate(command.args(arguments), folder);
    command
}

fn ran(output: &Output) -> Ran {
    Ran {
        status: output.status.code().expect("a status"),
        stdout: String::from_utf8(output.stdout.clone()).expect("text"),
        stderr: String::from_utf8(output.stderr.clone()).expect("text"),
    }
}

/// Clears everything from the environment that could change a result, and fixes names and times.
fn isolate(command: &mut Command, folder: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.current_dir(folder).env_clear().env("PATH", path);
    for (name, value) in [
        ("HOME", "/nonexistent"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
    ] {
        command.env(name, value);
    }
}

impl Ran {
    /// Status, standard output and standard error in one text, for snapshots.
    pub fn shown(&self) -> String {
        let mut text = format!("status: {}\n", self.status);
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                text.push_str(&format!("---- {name} ----\n{stream}"));
            }
        }
        text
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.shown()))
    }
}

/// A small clean pack: one prompt that greets `name`.
pub fn greeter(version: &str) -> String {
    greeter_with(version, "", "")
}

/// The same with more variables (each `{…},` in JSON) and more text behind the template.
pub fn greeter_with(version: &str, variables: &str, text: &str) -> String {
    format!(
        r#"{{
  "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
  "id": "greeter",
  "name": "Greeter",
  "version": "{version}",
  "description": "Greets people by their name.",
  "template_engine": {{
    "version": "v1",
    "syntax": "{{{{variable}}}}"
  }},
  "prompts": {{
    "hello": {{
      "id": "hello",
      "name": "Hello",
      "version": "1.0.0",
      "description": "Greets one person.",
      "system_template": "Greet {{{{name}}}}.{text}",
      "variables": [
        {variables}{{
          "name": "name",
          "type": "string",
          "required": true,
          "description": "Whom to greet.",
          "example": "Ada"
        }}
      ]
    }}
  }}
}}
"#
    )
}
