//! `packhouse deprecate ID@VERSION`: tell whoever uses a release to leave it.

use clap::Args;
use client::Deed;

use super::change::Reasoned;
use crate::exit::Verdict;

/// Tell whoever uses a release to leave it
///
/// Ranges and `latest` still mean it. Needs a token with the scope `yank`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  packhouse deprecate support@1.3.0 --reason \"use 2.0.0, which knows refunds\""
)]
pub struct Arguments {
    #[command(flatten)]
    change: Reasoned,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.change.make(Deed::Deprecate)
}
