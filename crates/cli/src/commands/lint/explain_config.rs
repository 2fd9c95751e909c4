//! `--explain-config`: which level each lint has, and where that comes from.

use std::path::{Path, PathBuf};

use pack::tree::Tree;
use registry::weigh::{Origin, explain};
use rules::LINTS;

use crate::configuration::{Conditions, settings_in};
use crate::exit::Verdict;
use crate::judging::settings_file_shown;
use crate::output::print;
use crate::packs::{place_of, shown};
use crate::worktree::WorkTree;

/// Prints the levels for each path; for the current folder where there is none.
pub fn run(paths: &[PathBuf], conditions: &Conditions) -> anyhow::Result<Verdict> {
    let current = [PathBuf::from(".")];
    let mut text = String::new();
    for path in if paths.is_empty() { &current[..] } else { paths } {
        text.push_str(&of_path(path, conditions)?);
    }
    print(&text)?;
    Ok(Verdict::Pass)
}

fn of_path(path: &Path, conditions: &Conditions) -> anyhow::Result<String> {
    let place = place_of(path)?;
    let tree = WorkTree::around(&place);
    let relative = tree.relative(&place).unwrap_or_default();
    // A folder is asked for as if a pack stood in it.
    let probe = match (place.is_dir(), relative.is_empty()) {
        (true, true) => "pack.json".to_owned(),
        (true, false) => format!("{relative}/pack.json"),
        (false, _) => relative,
    };
    let found = settings_in(&tree, &probe, "")?;
    let settings = conditions.settings(&found);
    let file = settings_file_shown(tree.root(), &found.base);
    let is_there = tree.read(&registry::settings::settings_file(&found.base)).is_ok();
    let from =
        if is_there { format!("by {file}") } else { "by default: there is no packhouse.toml".to_owned() };
    let mut text = format!("{}: {from}\n", shown(path));
    let width = LINTS.iter().map(|lint| lint.id.len()).max().unwrap_or_default();
    for lint in LINTS.iter() {
        let (level, origin) = explain(lint, settings.relative(&probe), settings);
        let origin = match origin {
            Origin::Default => "the rule's own".to_owned(),
            Origin::Rule => format!("[lints] {} in {file}", lint.id),
            Origin::Group => format!("[lints] {} in {file}", lint.group),
            Origin::Override(paths) => format!("[[lints.override]] for {} in {file}", paths.join(", ")),
            Origin::Policy => "the operator's policy".to_owned(),
        };
        text.push_str(&format!("  {:width$}  {:5}  {origin}\n", lint.id, level.as_str()));
    }
    Ok(text)
}
