//! Every lint (one pack) and every change rule (two packs), each with its id, documentation, level and bump.
//!
//! The room is pure: a rule gets facts and reports what it sees. Which level counts, what is acknowledged and what
//! follows from it is decided in the room `registry`.
#![forbid(unsafe_code)]

pub mod change;
pub mod changes;
pub mod facts;
pub mod lint;
pub mod lints;
mod pattern;
pub mod place;
pub mod subset;
mod wording;

pub use change::{Bump, Change, ChangeRule, Diff, DiffOptions, Profile, Version};
pub use changes::{CHANGES, Case, cases, diff, find_change, verdict_level};
pub use facts::Facts;
pub use lint::{Finding, Group, Level, Lint};
pub use lints::{LINTS, LintOptions, Linted, SECTIONS, Subject, find_lint, lint};
