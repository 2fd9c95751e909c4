//! What a command says when it cannot do its job: one line that names what and where, one that says what to do.

use std::fmt;

use anstream::eprintln;
use anstyle::{AnsiColor, Style};
use client::ClientError;

use crate::output::printable;

/// Something that stops a command, in words for people.
#[derive(Debug)]
pub struct Complaint {
    message: String,
    help: Option<String>,
    not_found: bool,
}

impl Complaint {
    /// A complaint without help.
    pub fn new(message: impl Into<String>) -> Complaint {
        Complaint { message: message.into(), help: None, not_found: false }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Complaint {
        self.help = Some(help.into());
        self
    }

    /// Says that something asked for is not there, which is exit status 1 instead of 2.
    #[must_use]
    pub fn not_found(mut self) -> Complaint {
        self.not_found = true;
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

/// Whether the error says that something asked for is not there.
pub fn is_not_found(error: &anyhow::Error) -> bool {
    let of_registry = error.downcast_ref::<ClientError>();
    error.downcast_ref::<Complaint>().is_some_and(|complaint| complaint.not_found)
        || matches!(of_registry, Some(ClientError::NotFound { .. } | ClientError::NoForm { .. }))
}

/// Writes the line `error: …` and, where there is help, the line `help: …`.
pub fn print(error: &anyhow::Error) {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    labelled("error", AnsiColor::Red, &chain.join(": "));
    let own = error.downcast_ref::<Complaint>().and_then(|complaint| complaint.help.clone());
    let of_registry = || help_with(error.downcast_ref::<ClientError>()?);
    if let Some(help) = own.or_else(of_registry) {
        labelled("help", AnsiColor::Cyan, &help);
    }
}

/// What to do when a registry does not give what was asked for.
fn help_with(error: &ClientError) -> Option<String> {
    let help = match error {
        ClientError::NotFound { what, .. } => return Some(no_such(what)),
        ClientError::NoForm { .. } => "take another form with `--form`",
        ClientError::Unreachable { .. } => "check the address and that the registry runs",
        ClientError::Problem { status: 401 | 403, .. } => {
            "set PACKHOUSE_TOKEN to a token with the right scope, or give it with `--token`"
        }
        ClientError::Problem { status: 409, .. } => {
            "what a pack's own `packhouse.toml` says is changed in its repository, and what a follower serves at its \
             writer"
        }
        ClientError::WrongDigest { .. } => {
            "nothing was written; the bytes were changed on the way or at the registry"
        }
        ClientError::Address { .. } => "write it as https://packs.example.org",
        ClientError::Lock { .. } => {
            "restore it with `git checkout packhouse.lock`, or remove it and fetch again"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// What to do where the registry knows no such pack or version.
pub fn no_such(what: &str) -> String {
    match what.split_once('@') {
        Some((id, _)) if !id.is_empty() && !id.contains(char::is_whitespace) => {
            format!("`packhouse info {id}` lists its versions, and `packhouse search` all packs")
        }
        _ => "`packhouse search` lists what there is".to_owned(),
    }
}

/// Writes the line `warning: …`.
pub fn warn(message: &str) {
    labelled("warning", AnsiColor::Yellow, message);
}

/// Writes a plain line: what was done.
pub fn say(message: &str) {
    eprintln!("{}", printable(message));
}

fn labelled(label: &str, color: AnsiColor, text: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    eprintln!("{style}{label}{style:#}: {}", printable(text));
}
