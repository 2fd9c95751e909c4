//! `packhouse info ID`: what a registry knows of a pack, or of one of its releases.

use clap::Args;
use client::{Manifest, PackDocument, VersionEntry};
use registry::Reference;
use registry::reference::Wanted;

use super::registry_client;
use crate::args::{DataFormat, RegistryOptions};
use crate::complaint::Complaint;
use crate::exit::Verdict;
use crate::output::{print, printable};

/// Show what a registry knows of a pack: versions, channels, flags
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse info support --registry http://127.0.0.1:7420")]
pub struct Arguments {
    /// The id of a pack, or id@version for one release
    id: String,
    /// How to print it: text, json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: DataFormat,
    /// The registry.
    #[command(flatten)]
    registry: RegistryOptions,
}

/// Runs the command.
///
/// # Errors
/// When there is no such pack, or the registry does not answer.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let reference = Reference::parse(&arguments.id)
        .map_err(|error| Complaint::new(format!("`{}` is no pack: {error}", arguments.id)))?;
    let client = registry_client(&arguments.registry)?;
    let text = match (&reference.wanted, arguments.id.contains('@')) {
        (_, false) => {
            let document = client.pack(&reference.id)?;
            match arguments.format {
                DataFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
                DataFormat::Text => of_pack(&document),
            }
        }
        (Wanted::Exact(version), true) => {
            let manifest = client.manifest(&reference.id, &version.to_string())?;
            match arguments.format {
                DataFormat::Json => serde_json::to_string_pretty(&manifest)? + "\n",
                DataFormat::Text => of_release(&manifest),
            }
        }
        _ => {
            return Err(Complaint::new(format!("`{}` names no single version", arguments.id))
                .help(format!("`packhouse info {}` lists the versions", reference.id))
                .into());
        }
    };
    print(&text)?;
    Ok(Verdict::Pass)
}

fn of_pack(document: &PackDocument) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}", printable(&document.id));
    if let Some(name) = &document.name {
        text.push_str(&format!("  {}", printable(name)));
    }
    text.push('\n');
    if let Some(description) = &document.description {
        text.push_str(&format!("  {}\n", printable(description)));
    }
    if let Some(source) = &document.source {
        text.push_str(&format!("  source {}\n", printable(source)));
    }
    if let Some(latest) = &document.latest {
        text.push_str(&format!("  latest {latest}\n"));
    }
    for (channel, version) in document.channels.iter().filter(|(name, _)| name.as_str() != "latest") {
        text.push_str(&format!("  {channel} {version}\n"));
    }
    text.push_str("\nversions\n");
    document.versions.iter().for_each(|entry| text.push_str(&of_version(entry)));
    for removed in &document.removed {
        let day = removed.removed_at.as_deref().map_or("", day);
        let line = format!("  {:12} {day:10}  removed: {}", removed.version, removed.reason);
        text.push_str(&format!("{}\n", printable(&line)));
    }
    text
}

fn of_version(entry: &VersionEntry) -> String {
    let flags = entry.flags();
    let remarks = remarks(&Standing {
        breaking: entry.breaking,
        flags: &flags,
        flag_lifted: entry.flag_lifted.as_deref(),
        yanked: entry.yanked.as_deref(),
        deprecated: entry.deprecated.as_deref(),
    });
    let day = entry.published_at.as_deref().map_or("", day);
    let bump = entry.bump.as_deref().unwrap_or("first");
    let line = format!("  {:12} {day:10}  {bump:5}  {}", entry.version, remarks.join("; "));
    format!("{}\n", printable(line.trim_end()))
}

/// How a release stands.
struct Standing<'s> {
    breaking: bool,
    flags: &'s [String],
    flag_lifted: Option<&'s str>,
    yanked: Option<&'s str>,
    deprecated: Option<&'s str>,
}

fn remarks(standing: &Standing<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if standing.breaking {
        remarks.push("breaking".to_owned());
    }
    let named = |flag: &String| if flag == "flagged" { flag.clone() } else { format!("flagged: {flag}") };
    remarks.extend(standing.flags.iter().map(named));
    remarks.extend(standing.flag_lifted.map(|since| format!("accepted since {}", day(since))));
    remarks.extend(standing.yanked.map(|reason| format!("yanked: {reason}")));
    remarks.extend(standing.deprecated.map(|reason| format!("deprecated: {reason}")));
    remarks
}

/// The day of a moment.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

fn of_release(manifest: &Manifest) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}@{}{bold:#}\n", manifest.id, manifest.version);
    let lines = [
        ("source", &manifest.source),
        ("path", &manifest.path),
        ("commit", &manifest.commit),
        ("tag", &manifest.tag),
        ("published", &manifest.published_at),
    ];
    for (name, value) in lines {
        if let Some(value) = value {
            text.push_str(&format!("  {name:9} {}\n", printable(value)));
        }
    }
    for (form, record) in &manifest.forms {
        text.push_str(&format!("  {form:9} {}\n", record.digest));
    }
    let remarks = remarks(&Standing {
        breaking: manifest.breaking,
        flags: &manifest.flags,
        flag_lifted: manifest.flag_lifted.as_deref(),
        yanked: manifest.yanked.as_deref(),
        deprecated: manifest.deprecated.as_deref(),
    });
    for remark in remarks {
        text.push_str(&format!("  {}\n", printable(&remark)));
    }
    for warning in &manifest.warnings {
        text.push_str(&format!("  warning   {}\n", printable(warning)));
    }
    text
}
