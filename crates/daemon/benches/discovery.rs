//! What finding the releases of a long history costs, beside Git reading the same.
//!
//! `cargo bench -p daemon --bench discovery`. Judging and publishing are not part of it: `tests/bench/scan.py`
//! measures the whole.
#![allow(missing_docs, clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git::{Change, EntryKind, SourceRepository};
use jiff::Timestamp;
use registry::discover::{BranchState, ChangedFile, CommitStep, Selection};
use registry::settings::{Limits, SourceSettings};

const COMMITS: usize = 1300;
const VERSIONS: usize = 60;
const ROUNDS: usize = 21;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut blobs = 0;
    // In turns, so that what else the machine does falls on both.
    for _ in 0..ROUNDS {
        let started = Instant::now();
        assert_eq!(discover(folder.path()), VERSIONS);
        ours.push(started.elapsed());
        let started = Instant::now();
        blobs = read_by_git(folder.path());
        theirs.push(started.elapsed());
    }
    println!("a history of {COMMITS} commits and {VERSIONS} versions, the median of {ROUNDS} rounds");
    println!("discovery                                          {:>8}", milliseconds(ours));
    println!("git log --raw, and git cat-file --batch of {blobs} blobs {:>8}", milliseconds(theirs));
}

fn milliseconds(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("{:.1} ms", times[times.len() / 2].as_secs_f64() * 1e3)
}

/// Walks the branch and finds every version, as a scan does before anything is judged.
fn discover(path: &Path) -> usize {
    let repository = SourceRepository::open(path).expect("a repository");
    let selection =
        Selection::new(&SourceSettings::local("packs", "."), Limits::default()).expect("patterns");
    let head = repository.resolve("main").expect("a branch");
    let mut state = BranchState::default();
    let mut found = 0;
    for commit in repository.history(None, head).expect("a line").commits {
        let changed = |change: Change| {
            let now = change.new.filter(|entry| entry.kind != EntryKind::Folder);
            ChangedFile { path: change.path, now: now.map(|entry| (entry.kind, entry.id.to_string())) }
        };
        let changes = repository.changes(commit).expect("changes").changes;
        let step = CommitStep {
            commit: commit.to_string(),
            at: Timestamp::from_second(repository.commit(commit).expect("a commit").time).expect("a time"),
            branch: "main".to_owned(),
            changes: changes.into_iter().map(changed).collect(),
        };
        let tree = repository.tree(commit).expect("a tree");
        found += state.advance(&step, &tree, &selection).candidates.len();
    }
    found
}

fn read_by_git(path: &Path) -> usize {
    let log = run(path, &["log", "--first-parent", "--raw", "--no-abbrev", "--reverse", "main"], "");
    let is_pack = |line: &&str| line.starts_with(':') && line.ends_with(".json");
    let blobs: Vec<&str> = log.lines().filter(is_pack).filter_map(|line| line.split(' ').nth(3)).collect();
    run(path, &["cat-file", "--batch"], &blobs.join("\n"));
    blobs.len()
}

fn run(folder: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    let mut stdin = child.stdin.take().expect("an input");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).expect("all of the input"));
    let output = child.wait_with_output().expect("an output");
    writer.join().expect("a writer");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository of many files in which every 21st commit brings a version of a pack.
fn make(folder: &Path) {
    run(folder, &["init", "-q", "-b", "main"], "");
    let mut stream = String::new();
    let mut commit = |number: usize, files: Vec<(String, String)>| {
        let parent = if number > 0 { format!("from :{number}\n") } else { String::new() };
        let (mark, when) = (number + 1, 1_767_225_600 + number);
        let _ = write!(
            stream,
            "commit refs/heads/main\nmark :{mark}\ncommitter Ada <ada@example.org> {when} +0000\ndata 1\nx\n{parent}"
        );
        for (path, text) in files {
            let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len());
        }
    };
    let file = |number: usize, text: String| (format!("src/part{}/file{number}.txt", number / 20), text);
    commit(0, (0..400).map(|number| file(number, format!("file {number}\n"))).collect());
    let every = COMMITS / VERSIONS;
    for number in 1..COMMITS {
        let version = number / every;
        let changed = match number % every {
            0 if version <= VERSIONS => ("packs/greeter.pack.json".to_owned(), pack(version - 1)),
            _ => file(number % 400, format!("commit {number}\n")),
        };
        commit(number, vec![changed]);
    }
    run(folder, &["fast-import", "--quiet"], &stream);
    run(folder, &["gc", "-q"], "");
}

fn pack(version: usize) -> String {
    format!(
        r#"{{
  "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
  "id": "greeter",
  "name": "Greeter",
  "version": "1.0.{version}",
  "template_engine": {{ "version": "v1", "syntax": "{{{{variable}}}}" }},
  "prompts": {{
    "hello": {{
      "id": "hello", "name": "Hello", "version": "1.0.0",
      "system_template": "Greet {{{{name}}}}. Edition {version}.",
      "variables": [{{ "name": "name", "type": "string", "required": true }}]
    }}
  }}
}}
"#
    )
}
