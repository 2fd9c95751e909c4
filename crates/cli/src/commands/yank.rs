//! `packhouse yank ID@VERSION`: make ranges and `latest` skip a release.

use clap::Args;
use client::Deed;

use super::change::Target;
use crate::exit::Verdict;

/// Make ranges and `latest` skip a release
///
/// Its exact version and digest stay served. Needs a token with the scope `yank`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse yank support@1.3.0 --reason \"wrong refund limit\"")]
pub struct Arguments {
    #[command(flatten)]
    target: Target,
    /// Why: it is shown to everybody who meets the release
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.target.change(Deed::Yank, Some(&arguments.reason))
}
