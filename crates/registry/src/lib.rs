//! Decides: settings, discovery, baseline, report, plan; references, ranges and resolved forms.
//!
//! The room is pure. [`evaluate`] stands behind every door, so that an author, a pull request, the daemon and the
//! web say the same of the same pack. What is kept and how it is kept is the business of the room `store`.
#![forbid(unsafe_code)]

pub mod acceptance;
pub mod acknowledge;
pub mod borrowed;
pub mod bundle;
pub mod candidate;
pub mod discover;
pub mod event;
pub mod gate;
pub mod idle;
pub mod judge;
pub mod lifting;
pub mod package;
pub mod pattern;
pub mod portable;
pub mod problem;
pub mod range;
pub mod reference;
pub mod refusal;
pub mod release;
pub mod report;
pub mod resolve;
pub mod rule_documents;
pub mod settings;
pub mod status;
pub mod topic;
pub mod version;
pub mod weigh;

pub use candidate::{Archive, Candidate, Outcome, ReleaseContent, Terms, judge};
pub use event::{Event, EventType};
pub use judge::{
    Baseline, Evaluated, Input, Parsed, Plan, Settings, compare, compare_parsed, evaluate, plan,
};
pub use problem::{Problem, ProblemCode, ProblemState};
pub use reference::{Reference, Wanted};
pub use release::{Flag, Form, NewRelease, Release};
pub use report::{CheckReport, DiffReport, LintReport, Report};
pub use settings::{RegistrySettings, RepositorySettings, SettingsError};

/// Digests, for rooms that know `registry` only.
pub use pack::Digest;
