//! Templates and fragments (catalogue 3.6).

use crate::lint::Lint;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[];
