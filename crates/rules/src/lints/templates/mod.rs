//! Templates and fragments (catalogue 3.6).

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::lint::Lint;

mod ambiguous_placeholder;
mod cyclic_fragment;
mod dotted_placeholder;
mod logic_placeholder;
mod malformed_placeholder;
mod mismatched_placeholder;
mod nested_placeholder;
pub(super) mod other_styles;
mod spaced_placeholder;
mod undeclared_artifact;
mod undeclared_fragment;
mod unportable_fragment;
mod unportable_template_syntax;
mod unused_fragment;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &undeclared_fragment::LINT,
    &unportable_fragment::LINT,
    &cyclic_fragment::LINT,
    &ambiguous_placeholder::LINT,
    &unused_fragment::LINT,
    &undeclared_artifact::LINT,
    &spaced_placeholder::LINT,
    &dotted_placeholder::LINT,
    &logic_placeholder::LINT,
    &malformed_placeholder::LINT,
    &mismatched_placeholder::LINT,
    &unportable_template_syntax::LINT,
    &nested_placeholder::LINT,
];

/// The names of the artifacts that the states of the workflow declare; all states share them.
fn artifact_names<'a>(pack: &Facts<'a>) -> BTreeSet<&'a str> {
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    states.flat_map(|state| state.map("artifacts").map(|(name, _)| name)).collect()
}
