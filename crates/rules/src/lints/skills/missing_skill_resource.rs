//! Flags links of a skill's text to files that are not there.

use std::collections::BTreeSet;

use super::documents;
use super::markdown::link_targets;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::listed;
use pack::tree::{Tree, Unreadable, folder, join};

pub(super) const LINT: Lint = Lint {
    id: "missing-skill-resource",
    group: Group::Correctness,
    level: Level::Info,
    summary: "a skill's text links a file that is not there",
    why: "An agent that follows the link while it works finds nothing, and goes on without what the skill \
          relies on.",
    fix: "Add the file, or correct the link; it is relative to the skill's own folder.",
    example: "See [the refund table](refund-table.md).",
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(tree) = pack.tree else { return };
    for found in documents(pack) {
        let targets = link_targets(&found.document.body);
        let missing: BTreeSet<&str> = targets
            .iter()
            .map(String::as_str)
            .filter(|target| is_missing(tree, folder(found.path), target))
            .collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            let message = format!("skill `{}` links {}, which {verb} not there", found.path, listed(missing));
            findings
                .report(found.node, message)
                .help("add the file, or correct the link in the skill's text");
        }
    }
}

fn is_missing(tree: &dyn Tree, base: &str, target: &str) -> bool {
    let Some(path) = join(base, target) else { return true };
    tree.list(&path) == Err(Unreadable::Missing)
}
