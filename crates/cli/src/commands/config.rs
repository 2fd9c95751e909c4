//! `packhouse config check`: reads a registry configuration and says what it means.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use registry::settings::{
    HistoryPolicy, OnBreaking, OnInvalid, Ranges, SourceLocation, SourceSettings, VersionsMode,
};

use crate::exit::Verdict;
use crate::output::print;
use crate::registry_file;

/// Check the configuration of a registry
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read a registry configuration and say what it means
    #[command(after_help = "Example:\n  packhouse config check --config registry.toml")]
    Check {
        /// The configuration file
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

/// Runs the command.
///
/// # Errors
/// Names the key that cannot be used.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let Action::Check { config } = &arguments.action;
    let file = registry_file::read(config.as_deref())?;
    let policy = &file.settings.policy;
    let mut text = format!(
        "listens on {}\nkeeps its state in {}\n",
        file.settings.server.listen,
        file.state().display()
    );
    text.push_str(match policy.on_invalid {
        OnInvalid::Refuse => "refuses versions with error findings\n",
        OnInvalid::PublishFlagged => "publishes versions with error findings, flagged\n",
    });
    text.push_str(match policy.on_breaking {
        OnBreaking::Flag => "publishes versions that are smaller than their changes require, flagged\n",
        OnBreaking::Refuse => "refuses versions that are smaller than their changes require\n",
    });
    text.push_str(match policy.ranges {
        Ranges::Hold => "keeps ranges and `latest` off flagged versions\n",
        Ranges::All => "lets ranges and `latest` move onto flagged versions\n",
    });
    text.push_str(&format!("weighs changes at least by the profile {}\n", policy.profile));
    for path in &file.included {
        text.push_str(&format!("includes {}\n", path.display()));
    }
    let mut complete = true;
    for source in &file.settings.sources {
        text.push_str(&described(source));
        if let SourceLocation::Path(path) = &source.location {
            let path = file.base.join(path);
            if let Err(error) = git::SourceRepository::open(&path) {
                crate::complaint::warn(&format!("source {}: {error}", source.name));
                complete = false;
            }
        }
    }
    if file.settings.sources.is_empty() {
        crate::complaint::warn("no [[source]] is configured: the registry will stay empty");
    }
    print(&text)?;
    Ok(Verdict::of_findings(!complete))
}

fn described(source: &SourceSettings) -> String {
    let place = match &source.location {
        SourceLocation::Path(place) | SourceLocation::Url(place) => place,
    };
    let versions = match source.versions {
        VersionsMode::Branch => match &source.branch {
            Some(branch) => format!("every commit of the branch {branch}"),
            None => "every commit of the branch that HEAD names".to_owned(),
        },
        VersionsMode::Tags => format!("tags like {}", source.tags.join(", ")),
    };
    let ids = if source.ids.is_empty() { "any id that is free".to_owned() } else { source.ids.join(", ") };
    let history = match source.history {
        HistoryPolicy::Refuse => "",
        HistoryPolicy::PublishFlagged => "\n  publishes old versions with error findings, flagged",
    };
    let seconds = source.poll_ms as f64 / 1000.0;
    format!(
        "source {}: {place}\n  versions from {versions}\n  packs among {}\n  may claim {ids}\n  looked at on every hint, and every {seconds} s{history}\n",
        source.name,
        source.include.join(", "),
    )
}
