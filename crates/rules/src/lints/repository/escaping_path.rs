//! Flags paths and links that leave the repository.

use super::{FileReference, data_files};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::tree::{Tree, folder, is_absolute, join, leaves, link_on};

pub(super) const LINT: Lint = Lint {
    id: "escaping-path",
    group: Group::Security,
    level: Level::Error,
    summary: "a path or link that leaves the repository",
    why: "What lies outside differs from machine to machine and may be private: a runtime would read files that no \
          reviewer of the pack has seen.",
    fix: "Keep the file in the repository, and write its path from the folder of the pack file.",
    example: r#""skills": ["../../../shared/billing"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(tree) = pack.tree else { return };
    let base = folder(pack.path);
    for reference in data_files(pack.pack) {
        check_path(tree, base, reference, findings);
    }
    for skill in pack.skills() {
        let Some((path, node)) = skill.path() else { continue };
        let reference = FileReference { what: "skill path", path, node };
        check_path(tree, base, reference, findings);
        let skipped = skill.location.iter().flatten().flat_map(|location| &location.skipped);
        for link in skipped.filter_map(|(path, _)| escaping_link_on(tree, path)) {
            report_link(reference, &link, findings);
        }
    }
}

fn check_path(tree: &dyn Tree, base: &str, reference: FileReference<'_>, findings: &mut Findings<'_>) {
    let FileReference { what, path, node } = reference;
    if leaves(base, path) {
        findings
            .report(node, format!("{what} `{path}` leaves the repository"))
            .help("keep the file in the repository, and write its path from the folder of the pack file");
    } else if let Some(link) = join(base, path).and_then(|path| escaping_link_on(tree, &path)) {
        report_link(reference, &link, findings);
    }
}

/// The first link on the way along `path`, where it points out of the repository.
fn escaping_link_on(tree: &dyn Tree, path: &str) -> Option<String> {
    let link = link_on(tree, path)?;
    let target = tree.link(&link).ok()?;
    (is_absolute(&target) || leaves(folder(&link), &target)).then_some(link)
}

fn report_link(reference: FileReference<'_>, link: &str, findings: &mut Findings<'_>) {
    let FileReference { what, path, node } = reference;
    findings
        .report(node, format!("{what} `{path}` meets the link `{link}`, which leaves the repository"))
        .help("put the files themselves in the place of the link");
}
