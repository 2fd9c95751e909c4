//! The editor's door: a language server on standard input and output that shows what the linter says.
//!
//! Every change of an open pack is linted at once, with the settings of its repository, through the same function as
//! everywhere else. UTF-16 columns exist only here.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

mod diagnostics;
mod overlay;
mod server;

#[cfg(test)]
mod tests;

pub use server::{ServerError, run, serve};
