//! Prompts, parameters, models (catalogue 3.4).

use crate::lint::Lint;

mod blank_template;
mod combined_sampling;
mod conflicting_override;
mod unused_prompt;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] =
    &[&blank_template::LINT, &unused_prompt::LINT, &conflicting_override::LINT, &combined_sampling::LINT];
