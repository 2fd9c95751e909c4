//! Proves every rule: each fires on its flagged fixtures, stays silent on its clean ones, and all of them run over
//! every fixture.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read fixtures from disk")]

mod changes;
mod completeness_parts;
mod completeness_workflow;
mod everything;
mod fixes;
mod fixture;
mod format;
mod fuzz;
mod guides;
mod hostile;
mod lints;
mod mutation;
mod packs;
#[path = "../support/patch.rs"]
mod patch;
mod reference;
mod repeated;
mod subset;
mod subset_hostile;
mod versions;
mod wrong_types;
