//! An entry under `[[allow]]` past its date or version.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "allow-expired",
    group: Group::Style,
    level: Level::Warn,
    summary: "an `[[allow]]` entry past its date or version",
    why: "It was accepted for a time that is over, so the finding counts again.",
    fix: "Repair what was found, or extend the entry with a new reason.",
    example: r#"[[allow]] rule = "unpinned-skill" expires = "2026-01-31""#,
    check: Check::Registry,
};
