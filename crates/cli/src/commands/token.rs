//! `packhouse token new`: makes a token for a registry.

use clap::{Args, Subcommand};
use pack::Digest;
use registry::settings::{Scope, is_group, is_name};

use crate::complaint::{Complaint, say};
use crate::exit::Verdict;
use crate::output::print;

/// Make tokens for a registry
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print a new token, and the lines for the registry's configuration
    ///
    /// The token stands on the first line. It is kept nowhere: the configuration holds its SHA-256 only.
    #[command(after_help = "Example:\n  packhouse token new --name ci --scope read --scope sync")]
    New {
        /// Who will hold it, as the ledger records it
        #[arg(long)]
        name: String,
        /// What it is for: read, check, sync, yank (also deprecations and channels), admin (also removals, and all
        /// others)
        #[arg(long = "scope", value_name = "SCOPE", num_args = 1.., required = true)]
        scopes: Vec<Scope>,
        /// A group that its holder belongs to
        #[arg(long = "group", value_name = "GROUP", num_args = 1..)]
        groups: Vec<String>,
    },
}

/// How many random bytes a token has.
const BYTES: usize = 32;

/// Runs the command.
///
/// # Errors
/// When a name cannot be used, or the system gives no random bytes.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let Action::New { name, scopes, groups } = &arguments.action;
    if !is_name(name) {
        return Err(Complaint::new(format!("`{name}` may not name a token"))
            .help("letters, digits and `.`, `_`, `-`, `@`, at most 100 of them")
            .into());
    }
    if let Some(group) = groups.iter().find(|group| !is_group(group)) {
        return Err(Complaint::new(format!("`{group}` cannot be the name of a group"))
            .help("printable ASCII without commas, semicolons and quotes, and no space at an end")
            .into());
    }
    let token = token()?;
    print(&format!("{token}\n\n{}", table(name, scopes, groups, &token)))?;
    say(
        "give the first line to its holder, who sets PACKHOUSE_TOKEN; add the rest to registry.toml and restart",
    );
    Ok(Verdict::Pass)
}

/// A text that nobody can guess. Its start tells scanners for leaked secrets what it is.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Complaint::new(format!("the system gives no random bytes: {error}")))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("packhouse_{digits}"))
}

fn table(name: &str, scopes: &[Scope], groups: &[String], token: &str) -> String {
    let list = |items: &[&str]| {
        let quoted: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
        quoted.join(", ")
    };
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let mut table = format!(
        "[[auth.token]]\nname = \"{name}\"\nsha256 = \"{}\"\nscopes = [{}]\n",
        Digest::of(token.as_bytes()).hex(),
        list(&scopes)
    );
    if !groups.is_empty() {
        table.push_str(&format!("groups = [{}]\n", list(&groups)));
    }
    table
}
