//! Flags skill paths at which no skill stands.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::Guesser;
use pack::skill::{NotLocated, SKILL_FILE};
use pack::tree::{EntryKind, Tree, Unreadable, folder, is_absolute, join, leaves, link_on};

pub(super) const LINT: Lint = Lint {
    id: "missing-skill",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a skill path at which no skill stands",
    why: "A runtime that loads the pack finds nothing there: it refuses the pack, or the agent works without the \
          knowledge that its prompts rely on.",
    fix: "Write the path from the folder of the pack file to a folder that holds a `SKILL.md`, or add that \
          file.",
    example: r#""skills": ["./skills/biling"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let Some(tree) = pack.tree else { return };
    for skill in pack.skills() {
        let (Some((path, node)), Some(Err(reason))) = (skill.path(), &skill.location) else { continue };
        report(pack, tree, (path, node), reason, &guesser, findings);
    }
}

fn report(
    pack: &Facts<'_>,
    tree: &dyn Tree,
    (path, node): (&str, Node<'_>),
    reason: &NotLocated,
    guesser: &Guesser,
    findings: &mut Findings<'_>,
) {
    let base = folder(pack.path);
    match reason {
        // Said by `escaping-path`.
        NotLocated::Escapes if leaves(base, path) => {}
        NotLocated::Escapes if is_absolute(path) => {
            findings
                .report(
                    node,
                    format!("skill path `{path}` is absolute, so it names nothing in the repository"),
                )
                .help("write it relative to the folder of the pack file");
        }
        NotLocated::Escapes => {
            findings
                .report(node, format!("skill path `{path}` is not written with `/` between its folders"))
                .help("separate folders with `/`");
        }
        NotLocated::Missing if leads_over_a_link(tree, base, path) => {}
        NotLocated::Missing => {
            let known = siblings(tree, base, path);
            findings
                .report(node, format!("skill path `{path}` leads to nothing in the repository"))
                .help(format!("add `{SKILL_FILE}` there, or correct the path"))
                .suggest(nearest(path, &known, guesser).as_deref());
        }
        NotLocated::NoSkillFile(folder) => {
            findings
                .report(node, format!("skill path `{path}` leads to a folder without `{SKILL_FILE}`"))
                .help(format!("add `{folder}/{SKILL_FILE}`"));
        }
        NotLocated::Unreadable(_, Unreadable::Other(EntryKind::Submodule)) => {
            findings
                .report(
                    node,
                    format!("skill path `{path}` leads into a submodule, which is no part of the commit"),
                )
                .help("keep the skill in this repository");
        }
        // A link is said by `unportable-skill-path` or `escaping-path`; what failed to be read may well be there.
        NotLocated::Unreadable(..) => {}
    }
}

/// Whether a folder on the way is a link that points at something: `unportable-skill-path` or `escaping-path` say so.
fn leads_over_a_link(tree: &dyn Tree, base: &str, path: &str) -> bool {
    let ways = [join(base, path), join("", path)];
    ways.iter().flatten().any(|way| link_on(tree, way).is_some())
}

/// Names of the folders and files beside the one that is missing.
fn siblings(tree: &dyn Tree, base: &str, path: &str) -> Vec<String> {
    let target = join(base, path).unwrap_or_default();
    let entries = tree.list(folder(&target)).unwrap_or_default();
    entries.into_iter().map(|entry| entry.name).collect()
}

/// The path with its last part replaced by the name that it is close to.
fn nearest(path: &str, names: &[String], guesser: &Guesser) -> Option<String> {
    let trimmed = path.trim_end_matches('/');
    let (before, last) = trimmed.rsplit_once('/').map_or(("", trimmed), |(before, last)| (before, last));
    let name = guesser.closest(last, names.iter().map(String::as_str))?;
    Some(if before.is_empty() { name.to_owned() } else { format!("{before}/{name}") })
}
