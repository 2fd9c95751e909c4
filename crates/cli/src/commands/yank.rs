//! `packhouse yank ID@VERSION`: make ranges and `latest` skip a release.

use clap::Args;
use client::Deed;

use super::change::Reasoned;
use crate::exit::Verdict;

/// Make ranges and `latest` skip a release
///
/// Its exact version and digest stay served. Needs a token with the scope `yank`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse yank support@1.3.0 --reason \"wrong refund limit\"")]
pub struct Arguments {
    #[command(flatten)]
    change: Reasoned,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.change.make(Deed::Yank)
}
