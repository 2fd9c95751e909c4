//! Skills (catalogue 3.12).

use crate::lint::Lint;

mod missing_skill;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[&missing_skill::LINT];
