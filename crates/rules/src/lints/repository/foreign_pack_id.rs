//! A pack claims an id that belongs to another repository.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "foreign-pack-id",
    group: Group::Security,
    level: Level::Error,
    summary: "an id that another watched repository owns",
    why: "Whoever takes the id of a known pack would be served in its place.",
    fix: "Choose an id of your own; to move a pack, let the operator hand its id over.",
    example: r#"`"id": "billing"` in acme/experiments, while acme/packs owns `billing`"#,
    check: Check::Registry,
};
