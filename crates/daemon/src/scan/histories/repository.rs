//! A bare repository that histories are written to, many commits at once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::model::Tree;

/// Commits and refs that are collected and written together.
pub(super) struct Repository {
    path: PathBuf,
    /// What `git fast-import` reads next.
    stream: String,
    /// Refs that the stream writes: a second word on one of them has to wait.
    written: BTreeSet<String>,
    pub(super) branch: String,
    time: u64,
}

impl Repository {
    pub(super) fn new(path: &Path) -> Repository {
        let repository = Repository {
            path: path.to_owned(),
            stream: String::new(),
            written: BTreeSet::new(),
            branch: "main".to_owned(),
            time: 1_767_225_600,
        };
        std::fs::create_dir(path).expect("a new folder");
        repository.git(&["init", "-q", "--bare", "-b", "main"], "");
        repository
    }

    fn git(&self, arguments: &[&str], input: &str) {
        let mut command = Command::new("git");
        command
            .current_dir(&self.path)
            .args(["-c", "fastimport.unpackLimit=1", "-c", "gc.auto=0"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("git is installed");
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(input.as_bytes()).expect("git reads");
        drop(stdin);
        assert!(child.wait().expect("git ends").success(), "git {arguments:?} with\n{input}");
    }

    /// Writes what was collected.
    pub(super) fn flush(&mut self) {
        let stream = std::mem::take(&mut self.stream);
        self.written.clear();
        if !stream.is_empty() {
            let marks = ["--import-marks-if-exists=marks", "--export-marks=marks"];
            self.git(&["fast-import", "--quiet", "--force", marks[0], marks[1]], &stream);
        }
    }

    fn claim(&mut self, reference: &str) {
        if !self.written.insert(reference.to_owned()) {
            self.flush();
            self.written.insert(reference.to_owned());
        }
    }

    /// Adds the commit with the number `mark` to a branch, whatever stood there.
    pub(super) fn commit(&mut self, branch: &str, mark: usize, parents: &[usize], tree: &Tree) {
        self.time += 60;
        let time = self.time;
        let mut text = String::new();
        if parents.is_empty() {
            // Without it the commit would follow what the branch names.
            let _ = writeln!(text, "reset refs/heads/{branch}");
        }
        let _ = writeln!(text, "commit refs/heads/{branch}\nmark :{}", mark + 1);
        let _ = writeln!(text, "committer Ada <ada@example.org> {time} +0000\ndata 1\nx");
        for (at, parent) in parents.iter().enumerate() {
            let _ = writeln!(text, "{} :{}", if at == 0 { "from" } else { "merge" }, parent + 1);
        }
        text.push_str("deleteall\n");
        let mut file = |path: &str, content: &str| {
            let _ = writeln!(text, "M 100644 inline {path}\ndata {}\n{content}", content.len());
        };
        for (path, content) in &tree.packs {
            file(path, &content.text());
        }
        if !tree.yanks.is_empty() {
            let yank = |(id, version): &(&str, &str)| {
                format!("[[yank]]\npack = \"{id}\"\nversions = \"={version}\"\nreason = \"wrong\"\n")
            };
            file("packhouse.toml", &tree.yanks.iter().map(yank).collect::<String>());
        }
        self.stream.push_str(&text);
    }

    pub(super) fn move_branch(&mut self, to: usize) {
        let _ = writeln!(self.stream, "reset refs/heads/{}\nfrom :{}\n", self.branch, to + 1);
    }

    pub(super) fn tag(&mut self, name: &str, commit: usize, annotated: Option<usize>) {
        self.claim(&format!("refs/tags/{name}"));
        let _ = match annotated {
            None => writeln!(self.stream, "reset refs/tags/{name}\nfrom :{}\n", commit + 1),
            Some(number) => writeln!(
                self.stream,
                "tag {name}\nfrom :{}\ntagger Ada <ada@example.org> {number} +0000\ndata 1\nx",
                commit + 1
            ),
        };
    }

    pub(super) fn delete_tag(&mut self, name: &str) {
        self.flush();
        self.git(&["update-ref", "-d", &format!("refs/tags/{name}")], "");
    }

    pub(super) fn pack_refs(&mut self) {
        self.flush();
        self.git(&["pack-refs", "--all"], "");
    }

    pub(super) fn rename_branch(&mut self, name: &str) {
        self.flush();
        self.git(&["branch", "-M", &self.branch, name], "");
        self.branch = name.to_owned();
    }

    /// Collects garbage; commits that `is_kept` refuses are reachable from nowhere.
    pub(super) fn gc(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.flush();
        self.git(&["gc", "--quiet", "--prune=now"], "");
        let marks = self.path.join("marks");
        let Ok(text) = std::fs::read_to_string(&marks) else { return };
        let kept = text.lines().filter(|line| {
            let mark = line.trim_start_matches(':').split(' ').next().and_then(|mark| mark.parse().ok());
            mark.is_some_and(|mark: usize| is_kept(mark - 1))
        });
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        std::fs::write(&marks, kept).expect("the marks");
    }
}
