//! Skills and their content (first part of catalogue 3.8).

use std::collections::BTreeSet;

use super::comparison::Comparison;
use super::pairing::{Content, Pairing};
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod content;
mod entries;
mod entry;

use entry::Entry;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &entries::ADDED,
    &entries::REMOVED,
    &entries::RENAMED,
    &content::CONTENT_CHANGED,
    &content::INSTRUCTIONS_CHANGED,
    &content::DESCRIPTION_CHANGED,
    &content::UNRESOLVED,
    &entries::PACKAGE_REF_CHANGED,
    &entries::PRELOAD_CHANGED,
    &entries::ORDER_CHANGED,
];

/// Compares the skills of both versions, each with the files around it.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    let (old, new) = (Entry::all(comparison.old), Entry::all(comparison.new));
    let mut skills = Pairing::by_name(&old, &new, |entry| entry.identity.as_str());
    skills.recognize(|entry| Content::text(&entry.fingerprint()));
    entries::compare(&skills, changes);
    let renamed: BTreeSet<&str> = skills.renamed.iter().map(|(_, new)| new.identity.as_str()).collect();
    for (old, new) in skills.pairs() {
        entries::compare_pair(old, new, changes);
        if !renamed.contains(new.identity.as_str()) {
            content::compare(old, new, changes);
        }
    }
}
