//! Settings: what authors write in `packhouse.toml` and operators in `registry.toml`.
//!
//! Both are parsed once, at the edge, from text. Unknown keys are errors with a suggestion; so are unknown rules.

mod access;
mod error;
mod limits;
mod operator;
mod proxy;
mod remote;
mod replication;
mod repository;
mod rule_names;
mod webhook;

use pack::tree::{Tree, Unreadable, folder};

pub use access::{AuthSettings, Scope, Scopes, TokenSettings, is_group, is_name};
pub use error::SettingsError;
pub use limits::Limits;
#[cfg(test)]
pub(crate) use operator::default_tags;
pub use operator::{
    HistoryPolicy, IncludeFile, OnBreaking, OnInvalid, Policy, Ranges, RegistrySettings, Server,
    SourceLocation, SourceSettings, VersionsMode,
};
pub use proxy::{Network, ProxySettings};
pub use remote::{CredentialSettings, RemoteUrl, Scheme};
pub use replication::{FollowSettings, LedgerSettings};
pub use repository::{
    Allow, ChangeSettings, LintLevels, LintOverride, PackRelease, ReleasesFrom, Renamed, RepositorySettings,
    Sunset, ZeroMajor, is_channel_name,
};
pub use webhook::{REFUSED, WebhookSettings};

/// The name of the file in which authors write their settings.
pub const FILE_NAME: &str = "packhouse.toml";

/// Whether the file at `path` holds such settings.
pub fn is_settings_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE_NAME)
}

/// The settings that count for a pack, and the folder of the file that they came from.
#[derive(Debug, Clone, Default)]
pub struct FoundSettings {
    /// The settings; every default where there is no file.
    pub settings: RepositorySettings,
    /// The folder of the file, from the root of the repository.
    pub base: String,
}

impl FoundSettings {
    /// The path of the file, from the root of the repository; where it would stand if there is none.
    pub fn file(&self) -> String {
        settings_file(&self.base)
    }
}

/// The path of the settings file in a folder.
pub fn settings_file(base: &str) -> String {
    if base.is_empty() { FILE_NAME.to_owned() } else { format!("{base}/{FILE_NAME}") }
}

/// Finds the `packhouse.toml` that counts for the file at `path`: the nearest one upward in the tree.
///
/// # Errors
/// The path of the file that cannot be used, and why.
pub fn find_settings(tree: &dyn Tree, path: &str) -> Result<FoundSettings, (String, SettingsError)> {
    let mut base = folder(path);
    loop {
        let file = settings_file(base);
        match tree.read(&file) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let settings = RepositorySettings::parse(&text).map_err(|error| (file, error))?;
                return Ok(FoundSettings { settings, base: base.to_owned() });
            }
            Err(Unreadable::Missing) => {}
            // Settings that somebody wrote and nobody reads would be worse than none.
            Err(why) => return Err((file, unreadable(&why))),
        }
        if base.is_empty() {
            return Ok(FoundSettings::default());
        }
        base = folder(base);
    }
}

fn unreadable(why: &Unreadable) -> SettingsError {
    SettingsError::new("", format!("the settings cannot be read: {why}"))
        .help(format!("make `{FILE_NAME}` a readable file, or remove it"))
}
