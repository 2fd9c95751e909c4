//! What a command found, written in the formats that were asked for.
//!
//! A format is one file with one function from a [`Run`] to text. None decides anything: a display limit changes
//! neither totals nor the exit status, and equal runs give equal bytes.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use registry::topic::{by_topic, need_headings};

mod acceptance;
mod concise;
mod github;
mod gitlab;
mod item;
mod json;
mod junit;
mod markdown;
mod printable;
mod sarif;
mod text;

pub use item::{Change, Item, Run, Section, Shown, Spot, Texts, id_shown, version_shown};
pub use printable::printable;

/// The formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Code frames for people
    #[default]
    Text,
    /// One line each: path:line:col: level[rule] message
    Concise,
    /// One document
    Json,
    /// One document per line
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// The code quality report of GitLab
    Gitlab,
    /// JUnit XML
    Junit,
    /// A comment for a pull request
    Markdown,
}

impl Format {
    fn render(self, run: &Run) -> anyhow::Result<String> {
        Ok(match self {
            Format::Text => text::render(run),
            Format::Concise => concise::render(run),
            Format::Json => json::document(run)?,
            Format::Jsonl => json::lines(run)?,
            Format::Sarif => sarif::render(run)?,
            Format::Github => github::render(run),
            Format::Gitlab => gitlab::render(run)?,
            Format::Junit => junit::render(run),
            Format::Markdown => markdown::render(run),
        })
    }
}

/// Where the findings go.
#[derive(Debug, Args)]
pub struct OutputOptions {
    /// How to print the findings
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_possible_values = true,
        help = "How to print the findings: text, concise, json, jsonl, sarif, github, gitlab, junit, markdown"
    )]
    pub format: Format,
    /// Also write the findings to FILE in that format; may be given several times
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output_file)]
    pub output: Vec<OutputFile>,
}

/// One `--output FORMAT=FILE`.
#[derive(Debug, Clone)]
pub struct OutputFile {
    format: Format,
    path: PathBuf,
}

fn output_file(text: &str) -> Result<OutputFile, String> {
    let (format, path) =
        text.split_once('=').ok_or("expected FORMAT=FILE, such as sarif=packhouse.sarif".to_owned())?;
    let format = Format::from_str(format, false).map_err(|_| {
        let known: Vec<String> = Format::value_variants()
            .iter()
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("there is no format `{format}`; there are {}", known.join(", "))
    })?;
    if path.is_empty() {
        return Err("the name of the file is missing".to_owned());
    }
    Ok(OutputFile { format, path: PathBuf::from(path) })
}

/// Writes a run to standard output and to the files that were asked for.
///
/// # Errors
/// When an output cannot be written.
pub fn write(run: &Run, options: &OutputOptions) -> anyhow::Result<()> {
    for file in &options.output {
        let text = file.format.render(run)?;
        let plain = anstream::adapter::strip_str(&text).to_string();
        fs::write(&file.path, plain).with_context(|| format!("cannot write {}", file.path.display()))?;
    }
    print(&options.format.render(run)?)?;
    if options.format == Format::Github {
        github::append_summary(run)?;
    }
    Ok(())
}

/// What a failed check says that found nothing to fail it.
const NOT_EVERYTHING: &str = "not everything could be checked";

/// Items with the most serious first; equal levels keep their order.
fn of_levels<'r>(items: impl Iterator<Item = &'r Item>) -> Vec<&'r Item> {
    let mut items: Vec<&Item> = items.collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.level));
    items
}

/// Small changes as lines below headings of what they are about; headings stand only where they help.
fn below_topics(
    changes: Vec<(&Item, &Change)>,
    heading: impl Fn(&str) -> String,
    line: impl Fn(&Item, &Change, bool) -> String,
) -> String {
    let groups = by_topic(changes, |(_, change)| &change.report);
    let has_headings = need_headings(&groups);
    let mut text = String::new();
    for (topic, changes) in groups {
        if has_headings {
            text.push_str(&heading(&topic));
        }
        text.extend(changes.into_iter().map(|(item, change)| line(item, change, has_headings)));
        if has_headings {
            text.push('\n');
        }
    }
    if !has_headings && !text.is_empty() {
        text.push('\n');
    }
    text
}

/// What a line says besides the message of a small change: that it weakens a guard, and why it is accepted.
fn remarks(item: &Item, change: &Change) -> (&'static str, String) {
    let guard = if change.report.safety { ", which weakens a guard" } else { "" };
    let accepted = match &item.accepted_because {
        _ if !item.acknowledged => String::new(),
        Some(reason) => format!(" (accepted: {reason})"),
        None => " (accepted)".to_owned(),
    };
    (guard, accepted)
}

/// Writes text to standard output; styles only where they are wanted.
///
/// # Errors
/// When standard output cannot be written; [`std::io::Error`] itself, so that a closed pipe is recognised.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// `1 pack`, `2 packs`
pub fn counted(count: usize, word: &str) -> String {
    let ending = if count == 1 || word == "info" { "" } else { "s" };
    format!("{count} {word}{ending}")
}
