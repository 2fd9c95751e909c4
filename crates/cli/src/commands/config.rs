//! `packhouse config check`: reads a registry configuration and says what it means.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use registry::settings::{
    AuthSettings, CredentialSettings, HistoryPolicy, OnBreaking, OnInvalid, Policy, ProxySettings, Ranges,
    SourceLocation, SourceSettings, VersionsMode, WebhookSettings,
};

use crate::environment;
use crate::exit::Verdict;
use crate::output::print;
use crate::registry_file;

mod groups;

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
    let mut text = format!(
        "listens on {}\nkeeps its state in {}\n",
        file.settings.server.listen,
        file.state().display()
    );
    text.push_str(&access(file.settings.auth.as_ref()));
    text.push_str(&judged(&file.settings.policy));
    for path in &file.included {
        text.push_str(&format!("includes {}\n", path.display()));
    }
    let mut complete = true;
    for source in &file.settings.sources {
        text.push_str(&described(source));
        for complaint in missing(source, &file.base) {
            crate::complaint::warn(&format!("source {}: {complaint}", source.name));
            complete = false;
        }
    }
    for (webhook, number) in file.settings.webhooks.iter().zip(1..) {
        text.push_str(&told(webhook, number));
        if environment::read(&webhook.secret_env).is_none() {
            crate::complaint::warn(&format!("webhook {number}: {}", not_set(&webhook.secret_env)));
            complete = false;
        }
    }
    for doubt in groups::doubts(&file.settings) {
        crate::complaint::warn(&doubt);
    }
    if file.settings.sources.is_empty() {
        crate::complaint::warn("no [[source]] is configured: the registry will stay empty");
    }
    print(&text)?;
    Ok(Verdict::of_findings(!complete))
}

/// What is published, and under which conditions.
fn judged(policy: &Policy) -> String {
    let mut text = String::new();
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
    text
}

/// Who may do what.
fn access(auth: Option<&AuthSettings>) -> String {
    let Some(auth) = auth else { return "lets everybody read and nobody write\n".to_owned() };
    let mut text = match auth.anonymous_read {
        true => "lets everybody read\n".to_owned(),
        false => "lets nobody read without a token\n".to_owned(),
    };
    if let Some(proxy) = &auth.proxy {
        let headers: Vec<&str> = proxy.headers().collect();
        text.push_str(&format!("believes {} of {}\n", headers.join(" and "), trusted(proxy)));
    }
    for token in &auth.tokens {
        text.push_str(&format!("token {}: {}", token.name, token.scopes));
        if !token.groups.is_empty() {
            text.push_str(&format!("; in the groups {}", token.groups.join(", ")));
        }
        text.push('\n');
    }
    text
}

fn trusted(proxy: &ProxySettings) -> String {
    proxy.trusted.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What a source needs and this machine does not have. Remote hosts are not asked.
fn missing(source: &SourceSettings, base: &Path) -> Vec<String> {
    let folder = match &source.location {
        SourceLocation::Path(path) => Some(base.join(path)),
        SourceLocation::Url(url) => url.folder().map(PathBuf::from),
    };
    let unreadable = folder.and_then(|folder| git::SourceRepository::open(&folder).err());
    let mut missing: Vec<String> = unreadable.iter().map(ToString::to_string).collect();
    let variables = source.credentials.iter().flat_map(CredentialSettings::variables);
    for variable in variables.chain(source.webhook_secret_env.as_deref()) {
        if environment::read(variable).is_none() {
            missing.push(not_set(variable));
        }
    }
    if let Some(CredentialSettings::SshKey { ssh_key }) = &source.credentials {
        let file = base.join(ssh_key);
        if let Err(error) = std::fs::File::open(&file) {
            missing.push(format!("the key file `{}` cannot be read: {error}", file.display()));
        }
    }
    missing
}

fn not_set(variable: &str) -> String {
    format!("the variable `{variable}` is not set: the registry must be started with it")
}

fn named(variable: &str) -> String {
    match environment::read(variable) {
        Some(_) => format!("{variable} (set)"),
        None => format!("{variable} (not set)"),
    }
}

/// What a webhook is told. Its address may hold a secret and is not shown beyond the host.
fn told(webhook: &WebhookSettings, number: usize) -> String {
    let sees = match webhook.groups.as_slice() {
        [] => "what everybody may see who may read".to_owned(),
        groups => format!("what everybody may see who may read, and the groups {}", groups.join(", ")),
    };
    format!(
        "webhook {number}: {}\n  told of {}\n  sees {sees}\n  signed with {}\n",
        webhook.origin(),
        webhook.words().join(", "),
        named(&webhook.secret_env),
    )
}

/// Where the secrets of a source come from; never what they are.
fn secrets(source: &SourceSettings) -> String {
    let mut text = String::new();
    match &source.credentials {
        None => {}
        Some(CredentialSettings::SshKey { ssh_key }) => {
            text.push_str(&format!("\n  credentials from the key {ssh_key}"))
        }
        Some(credentials) => {
            let variables: Vec<String> = credentials.variables().into_iter().map(named).collect();
            text.push_str(&format!("\n  credentials from {}", variables.join(" and ")));
        }
    }
    if let Some(variable) = &source.webhook_secret_env {
        text.push_str(&format!(
            "\n  takes webhooks at /v1/hooks/{}, signed with {}",
            source.name,
            named(variable)
        ));
    }
    text
}

fn described(source: &SourceSettings) -> String {
    let place = match &source.location {
        SourceLocation::Path(place) => place.as_str(),
        SourceLocation::Url(url) => url.as_str(),
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
    let readers = match source.readers.as_slice() {
        [] => String::new(),
        groups => format!("\n  seen by the groups {} only", groups.join(", ")),
    };
    format!(
        "source {}: {place}\n  versions from {versions}\n  packs among {}\n  may claim {ids}\n  looked at on every hint, and every {seconds} s{history}{readers}{}\n",
        source.name,
        source.include.join(", "),
        secrets(source),
    )
}
