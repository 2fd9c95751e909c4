//! What the commands have in common that change something of a pack through its registry.

use clap::Args;
use client::{Deed, PackDocument};
use registry::Reference;
use registry::reference::Wanted;
use semver::Version;

use super::registry_client;
use crate::args::{DataFormat, RegistryOptions};
use crate::complaint::Complaint;
use crate::exit::Verdict;
use crate::output::{print, printable};

/// The release, and the registry that is asked.
#[derive(Debug, Args)]
struct Target {
    /// The release: id@version
    #[arg(value_name = "ID@VERSION")]
    release: String,
    /// How to print the pack as it stands afterwards: text, json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: DataFormat,
    /// The registry.
    #[command(flatten)]
    registry: RegistryOptions,
}

/// The release, and why it changes.
#[derive(Debug, Args)]
pub struct Reasoned {
    #[command(flatten)]
    target: Target,
    /// Why: it is shown to everybody who meets the release
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// The release for which something is taken back.
#[derive(Debug, Args)]
pub struct Undone {
    #[command(flatten)]
    target: Target,
    /// Why, as the ledger records it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Reasoned {
    /// Does something to the release, and says what it is now.
    ///
    /// # Errors
    /// When no single release is named, or the registry refuses.
    pub fn make(&self, deed: Deed) -> anyhow::Result<Verdict> {
        self.target.change(deed, Some(&self.reason))
    }
}

impl Undone {
    /// Takes something back, and says what the release is now.
    ///
    /// # Errors
    /// When no single release is named, or the registry refuses.
    pub fn make(&self, deed: Deed) -> anyhow::Result<Verdict> {
        self.target.change(deed, self.reason.as_deref())
    }
}

impl Target {
    /// Does something to the release, and says what it is now.
    ///
    /// # Errors
    /// When no single release is named, or the registry refuses.
    fn change(&self, deed: Deed, reason: Option<&str>) -> anyhow::Result<Verdict> {
        let (id, version) = self.release()?;
        let client = registry_client(&self.registry)?;
        let document = client.do_to_release(deed, &id, &version, reason)?;
        let done = match deed {
            Deed::Yank => "is yanked",
            Deed::Unyank => "is not yanked",
            Deed::Deprecate => "is deprecated",
            Deed::Undeprecate => "is not deprecated",
            Deed::Remove => "is removed",
        };
        show(&document, self.format, &format!("{id}@{version} {done}"))
    }

    fn release(&self) -> anyhow::Result<(String, Version)> {
        let text = &self.release;
        let reference = Reference::parse(text).map_err(|error| {
            Complaint::new(format!("`{text}` is no release: {error}")).help("write id@version")
        })?;
        match (reference.wanted, text.contains('@')) {
            (Wanted::Exact(version), true) => Ok((reference.id, version)),
            _ => Err(Complaint::new(format!("`{text}` names no single version"))
                .help(format!("`packhouse info {}` lists the versions", reference.id))
                .into()),
        }
    }
}

/// Prints what was done, or the document of the pack.
pub fn show(document: &PackDocument, format: DataFormat, done: &str) -> anyhow::Result<Verdict> {
    let text = match format {
        DataFormat::Json => serde_json::to_string_pretty(document)? + "\n",
        DataFormat::Text => {
            let latest = document.latest.as_deref().unwrap_or("none: every release is held back or gone");
            format!("{}\n  latest {}\n", printable(done), printable(latest))
        }
    };
    print(&text)?;
    Ok(Verdict::Pass)
}
