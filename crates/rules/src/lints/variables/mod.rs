//! Variables (catalogue 3.5).

use std::collections::BTreeSet;

use pack::model::Variable;
use pack::template::Class;

use crate::facts::Facts;
use crate::lint::Lint;

mod constraints;
mod empty_default;
mod ignored_constraint;
mod incomplete_binding;
mod invalid_pattern;
mod mismatched_default;
mod mismatched_example;
mod missing_default;
mod missing_variables;
pub(super) mod patterns;
mod required_default;
mod runtime_variable;
mod secret_binding;
mod undeclared_variable;
mod unknown_variable_type;
mod unportable_pattern;
mod unsatisfiable_constraint;
mod unused_variable;
pub(super) mod uses;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &undeclared_variable::LINT,
    &missing_variables::LINT,
    &unused_variable::LINT,
    &required_default::LINT,
    &missing_default::LINT,
    &empty_default::LINT,
    &mismatched_default::LINT,
    &mismatched_example::LINT,
    &unsatisfiable_constraint::LINT,
    &invalid_pattern::LINT,
    &unportable_pattern::LINT,
    &ignored_constraint::LINT,
    &unknown_variable_type::LINT,
    &incomplete_binding::LINT,
    &secret_binding::LINT,
    &runtime_variable::LINT,
];

/// The variables that callers may omit and that a template of their prompt uses.
fn optional_and_used<'a>(pack: &Facts<'a>) -> Vec<Variable<'a>> {
    let mut found = Vec::new();
    for prompt in pack.prompts() {
        let rendered = prompt.all_uses(pack).filter_map(|place| match place.class {
            Class::Variable(name) => Some(name),
            _ => None,
        });
        let used: BTreeSet<&str> = rendered.collect();
        let optional = prompt.prompt.variables().filter(|variable| variable.flag("required") == Some(false));
        found.extend(optional.filter(|variable| used.contains(variable.name())));
    }
    found
}
