//! The pack as a whole and its template engine (catalogue 3.1).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[];

/// Compares what belongs to the whole pack.
pub(super) fn compare(_comparison: &Comparison<'_>, _changes: &mut Changes<'_>) {}
