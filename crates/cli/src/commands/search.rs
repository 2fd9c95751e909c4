//! `packhouse search QUERY`: finds packs in a registry.

use clap::Args;
use client::{Hit, SearchQuery, SearchResult};

use super::registry_client;
use crate::args::{DataFormat, RegistryOptions};
use crate::complaint;
use crate::exit::Verdict;
use crate::output::{print, printable};

/// Search packs in a registry
///
/// The query is free text plus `tag:x tool:y id:z prompt:p`. Exits with 1 where nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse search refund tag:support --registry http://127.0.0.1:7420")]
pub struct Arguments {
    /// What to search for; nothing lists the newest packs
    query: Vec<String>,
    /// Only packs with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only packs with this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only packs of this domain
    #[arg(long)]
    domain: Option<String>,
    /// Only packs in this language
    #[arg(long)]
    language: Option<String>,
    /// Only packs of this source
    #[arg(long)]
    source: Option<String>,
    /// How many packs to show, at most 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: Option<u32>,
    /// How to print them: text, json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: DataFormat,
    /// The registry.
    #[command(flatten)]
    registry: RegistryOptions,
}

/// Runs the command.
///
/// # Errors
/// When the registry does not answer.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let filters = [
        ("tag", &arguments.tag),
        ("tool", &arguments.tool),
        ("domain", &arguments.domain),
        ("language", &arguments.language),
        ("source", &arguments.source),
    ];
    let query = SearchQuery {
        text: arguments.query.join(" "),
        filters: filters.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect(),
        limit: arguments.limit,
    };
    let result = registry_client(&arguments.registry)?.search(&query)?;
    match arguments.format {
        DataFormat::Json => print(&(serde_json::to_string_pretty(&result)? + "\n"))?,
        DataFormat::Text => print(&list(&result))?,
    }
    if result.hits.is_empty() && arguments.format == DataFormat::Text {
        complaint::say("nothing was found");
    }
    Ok(Verdict::of_findings(result.hits.is_empty()))
}

fn list(result: &SearchResult) -> String {
    let mut text: String = result.hits.iter().map(hit).collect();
    let shown = result.hits.len() as u64;
    if shown < result.total {
        text.push_str(&format!("{shown} of {} packs\n", result.total));
    }
    text
}

fn hit(hit: &Hit) -> String {
    let bold = anstyle::Style::new().bold();
    let version = hit.version.as_deref().unwrap_or("no stable version");
    let mut text = format!("{bold}{}{bold:#} {}", printable(&hit.id), printable(version));
    if !hit.tags.is_empty() {
        text.push_str(&format!("  [{}]", printable(&hit.tags.join(", "))));
    }
    text.push('\n');
    if let Some(description) = hit.description.as_deref().or(hit.name.as_deref()) {
        text.push_str(&format!("  {}\n", printable(description.lines().next().unwrap_or_default())));
    }
    text
}
