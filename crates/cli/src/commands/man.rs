//! `packhouse man`: the manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::args;
use crate::exit::Verdict;
use crate::output::print;

/// Print the manual page, or write those of all commands
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  packhouse man | man -l -\n  packhouse man --dir /usr/local/share/man/man1"
)]
pub struct Arguments {
    /// The folder to write a page per command to
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When a page cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let mut command = args::Arguments::command();
    command.build();
    match &arguments.dir {
        None => print(&page(&command)?)?,
        Some(folder) => {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            write_all(&command, "packhouse", folder)?;
        }
    }
    Ok(Verdict::Pass)
}

fn page(command: &Command) -> anyhow::Result<String> {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn write_all(command: &Command, name: &str, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    let text = page(&command.clone().name(name.to_owned()))?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        write_all(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(())
}
