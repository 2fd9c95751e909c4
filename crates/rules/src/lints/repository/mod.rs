//! The Git tree and the configuration (catalogue 3.17).

use crate::lint::Lint;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[];
