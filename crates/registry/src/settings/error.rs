//! What is wrong with a settings file: where, and what to do.

use std::fmt;

use pack::similar::closest;
use serde::de::DeserializeOwned;

/// A settings file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// The key that it concerns, as `policy.on_invalid`; empty for the whole file.
    pub key: String,
    /// The line, from 1, where one is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl SettingsError {
    pub(super) fn new(key: impl Into<String>, message: impl Into<String>) -> SettingsError {
        SettingsError { key: key.into(), line: None, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> SettingsError {
        self.help = Some(help.into());
        self
    }

    /// Finds the line that the key stands on, where the error does not know it: in a table of its name, else anywhere.
    pub(super) fn located(mut self, text: &str) -> SettingsError {
        let (table, last) = self.key.rsplit_once('.').unwrap_or(("", &self.key));
        let last = last.trim_matches('"');
        if self.line.is_none() && !last.is_empty() {
            let mut header = "";
            let mut anywhere = None;
            for (index, line) in text.lines().enumerate() {
                header = table_of(line).unwrap_or(header);
                if key_of(line) != Some(last) {
                    continue;
                }
                anywhere = anywhere.or(Some(index + 1));
                if header == table {
                    self.line = Some(index + 1);
                    break;
                }
            }
            self.line = self.line.or(anywhere);
        }
        self
    }
}

/// The table that a line of TOML begins.
fn table_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let inner = line.strip_prefix("[[").and_then(|rest| rest.split_once("]]"));
    let inner = inner.or_else(|| line.strip_prefix('[').and_then(|rest| rest.split_once(']')));
    inner.map(|(name, _)| name.trim())
}

/// The key that a line of TOML sets, without quotes.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    Some(key.trim().trim_matches('"'))
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        if self.key.is_empty() {
            write!(formatter, "{}", self.message)?;
        } else {
            write!(formatter, "`{}`: {}", self.key, self.message)?;
        }
        match &self.help {
            Some(help) => write!(formatter, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SettingsError {}

/// Reads TOML into `T`; unknown keys and unknown words get a suggestion.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, SettingsError> {
    let deserializer =
        toml::Deserializer::parse(text).map_err(|error| of_toml(&error, String::new(), text))?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        // The name under which toml hands out where a value stands is no key of anybody.
        let path = error.path().to_string().replace(".$__serde_spanned_private_value", "");
        let key = if path == "." { String::new() } else { path };
        of_toml(error.inner(), key, text)
    })
}

fn of_toml(error: &toml::de::Error, key: String, text: &str) -> SettingsError {
    let message = error.message().lines().next().unwrap_or_default().to_owned();
    let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let (message, help) = explained(&message, &key);
    SettingsError { key, line, message, help }
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into a sentence and a suggestion, and names the brackets
/// of a table that stands where a list of tables is meant.
fn explained(message: &str, key: &str) -> (String, Option<String>) {
    if message == "invalid type: map, expected a sequence" {
        let help = format!("each stands under a header in double brackets: [[{key}]]");
        return ("a table stands where a list of tables is meant".to_owned(), Some(help));
    }
    for (start, what) in
        [("unknown field `", "there is no such key"), ("unknown variant `", "there is no such value")]
    {
        let Some((word, rest)) = message.strip_prefix(start).and_then(|rest| rest.split_once('`')) else {
            continue;
        };
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        let help = match closest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => return (format!("{what}: `{word}`"), None),
            None => format!("known here: {}", known.join(", ")),
        };
        return (format!("{what}: `{word}`"), Some(help));
    }
    (message.to_owned(), None)
}
