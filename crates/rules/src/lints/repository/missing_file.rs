//! Flags files that a pack names and the repository does not have.

use super::{FileReference, data_files};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;
use pack::tree::{Tree, Unreadable, folder, is_absolute, join, leaves, link_on};

pub(super) const LINT: Lint = Lint {
    id: "missing-file",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a media or schema file that the repository does not have",
    why: "A runtime that loads the pack from its repository finds nothing at that path: the example or the schema is \
          missing.",
    fix: "Add the file, or write its path from the folder of the pack file.",
    example: r#""media": { "mime_type": "image/png", "file_path": "images/recept.png" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let Some(tree) = pack.tree else { return };
    let base = folder(pack.path);
    for FileReference { what, path, node } in data_files(pack.pack) {
        // What leaves the repository is `escaping-path`.
        if leaves(base, path) || is_there(tree, base, path) {
            continue;
        }
        let (why, help) = match () {
            () if path.contains("://") => ("is a URL, not a file", "write a URL under `url`"),
            () if is_absolute(path) => (
                "is absolute, so it names nothing in the repository",
                "write it from the folder of the pack file",
            ),
            () => (
                "is not in the repository",
                "add the file, or write its path from the folder of the pack file",
            ),
        };
        findings
            .report(node, format!("{what} `{path}` {why}"))
            .help(help)
            .suggest(nearest(tree, base, path, &guesser).as_deref());
    }
}

/// Whether something stands there, seen from the pack's folder or from the root; a link counts, unfollowed.
fn is_there(tree: &dyn Tree, base: &str, path: &str) -> bool {
    let ways = [join(base, path), join("", path)];
    ways.iter()
        .flatten()
        .any(|way| tree.list(way) != Err(Unreadable::Missing) || link_on(tree, way).is_some())
}

/// The path with the name of a file beside the missing one that it is close to.
fn nearest(tree: &dyn Tree, base: &str, path: &str, guesser: &Guesser) -> Option<String> {
    let entries = tree.list(folder(&join(base, path)?)).ok()?;
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let name = guesser.closest(&path[start..], entries.iter().map(|entry| entry.name.as_str()))?;
    Some(format!("{}{name}", &path[..start]))
}
