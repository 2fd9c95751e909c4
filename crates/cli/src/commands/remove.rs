//! `packhouse remove ID@VERSION`: remove the bytes of a release, such as for a secret that leaked.

use clap::Args;
use client::Deed;

use super::change::Reasoned;
use crate::exit::Verdict;

/// Remove the bytes of a release, such as for a secret that leaked
///
/// Its number stays taken, and every path and digest of it answers that it was removed; nothing brings it back. The
/// history of the ledger, and caches in front of the registry, still hold the bytes: see "Remove a release" in
/// deploy/README.md. Needs a token with the scope `admin`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse remove support@1.3.0 --reason \"holds a customer's address\"")]
pub struct Arguments {
    #[command(flatten)]
    change: Reasoned,
}

/// Runs the command.
///
/// # Errors
/// When the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    arguments.change.make(Deed::Remove)
}
