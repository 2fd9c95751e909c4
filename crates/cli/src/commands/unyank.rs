//! `packhouse unyank ID@VERSION`: take a yank back.

use clap::Args;
use client::Deed;

use super::change::Undone;
use crate::exit::Verdict;

/// Take a yank back
///
/// What the `packhouse.toml` of the pack's repository yanks is taken back there only. Needs a token with the scope `yank`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  packhouse unyank support@1.3.0 --reason \"the limit is right after all\""
)]
pub struct Arguments {
    #[command(flatten)]
    change: Undone,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.change.make(Deed::Unyank)
}
