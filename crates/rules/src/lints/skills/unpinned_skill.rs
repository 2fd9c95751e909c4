//! Flags skill packages without a version.

use super::{package, package_parts};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unpinned-skill",
    group: Group::Security,
    level: Level::Warn,
    summary: "a skill package without a version",
    why: "Its instructions may change under a released pack, and whoever publishes the package next decides what the \
          agent reads.",
    fix: "Name the version that was reviewed: `@org/name@1.2.0`.",
    example: r#""skills": ["@acme/billing"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for (reference, node) in pack.skills().iter().filter_map(package) {
        if let Some((_, _, None)) = package_parts(reference) {
            findings
                .report(
                    node,
                    format!("skill package `{reference}` has no version, so its content may change"),
                )
                .help(format!("name the version that you reviewed: `{reference}@…`"));
        }
    }
}
