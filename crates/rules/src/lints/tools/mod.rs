//! Tools and tool policy (catalogue 3.7).

use crate::lint::Lint;

mod undeclared_tool;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[&undeclared_tool::LINT];
