//! Variables (catalogue 3.5).

use crate::lint::Lint;

mod missing_variables;
mod undeclared_variable;
mod unused_variable;
mod uses;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] =
    &[&undeclared_variable::LINT, &missing_variables::LINT, &unused_variable::LINT];
