//! Compositions (catalogue 3.13).

use pack::Node;
use pack::model::Step;

use crate::facts::Facts;
use crate::lint::Lint;

use references::{Reference, Site, references, sites};
use steps::{PlacedStep, Steps};

mod input_fields;
mod order;
mod references;
mod steps;

mod cyclic_step;
mod empty_predicate;
mod foreign_step_field;
mod invalid_output_step;
mod later_step_reference;
mod malformed_reference;
mod mismatched_predicate_value;
mod mismatched_tool_args;
mod missing_join;
mod nested_parallel;
mod undeclared_reference_field;
mod undeclared_step;
mod unlisted_termination_tool;
mod unordered_step_reference;
mod unused_composition;
mod vendor_step_kind;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &unused_composition::LINT,
    &undeclared_step::LINT,
    &invalid_output_step::LINT,
    &cyclic_step::LINT,
    &later_step_reference::LINT,
    &unordered_step_reference::LINT,
    &undeclared_reference_field::LINT,
    &malformed_reference::LINT,
    &mismatched_tool_args::LINT,
    &unlisted_termination_tool::LINT,
    &empty_predicate::LINT,
    &mismatched_predicate_value::LINT,
    &missing_join::LINT,
    &foreign_step_field::LINT,
    &nested_parallel::LINT,
    &vendor_step_kind::LINT,
];

/// The compositions of a pack with their steps.
fn compositions<'a>(pack: &Facts<'a>) -> impl Iterator<Item = Steps<'a>> {
    pack.pack.compositions().map(Steps::of)
}

/// Every reference of a composition: the step that reads it, the text, the reference in it.
fn all_references<'a>(steps: &Steps<'a>) -> Vec<(PlacedStep<'a>, Site<'a>, Reference<'a>)> {
    let mut found = Vec::new();
    for placed in steps.all() {
        for site in sites(placed.step) {
            found.extend(references(site.text).into_iter().map(|reference| (*placed, site, reference)));
        }
    }
    found
}

/// The predicate of a branch and all predicates inside it, outer ones first.
fn predicates(step: Step<'_>) -> Vec<Node<'_>> {
    let mut found: Vec<Node<'_>> =
        step.get("predicate").filter(|_| step.kind() == Some("branch")).into_iter().collect();
    let mut next = 0;
    while next < found.len() {
        let predicate = found[next];
        found.extend(predicate.list("all_of").chain(predicate.list("any_of")).chain(predicate.get("not")));
        next += 1;
    }
    found.retain(|node| node.is_object());
    found
}

/// The id of a step for messages.
fn called<'a>(step: Step<'a>) -> &'a str {
    step.id().unwrap_or("without id")
}

/// One well-formed reference to the output of a step of the composition.
struct OutputRead<'a> {
    reader: PlacedStep<'a>,
    site: Site<'a>,
    reference: Reference<'a>,
    /// The position of the step that is read.
    read: usize,
}

/// Every reference to an output, those of branches left out: branches give none, which is said of its own.
fn output_reads<'a>(steps: &Steps<'a>) -> Vec<OutputRead<'a>> {
    let references = all_references(steps).into_iter().filter_map(|(reader, site, reference)| {
        let (id, _) = reference.path.as_ref()?.step_output()?;
        let read = steps.find(id)?;
        let gives_output = steps.all()[read].step.kind() != Some("branch");
        gives_output.then_some(OutputRead { reader, site, reference, read })
    });
    references.collect()
}
