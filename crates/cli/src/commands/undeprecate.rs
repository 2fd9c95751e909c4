//! `packhouse undeprecate ID@VERSION`: take a deprecation back.

use clap::Args;
use client::Deed;

use super::change::Undone;
use crate::exit::Verdict;

/// Take a deprecation back
///
/// What the `packhouse.toml` of the pack's repository deprecates is taken back there only. Needs a token with the scope
/// `yank`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse undeprecate support@1.3.0")]
pub struct Arguments {
    #[command(flatten)]
    change: Undone,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.change.make(Deed::Undeprecate)
}
