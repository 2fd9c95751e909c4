//! The commands: one file each, with its arguments and its work.

use clap::Subcommand;
use client::Client;

use crate::args::RegistryOptions;
use crate::complaint::Complaint;
use crate::environment;
use crate::exit::Verdict;

mod bump;
mod change;
mod channel;
mod check;
mod completions;
mod config;
#[cfg(feature = "serve")]
mod demo;
mod deprecate;
mod diff;
mod explain;
mod fetch;
mod info;
mod init;
#[cfg(feature = "serve")]
mod ledger;
mod lint;
mod lsp;
mod man;
mod remove;
mod rules;
mod schema;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod token;
mod undeprecate;
mod unyank;
mod yank;

/// What to do. What each command says of itself stands at its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    Lint(lint::Arguments),
    Diff(diff::Arguments),
    Check(check::Arguments),
    Bump(bump::Arguments),
    Explain(explain::Arguments),
    Rules(rules::Arguments),
    Fetch(fetch::Arguments),
    Search(search::Arguments),
    Info(info::Arguments),
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    #[cfg(feature = "serve")]
    Demo(demo::Arguments),
    #[cfg(feature = "serve")]
    Ledger(ledger::Arguments),
    Yank(yank::Arguments),
    Unyank(unyank::Arguments),
    Deprecate(deprecate::Arguments),
    Undeprecate(undeprecate::Arguments),
    Remove(remove::Arguments),
    Channel(channel::Arguments),
    Config(config::Arguments),
    Token(token::Arguments),
    Init(init::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Lsp(lsp::Arguments),
}

/// Runs a command.
///
/// # Errors
/// Whatever kept the command from doing its job.
pub fn run(command: Command) -> anyhow::Result<Verdict> {
    match command {
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Bump(arguments) => bump::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Rules(arguments) => rules::run(&arguments),
        Command::Fetch(arguments) => fetch::run(&arguments),
        Command::Search(arguments) => search::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Demo(arguments) => demo::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Ledger(arguments) => ledger::run(&arguments),
        Command::Yank(arguments) => yank::run(&arguments),
        Command::Unyank(arguments) => unyank::run(&arguments),
        Command::Deprecate(arguments) => deprecate::run(&arguments),
        Command::Undeprecate(arguments) => undeprecate::run(&arguments),
        Command::Remove(arguments) => remove::run(&arguments),
        Command::Channel(arguments) => channel::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Token(arguments) => token::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
    }
}

/// The client of the registry that `--registry` or the environment names.
///
/// # Errors
/// When none is named, or its address cannot be read.
pub fn registry_client(options: &RegistryOptions) -> anyhow::Result<Client> {
    let Some(url) = options.registry.as_deref().filter(|url| !url.is_empty()) else {
        return Err(Complaint::new("no registry is named")
            .help(format!("name it with `--registry URL`, or set {}", environment::REGISTRY))
            .into());
    };
    Ok(Client::new(url, options.token())?)
}

/// A value of a closed list as JSON writes it: `caller`, `proven`.
pub fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
