//! Two files of one commit claim the same id and version.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "duplicate-pack",
    group: Group::Correctness,
    level: Level::Error,
    summary: "two files of a commit claim one id and version",
    why: "Their contents differ, so nobody can say which one a reader of that version gets.",
    fix: "Give one of the two another id or version, or remove it.",
    example: r#"billing/pack.json and old/billing.pack.json: `"id": "billing", "version": "1.2.0"`"#,
    check: Check::Registry,
};
