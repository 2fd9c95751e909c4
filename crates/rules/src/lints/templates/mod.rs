//! Templates and fragments (catalogue 3.6).

use crate::lint::Lint;

pub(super) mod other_styles;
mod undeclared_fragment;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[&undeclared_fragment::LINT];
