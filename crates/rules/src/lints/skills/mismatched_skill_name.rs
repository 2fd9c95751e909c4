//! Flags skills that are called otherwise than their folder.

use super::{front_matters, is_skill_name, skill_folder};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::tree::folder;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-skill-name",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a skill is called otherwise than its folder",
    why: "Loaders that follow the skill format refuse it, and others find it under one of the two names only.",
    fix: "Rename the folder, or correct `name` in its `SKILL.md`.",
    example: "skills/billing/SKILL.md: `name: invoices`",
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for (found, front_matter) in front_matters(pack) {
        let Some(expected) = skill_folder(found.path) else { continue };
        // A name that is none is `invalid-frontmatter`; a skill beside the pack has no folder of its own.
        let Some(name) = front_matter.name().filter(|name| is_skill_name(name)) else { continue };
        if name != expected && folder(found.path) != folder(pack.path) {
            let path = found.path;
            findings
                .report(found.node, format!("skill `{path}` is called `{name}`, but its folder `{expected}`"))
                .help("give both the same name");
        }
    }
}
