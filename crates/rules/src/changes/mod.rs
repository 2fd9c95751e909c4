//! The list of all change rules, a folder per section of the catalogue, and the comparison of two versions.
//!
//! Both versions are brought into a normal form (`side`), paired once (`comparison`), and handed to the rules of
//! each section. A rule states one thing about a pair; everything that a finding carries besides (places, spans,
//! fingerprint, bump under the profile) is completed afterwards (`finish`).

use std::sync::LazyLock;

use crate::change::{ChangeRule, Diff, DiffOptions, Version};
use crate::facts::Facts;

mod cases;
mod comparison;
mod compositions;
mod finish;
mod generation;
mod later;
mod media;
mod pack;
mod pairing;
mod prompts;
mod providers;
mod report;
mod side;
mod skills;
mod text;
mod tools;
mod value;
mod variables;
mod version;
mod witness;
mod workflow;

pub use cases::{Case, cases};
pub use version::verdict_level;

use comparison::Comparison;
use report::Changes;
use side::Side;

/// Every change rule, in the order of the catalogue.
pub static CHANGES: LazyLock<Vec<&'static ChangeRule>> = LazyLock::new(|| {
    let sections = [
        version::CHANGES.to_vec(),
        pack::CHANGES.to_vec(),
        prompts::CHANGES.to_vec(),
        variables::CHANGES.to_vec(),
        tools::CHANGES.concat(),
        generation::CHANGES.to_vec(),
        media::CHANGES.to_vec(),
        workflow::CHANGES.to_vec(),
        skills::CHANGES.to_vec(),
        compositions::CHANGES.to_vec(),
        providers::CHANGES.to_vec(),
        later::CHANGES.to_vec(),
    ];
    sections.concat()
});

/// The change rule of that id.
pub fn find_change(id: &str) -> Option<&'static ChangeRule> {
    CHANGES.iter().find(|rule| rule.id == id).copied()
}

/// Everything that changed from `old` to `new`.
pub fn diff(old: Version<'_>, new: Version<'_>, options: DiffOptions<'_>) -> Diff {
    let old_facts = Facts::without_schema(old.document, old.path, old.tree, None, options.host_variables);
    let new_facts = Facts::without_schema(new.document, new.path, new.tree, None, options.host_variables);
    let (old_side, new_side) = (Side::new(&old_facts), Side::new(&new_facts));
    let comparison = Comparison::new(&old_side, &new_side);
    let mut changes = Changes::default();
    pack::compare(&comparison, &mut changes);
    prompts::compare(&comparison, &mut changes);
    variables::compare(&comparison, &mut changes);
    tools::compare(&comparison, &mut changes);
    generation::compare(&comparison, &mut changes);
    media::compare(&comparison, &mut changes);
    workflow::compare(&comparison, &mut changes);
    skills::compare(&comparison, &mut changes);
    compositions::compare(&comparison, &mut changes);
    providers::compare(&comparison, &mut changes);
    later::compare(&comparison, &mut changes);
    witness::attach(&comparison, &mut changes);
    pack::unknown::compare(&comparison, &mut changes);
    let id = new_side.pack.id().or(old_side.pack.id()).unwrap_or_default();
    finish::finish(changes, old.document, new.document, id, options)
}
