//! An entry under `[[allow]]` that matched nothing.

use crate::lint::{Check, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "allow-unused",
    group: Group::Style,
    level: Level::Warn,
    summary: "an `[[allow]]` entry that matched nothing",
    why: "The finding it accepted is gone; left in place, the entry would hide the next one of its kind.",
    fix: "Remove the entry.",
    example: r#"[[allow]] rule = "unused-fragment" place = "/fragments/gone""#,
    check: Check::Registry,
};
