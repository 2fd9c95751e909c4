//! `--git-external`: the arguments that Git gives an external diff driver.
//!
//! Git calls it with `path old-file old-hex old-mode new-file new-hex new-mode`, for a renamed file with the new path
//! and a description besides, for an unmerged one with the path alone. It stops at a driver that exits with anything
//! but 0, so what cannot be compared is only said.

use std::path::Path;

use registry::compare;

use super::{Arguments, run_of, settings};
use crate::complaint::Complaint;
use crate::configuration::Conditions;
use crate::exit::Verdict;
use crate::input::{Side, on_disk};
use crate::output::{self, print};
use crate::packs::place_of;
use crate::worktree::WorkTree;

/// Runs the command as a driver.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let all: Vec<&str> =
        arguments.old.iter().chain(&arguments.new).chain(&arguments.more).map(String::as_str).collect();
    let (path, old_file, new_file, new_path) = match all[..] {
        [path] => return said(path, "is unmerged"),
        [path, old, _, _, new, _, _] => (path, old, new, path),
        [path, old, _, _, new, _, _, new_path, ..] => (path, old, new, new_path),
        _ => {
            return Err(Complaint::new("`--git-external` takes the arguments that Git gives: 1, 7 or 9")
                .help("set it up with `git config diff.packhouse.command \"packhouse diff --git-external\"`")
                .into());
        }
    };
    match (old_file, new_file) {
        ("/dev/null", _) => return said(path, "is new"),
        (_, "/dev/null") => return said(path, "is gone"),
        _ => {}
    }
    let old = placed(on_disk(Path::new(old_file)), path, "a/");
    let new = placed(on_disk(Path::new(new_file)), new_path, "b/");
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return said(path, &format!("cannot be compared: {error}")),
    };
    let found = settings(&new, arguments.profile)?;
    let report = compare(old.input(), new.input(), Conditions::today(None).settings(&found));
    let Some(report) = report else { return said(path, "cannot be compared") };
    output::write(&run_of(report, &old, &new), &arguments.output)?;
    Ok(Verdict::Pass)
}

fn said(path: &str, what: &str) -> anyhow::Result<Verdict> {
    print(&format!("{path}: {what}\n"))?;
    Ok(Verdict::Pass)
}

/// Git hands over temporary copies: the files and settings around a side are those of the work tree.
fn placed<'r>(side: anyhow::Result<Side<'r>>, path: &str, prefix: &str) -> anyhow::Result<Side<'r>> {
    let mut side = side?;
    let tree = WorkTree::around(&place_of(Path::new("."))?);
    side.tree = Box::new(tree);
    side.path = path.to_owned();
    side.shown = format!("{prefix}{path}");
    Ok(side)
}
