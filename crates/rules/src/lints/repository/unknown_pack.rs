//! An entry of `packhouse.toml` about a pack that the repository does not hold.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unknown-pack",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "an entry of `packhouse.toml` names a pack that the repository does not hold",
    why: "The yank, deprecation, channel, sunset or new name that it declares reaches nothing, and nobody is told.",
    fix: "Correct the id, or remove the entry. Where it speaks of releases of a pack that is gone, turn the rule off.",
    example: r#"[[yank]] pack = "suport" versions = "=1.3.0""#,
    check: Check::Registry,
};
