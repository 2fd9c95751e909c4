//! The loop and the web: hints in; API, pages and events out.
//!
//! Nothing is decided here: `git` reports what moved, `registry` judges, `store` remembers.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

mod counters;
mod export;
mod listen;
mod pace;
mod patience;
mod remotes;
mod scan;
mod serve;
mod signature;
mod trouble;
mod watch;
pub mod web;
mod webhooks;
mod worker;

pub use export::{ExportError, Exported, export};
pub use serve::{Daemon, ServeError};
