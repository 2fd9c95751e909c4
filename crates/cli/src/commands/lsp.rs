//! `packhouse lsp`: the language server for editors.

use clap::Args;

use crate::exit::Verdict;

/// Serve an editor over standard input and output (language server protocol)
#[derive(Debug, Args)]
#[command(after_help = "Example (Neovim):\n  vim.lsp.start({ cmd = { 'packhouse', 'lsp' } })\n\n\
    Shows what `packhouse lint` says of every open pack, while it is written.")]
pub struct Arguments {
    /// Accepted because editors pass it; standard input and output are the only way
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the command until the editor ends it.
///
/// # Errors
/// When the editor breaks the protocol or goes away.
pub fn run(_: &Arguments) -> anyhow::Result<Verdict> {
    lsp::run()?;
    Ok(Verdict::Pass)
}
