//! A version tag stands on a commit whose pack has another version.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "mismatched-version-tag",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a version tag names another version than the pack on its commit",
    why: "Readers who trust the tag and readers who trust the pack take two different releases for the same \
          one.",
    fix: "Change the `version` of the pack, or move the tag to the right commit before anybody uses it.",
    example: r#"tag `billing/v1.3.0` on a commit with `"version": "1.2.0"`"#,
    check: Check::Registry,
};
