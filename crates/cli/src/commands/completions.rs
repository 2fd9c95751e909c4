//! `packhouse completions SHELL`: a completion script.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args;
use crate::exit::Verdict;
use crate::output::print;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse completions bash > /etc/bash_completion.d/packhouse")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut args::Arguments::command(), "packhouse", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Verdict::Pass)
}
