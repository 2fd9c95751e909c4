//! What came with spec 1.6 and later (catalogue 3.9): governance, action scopes, control, extensions, references to
//! providers, names of validators.

use super::comparison::Comparison;
use super::report::{Changes, Scope};
use crate::change::ChangeRule;

mod action_scope;
mod cadence;
mod control;
mod duty;
mod effective;
mod extensions;
mod independence;
mod listed;
mod obligation;
mod provider;
mod record;
mod review;
mod validator;
mod vendor;
mod vocabulary;

pub(super) use provider::{looks_up_optional, provider_keys};

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &vendor::ADDED,
    &vendor::REMOVED,
    &provider::PROMPT_CHANGED,
    &provider::STEP_CHANGED,
    &provider::OPTIONAL_REFERENCED,
    &provider::REMOVED_BUT_USED,
    &effective::ADDED,
    &effective::REMOVED,
    &record::PURPOSE_CHANGED,
    &record::OWNER_CHANGED,
    &record::OPERATOR_ROLE_CHANGED,
    &record::RISK_CHANGED,
    &record::CONTEXTS_CHANGED,
    &record::CAPABILITIES_CHANGED,
    &listed::MISUSE_ADDED,
    &listed::MISUSE_REMOVED,
    &duty::AUTONOMY_RAISED,
    &duty::AUTONOMY_LOWERED,
    &listed::ENVIRONMENTS_DECLARED,
    &listed::ENVIRONMENTS_DROPPED,
    &listed::ENVIRONMENT_REMOVED,
    &listed::ENVIRONMENT_ADDED,
    &duty::DISCLOSURE_REQUIRED,
    &duty::DISCLOSURE_DROPPED,
    &vocabulary::CHANGED,
    &vocabulary::UNUSED_CHANGED,
    &action_scope::ADDED,
    &action_scope::REMOVED,
    &action_scope::RAISED,
    &action_scope::LOWERED,
    &extensions::CHANGED,
    &control::CHANGED,
    &control::LOOP_UNBOUNDED,
    &validator::FLAG_INERT_CHANGED,
    &validator::OBSERVING_ENFORCED,
    &validator::ID_ADDED,
    &validator::ID_REMOVED,
    &validator::ID_CHANGED,
    &obligation::ADDED,
    &obligation::CONTROL_ADDED,
    &obligation::REMOVED,
    &obligation::CONTROL_REMOVED,
    &obligation::CONTROL_WEAKENED,
    &obligation::CHANGED,
    &obligation::RENAMED,
    &review::ADDED,
    &review::REMOVED,
    &review::CADENCE_SHORTENED,
    &review::CADENCE_LENGTHENED,
    &review::OWNER_CHANGED,
    &review::CHANGED,
    &review::RENAMED,
    &independence::ADDED,
    &independence::AXIS_ADDED,
    &independence::TIGHTENED,
    &independence::REMOVED,
    &independence::AXIS_REMOVED,
    &independence::RELAXED,
];

/// Compares what came with spec 1.6 and later.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    changes.scope(Scope::default());
    vendor::compare(comparison, changes);
    control::compare_loops(comparison, changes);
    effective::compare(comparison, changes);
    provider::compare(comparison, changes);
    action_scope::compare(comparison, changes);
    control::compare(comparison, changes);
    validator::compare(comparison, changes);
    extensions::compare(comparison, changes);
}
