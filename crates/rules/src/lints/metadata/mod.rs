//! Pack and metadata (catalogue 3.3).

use crate::lint::Lint;

mod blank_text;
mod duplicate_id;
mod duplicate_item;
mod invalid_date;
mod invalid_version;
mod inverted_range;
mod mismatched_key;
mod missing_description;
mod misspelled_value;
mod unfinished_text;
mod unknown_language;
mod unknown_value;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &invalid_version::LINT,
    &mismatched_key::LINT,
    &duplicate_id::LINT,
    &blank_text::LINT,
    &missing_description::LINT,
    &unfinished_text::LINT,
    &unknown_language::LINT,
    &duplicate_item::LINT,
    &inverted_range::LINT,
    &invalid_date::LINT,
    &unknown_value::LINT,
    &misspelled_value::LINT,
];
