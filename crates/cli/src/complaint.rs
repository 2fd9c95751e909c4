//! What a command says when it cannot do its job: one line that names what and where, one that says what to do.

use std::fmt;

use anstream::eprintln;
use anstyle::{AnsiColor, Style};

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
    error.downcast_ref::<Complaint>().is_some_and(|complaint| complaint.not_found)
}

/// Writes the line `error: …` and, where there is help, the line `help: …`.
pub fn print(error: &anyhow::Error) {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    labelled("error", AnsiColor::Red, &chain.join(": "));
    if let Some(help) = error.downcast_ref::<Complaint>().and_then(|complaint| complaint.help.as_ref()) {
        labelled("help", AnsiColor::Cyan, help);
    }
}

/// Writes the line `warning: …`.
pub fn warn(message: &str) {
    labelled("warning", AnsiColor::Yellow, message);
}

/// Writes a plain line: what was done.
pub fn say(message: &str) {
    eprintln!("{message}");
}

fn labelled(label: &str, color: AnsiColor, text: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    eprintln!("{style}{label}{style:#}: {text}");
}
