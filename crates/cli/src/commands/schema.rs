//! `packhouse schema [VERSION]`: JSON Schemas of packs and of our own outputs.

use clap::{Args, ValueEnum};
use pack::SpecVersion;
use serde_json::{Value, json};

use crate::exit::Verdict;
use crate::judging;
use crate::output::print;

/// The shapes of all outputs; each output refers to its own part.
const OUTPUTS: &str = include_str!("../../schemas/outputs.json");

/// Print the JSON Schema of a spec version, or of our own outputs
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  packhouse schema 1.5.1 > promptpack.schema.json\n  packhouse schema --output lint"
)]
pub struct Arguments {
    /// The spec version; none is the newest
    #[arg(value_name = "VERSION", value_parser = judging::spec_version)]
    spec: Option<SpecVersion>,
    /// The JSON output of a command instead: lint, diff, check
    #[arg(long, value_enum, value_name = "COMMAND", conflicts_with = "spec", hide_possible_values = true)]
    output: Option<Output>,
}

/// The commands with JSON reports.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    /// `lint --format json`
    Lint,
    /// `diff --format json`
    Diff,
    /// `check --format json`
    Check,
}

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let schema = match arguments.output {
        Some(output) => of_output(output)?,
        None => pack::schema::schema(arguments.spec.unwrap_or(SpecVersion::NEWEST)),
    };
    print(&(serde_json::to_string_pretty(&schema)? + "\n"))?;
    Ok(Verdict::Pass)
}

fn of_output(output: Output) -> anyhow::Result<Value> {
    let (name, title) = match output {
        Output::Lint => ("lint", "packhouse lint --format json"),
        Output::Diff => ("diff", "packhouse diff --format json"),
        Output::Check => ("check", "packhouse check --format json"),
    };
    let mut schema: Value = serde_json::from_str(OUTPUTS)?;
    schema["title"] = json!(title);
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    Ok(schema)
}
