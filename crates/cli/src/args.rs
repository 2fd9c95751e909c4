//! The arguments of the command line, before anything is done with them.
//!
//! Each command keeps its own arguments beside it; what several share stands here.

use clap::{Args, Parser, ValueEnum};

use crate::commands::Command;
use crate::environment;

/// Git-backed registry, linter and CI gate for PromptPack packs.
#[derive(Debug, Parser)]
#[command(
    name = "packhouse",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Example:\n  packhouse lint packs/\n\n\
        Exit status: 0 pass; 1 findings, an insufficient bump, or not found; 2 the job could not be done."
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What holds for every command.
    #[command(flatten)]
    pub options: GlobalOptions,
}

/// What holds for every command.
#[derive(Debug, Args)]
pub struct GlobalOptions {
    /// When to use colors: auto (asks the terminal and NO_COLOR), always, never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        display_order = 100,
        hide_possible_values = true
    )]
    pub color: Color,
    /// How the verdict becomes an exit status.
    #[command(flatten)]
    pub exit: ExitOptions,
}

/// How the verdict becomes an exit status.
#[derive(Debug, Args)]
pub struct ExitOptions {
    /// Exit with 0 where findings would make it 1; never hides a 2
    #[arg(long, global = true, display_order = 101)]
    pub exit_zero: bool,
    /// Exit with N instead of 1 for findings
    #[arg(long, global = true, value_name = "N", display_order = 102, value_parser = findings_exit_code,
        conflicts_with = "exit_zero")]
    pub findings_exit_code: Option<u8>,
}

fn findings_exit_code(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(0) => Err("0 means pass; use `--exit-zero` for that".to_owned()),
        Ok(2) => Err("2 means that the job could not be done".to_owned()),
        Ok(code) => Ok(code),
        Err(_) => Err("expected a number from 1 to 255".to_owned()),
    }
}

/// When to use colors.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum Color {
    /// Where the output is a terminal and NO_COLOR is unset
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Makes every later output follow the choice.
    pub fn apply(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The registry to ask.
#[derive(Debug, Clone, Args)]
pub struct RegistryOptions {
    /// The registry's address, such as https://packs.example.org
    #[arg(long, value_name = "URL", env = environment::REGISTRY)]
    pub registry: Option<String>,
    /// A token of the registry; better set PACKHOUSE_TOKEN, since other processes can list arguments
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
}

impl RegistryOptions {
    /// The token that was given, else that of the environment.
    pub fn token(&self) -> Option<String> {
        let given = self.token.clone().filter(|token| !token.is_empty());
        given.or_else(|| environment::read(environment::TOKEN))
    }
}

/// The two formats of commands that print data rather than findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DataFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}
