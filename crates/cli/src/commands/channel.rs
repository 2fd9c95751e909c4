//! `packhouse channel set ID NAME VERSION` and `packhouse channel delete ID NAME`: channels by hand.

use clap::{Args, Subcommand};
use pack::model::parse_version;
use registry::reference::is_pack_id;
use registry::settings::is_channel_name;

use super::change::show;
use super::registry_client;
use crate::args::{DataFormat, RegistryOptions};
use crate::complaint::Complaint;
use crate::exit::Verdict;

/// Set and delete the channels of a pack
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a channel name a release
    ///
    /// What the `packhouse.toml` of the pack's repository sets is changed there only. Needs a token with the scope
    /// `yank`.
    #[command(after_help = "Example:\n  packhouse channel set support stable 1.4.2")]
    Set {
        /// The id of the pack
        id: String,
        /// The name of the channel
        name: String,
        /// The version that it names from now on
        version: String,
        /// How to print the pack as it stands afterwards: text, json
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
        format: DataFormat,
        /// The registry.
        #[command(flatten)]
        registry: RegistryOptions,
    },
    /// Delete a channel
    ///
    /// What the `packhouse.toml` of the pack's repository sets is deleted there only. Needs a token with the scope
    /// `yank`.
    #[command(after_help = "Example:\n  packhouse channel delete support stable")]
    Delete {
        /// The id of the pack
        id: String,
        /// The name of the channel
        name: String,
        /// How to print the pack as it stands afterwards: text, json
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
        format: DataFormat,
        /// The registry.
        #[command(flatten)]
        registry: RegistryOptions,
    },
}

/// Runs the command.
///
/// # Errors
/// When a name cannot be read, or the registry refuses.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    match &arguments.action {
        Action::Set { id, name, version, format, registry } => {
            check_names(id, name)?;
            let exact = parse_version(version).ok_or_else(|| {
                Complaint::new(format!("`{version}` is no version"))
                    .help(format!("a channel names one release; `packhouse info {id}` lists them"))
            })?;
            let document = registry_client(registry)?.set_channel(id, name, &exact)?;
            show(&document, *format, &format!("{id}@{name} is {exact}"))
        }
        Action::Delete { id, name, format, registry } => {
            check_names(id, name)?;
            let document = registry_client(registry)?.delete_channel(id, name)?;
            show(&document, *format, &format!("{id}@{name} is deleted"))
        }
    }
}

fn check_names(id: &str, name: &str) -> anyhow::Result<()> {
    if !is_pack_id(id) {
        return Err(Complaint::new(format!("`{id}` is no id of a pack"))
            .help("ids are lower-case letters, digits and hyphens; `packhouse search` lists what there is")
            .into());
    }
    if !is_channel_name(name) {
        return Err(Complaint::new(format!("`{name}` may not name a channel"))
            .help(
                "lower-case letters, digits and hyphens, a letter first; not `latest`, `prerelease`, or what reads as \
                 a version",
            )
            .into());
    }
    Ok(())
}
