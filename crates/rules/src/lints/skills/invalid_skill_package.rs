//! Flags package references of skills that no registry could resolve.

use super::{package, package_parts};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-skill-package",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a skill reference that starts with `@` but is no `@org/name[@version]`",
    why: "What starts with `@` names a package; without organization and name no runtime can find it.",
    fix: "Write `@org/name` or `@org/name@version`; a folder whose name starts with `@` is written `./@name`.",
    example: r#""skills": ["@billing"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for (reference, node) in pack.skills().iter().filter_map(package) {
        if package_parts(reference).is_none() {
            findings
                .report(node, format!("`{reference}` names no skill package"))
                .help("write `@org/name` or `@org/name@version`; a folder of that name is written `./@…`");
        }
    }
}
