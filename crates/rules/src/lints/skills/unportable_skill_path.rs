//! Flags skill paths that only some runtimes find.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::skill::{Location, NotLocated};
use pack::tree::{EntryKind, Tree, folder, is_absolute, join, leaves, link_on};

pub(super) const LINT: Lint = Lint {
    id: "unportable-skill-path",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a skill path that only some runtimes find",
    why: "Runtimes differ: PromptKit looks from its working folder, its compiler refuses what lies outside the pack's \
          folder, and it skips folders that are links.",
    fix: "Keep the skill as a real folder below the folder of the pack file, and write its path from there.",
    example: r#""skills": ["../shared/billing"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(tree) = pack.tree else { return };
    let base = folder(pack.path);
    for skill in pack.skills() {
        let (Some((path, node)), Some(location)) = (skill.path(), &skill.location) else { continue };
        let Some((why, help)) = reason(tree, base, path, location) else { continue };
        findings.report(node, format!("skill path `{path}` {why}")).help(help);
    }
}

/// Why some runtimes do not find the skill, and what to do.
fn reason(
    tree: &dyn Tree,
    base: &str,
    path: &str,
    location: &Result<Location, NotLocated>,
) -> Option<(String, &'static str)> {
    let Ok(location) = location else {
        // The path itself leads over a link; one that leaves the repository is `escaping-path`.
        let link = [join(base, path), join("", path)]
            .into_iter()
            .flatten()
            .find_map(|way| inner_link(tree, &way))?;
        return Some((format!("leads over the link `{link}`, which PromptKit does not follow"), LINKED));
    };
    if location.from_root {
        return Some((
            "is found only from the root of the repository, where PromptKit runs, not from the pack's folder"
                .to_owned(),
            "write the path from the folder of the pack file",
        ));
    }
    let linked = location.skipped.iter().filter(|(_, kind)| *kind == EntryKind::Link);
    if let Some(link) =
        linked.filter_map(|(path, _)| inner_link(tree, path)).find(|link| is_folder(tree, link))
    {
        return Some((format!("holds the linked folder `{link}`, which PromptKit skips"), LINKED));
    }
    let outside =
        !base.is_empty() && !location.path.starts_with(&format!("{base}/")) && location.path != base;
    outside.then(|| {
        (
            "lies outside the pack's folder, which PromptKit's compiler refuses".to_owned(),
            "keep the skill below the folder of the pack file",
        )
    })
}

const LINKED: &str = "put the folder itself in the place of the link";

/// The first link on the way along `path`, unless it leaves the repository.
fn inner_link(tree: &dyn Tree, path: &str) -> Option<String> {
    let link = link_on(tree, path)?;
    let escapes = |target: String| is_absolute(&target) || leaves(folder(&link), &target);
    (!tree.link(&link).is_ok_and(escapes)).then_some(link)
}

/// Whether the link points at a folder of the tree, or cannot be read.
fn is_folder(tree: &dyn Tree, link: &str) -> bool {
    let Ok(target) = tree.link(link) else { return true };
    join(folder(link), &target).is_some_and(|target| tree.list(&target).is_ok())
}
