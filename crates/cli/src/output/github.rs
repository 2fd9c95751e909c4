//! Workflow commands of GitHub Actions: annotations in the changed files.
//!
//! A step may make ten annotations of each level. The most serious come first; the rest stands in the log as plain
//! lines, and all of it in the step's summary, where there is one.

use std::fs::OpenOptions;
use std::io::Write;

use anyhow::Context;
use rules::Level;

use super::{Item, Run, markdown, of_levels, printable};
use crate::environment;

/// How many annotations of one level a step may make.
const MOST_OF_LEVEL: usize = 10;

/// Renders what counts.
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    let mut counts = [0_usize; 4];
    if let Some(why) = run.incomplete() {
        text.push_str(&format!("::error::{}\n", data(&printable(&why))));
    }
    for item in of_levels(run.counting()) {
        let count = &mut counts[item.level as usize];
        *count += 1;
        text.push_str(&if *count <= MOST_OF_LEVEL { command(item) } else { item.line() + "\n" });
    }
    let beyond: usize = counts.iter().map(|count| count.saturating_sub(MOST_OF_LEVEL)).sum();
    if beyond > 0 {
        let shown = "GitHub shows ten annotations of each level";
        text.push_str(&format!("{shown}; {beyond} more findings stand in the log and in the summary\n"));
    }
    text
}

/// Appends the report to the step's summary, where GitHub Actions names one.
///
/// # Errors
/// When the file cannot be written.
pub fn append_summary(run: &Run) -> anyhow::Result<()> {
    let Some(path) = environment::read(environment::GITHUB_STEP_SUMMARY) else { return Ok(()) };
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(markdown::render(run).as_bytes()));
    written.with_context(|| format!("cannot write the step's summary {path}"))
}

fn command(item: &Item) -> String {
    let name = match item.level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info | Level::Off => "notice",
    };
    let spot = &item.spot;
    let mut place =
        format!("file={},line={},col={}", property(&spot.uri), spot.start.line, spot.start.column);
    if spot.end > spot.start {
        place.push_str(&format!(",endLine={}", spot.end.line));
        // A column of the end is read as one of the first line.
        if spot.end.line == spot.start.line {
            place.push_str(&format!(",endColumn={}", spot.end.column));
        }
    }
    let message = data(&format!("{}{}", printable(&item.told()), item.remarks()));
    format!("::{name} {place},title={}::{message}\n", property(&item.rule))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
