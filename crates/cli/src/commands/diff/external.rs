//! `--git-external`: the arguments that Git gives an external diff driver.
//!
//! Git calls it with `path old-file old-hex old-mode new-file new-hex new-mode`, for a renamed file with the new path
//! and a description besides, for an unmerged one with the path alone. It stops at a driver that exits with anything
//! but 0, so what cannot be compared as a pack is compared as text, under the names that it has in the repository.

use std::fs;
use std::path::Path;
use std::time::Duration;

use similar::TextDiff;

use super::{Arguments, run_of, settings};
use crate::complaint::Complaint;
use crate::exit::{Verdict, is_closed_pipe};
use crate::input::{Side, checked};
use crate::output::{self, Run, print, printable};
use crate::packs::place_of;
use crate::worktree::WorkTree;

/// What Git names in place of a file that is not there.
const NOTHING: &str = "/dev/null";
/// What Git's own differences put before the older name.
const OLD: &str = "a/";
/// How long lines are matched well; what is left after that is shown as replaced.
const PATIENCE: Duration = Duration::from_secs(2);

/// One end of a change: the file that holds it for now, and what it is in the repository.
#[derive(Clone, Copy)]
struct End<'a> {
    path: &'a str,
    file: &'a str,
    mode: &'a str,
    prefix: &'a str,
}

/// Runs the command as a driver.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let all: Vec<&str> =
        arguments.old.iter().chain(&arguments.new).chain(&arguments.more).map(String::as_str).collect();
    let (old, new) = match all[..] {
        [path] => return said(&format!("{path}: is unmerged")),
        [path, old, _, old_mode, new, _, new_mode] => ends((path, old, old_mode), (path, new, new_mode)),
        [path, old, _, old_mode, new, _, new_mode, new_path, ..] => {
            ends((path, old, old_mode), (new_path, new, new_mode))
        }
        _ => {
            return Err(Complaint::new("`--git-external` takes the arguments that Git gives: 1, 7 or 9")
                .help("set it up with `git config diff.packhouse.command \"packhouse diff --git-external\"`")
                .into());
        }
    };
    let shown = match (old.file, new.file) {
        (NOTHING, _) => one_sided(old, new, new, "is new"),
        (_, NOTHING) => one_sided(old, new, old, "is gone"),
        _ => both(arguments, old, new),
    };
    // Who leaves the pager has seen enough: for Git that is no failure.
    shown.or_else(|error| if is_closed_pipe(&error) { Ok(Verdict::Pass) } else { Err(error) })
}

fn ends<'a>(old: (&'a str, &'a str, &'a str), new: (&'a str, &'a str, &'a str)) -> (End<'a>, End<'a>) {
    let end = |(path, file, mode), prefix| End { path, file, mode, prefix };
    (end(old, OLD), end(new, "b/"))
}

/// A file that only one side has. A pack that is gone is only named; of anything else the text is shown.
fn one_sided(old: End<'_>, new: End<'_>, there: End<'_>, what: &str) -> anyhow::Result<Verdict> {
    said(&format!("{}: {what}", there.path))?;
    let bytes = match there.bytes() {
        Ok(bytes) => bytes,
        Err(error) => return said(&error.to_string()),
    };
    let is_new = old.file == NOTHING;
    if !is_new && there.side(bytes.clone()).is_ok() {
        return Ok(Verdict::Pass);
    }
    let (before, after) = if is_new { (&[][..], &bytes[..]) } else { (&bytes[..], &[][..]) };
    print(&text(old, before, new, after))?;
    Ok(Verdict::Pass)
}

fn both(arguments: &Arguments, old: End<'_>, new: End<'_>) -> anyhow::Result<Verdict> {
    if old.path != new.path {
        said(&format!("{} -> {}", old.path, new.path))?;
    }
    if old.mode != new.mode {
        said(&format!("{}: mode {} -> {}", new.path, old.mode, new.mode))?;
    }
    let (before, after) = match (old.bytes(), new.bytes()) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return said(&error.to_string()),
    };
    if before == after {
        return Ok(Verdict::Pass);
    }
    match compared(arguments, old.side(before.clone()), new.side(after.clone())) {
        Ok(run) => {
            // What follows names no place where spelling alone changed.
            if old.path == new.path {
                said(new.path)?;
            }
            output::write(&run, &arguments.output)?;
        }
        Err(error) => {
            said(&error.to_string())?;
            print(&text(old, &before, new, &after))?;
        }
    }
    Ok(Verdict::Pass)
}

/// The comparison of two packs.
fn compared(
    arguments: &Arguments,
    old: anyhow::Result<Side<'_>>,
    new: anyhow::Result<Side<'_>>,
) -> anyhow::Result<Run> {
    let (old, new) = (old?, new?);
    let found = settings(&new, arguments.profile)?;
    let report = super::compared(&old, &new, &found)?;
    Ok(run_of(report, (&old, &new)))
}

impl End<'_> {
    /// The name in headings: with a prefix as in Git's own differences.
    fn shown(self) -> String {
        if self.file == NOTHING { NOTHING.to_owned() } else { format!("{}{}", self.prefix, self.path) }
    }

    fn bytes(self) -> Result<Vec<u8>, Complaint> {
        fs::read(self.file)
            .map_err(|error| Complaint::new(format!("{}: cannot be read: {error}", self.shown())))
    }

    /// The bytes as a pack. Git hands over temporary copies: the files and settings around it are those of the work
    /// tree.
    fn side<'r>(self, bytes: Vec<u8>) -> anyhow::Result<Side<'r>> {
        let tree = WorkTree::around(&place_of(Path::new("."))?);
        let shown = if self.prefix == OLD { format!("{} (before)", self.path) } else { self.path.to_owned() };
        checked(shown, self.path.to_owned(), bytes, Box::new(tree))
    }
}

/// The changed lines, as `diff -u` shows them.
fn text(old: End<'_>, before: &[u8], new: End<'_>, after: &[u8]) -> String {
    let (old, new) = (printable(&old.shown()).into_owned(), printable(&new.shown()).into_owned());
    if before.contains(&0) || after.contains(&0) {
        return format!("Binary files {old} and {new} differ\n");
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.as_ref(), after.as_ref());
    diff.unified_diff().header(&old, &new).to_string()
}

fn said(line: &str) -> anyhow::Result<Verdict> {
    print(&format!("{}\n", printable(line)))?;
    Ok(Verdict::Pass)
}
