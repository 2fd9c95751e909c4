//! `[ledger]` and `[follow]`: where else the ledger stands.

use serde::Deserialize;

use super::error::SettingsError;

/// `[ledger]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LedgerSettings {
    /// The repository that every commit of the ledger is pushed to before it counts: a URL, or a folder relative to
    /// the file.
    pub remote: Option<String>,
}

/// `[follow]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FollowSettings {
    /// The ledger that is followed, a URL or a folder; none where this registry publishes itself.
    pub url: Option<String>,
    /// The address of the registry that publishes, for those who want to change something.
    pub writer: Option<String>,
    /// The commit to which the ledger may have been set back; said on the command line only, for one start.
    #[serde(skip)]
    pub accept_rewind: Option<String>,
}

/// Refuses a ledger that is both pushed and followed.
pub(super) fn check(ledger: &LedgerSettings, follow: &FollowSettings) -> Result<(), SettingsError> {
    match (&ledger.remote, &follow.url) {
        (Some(_), Some(_)) => Err(SettingsError::new("follow.url", "a follower does not push its ledger")
            .help("remove `ledger.remote`, or follow nothing")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::RegistrySettings;

    #[test]
    fn a_ledger_is_pushed_or_followed() {
        let pushed = RegistrySettings::parse("[ledger]\nremote = \"ssh://git@example.org/ledger.git\"\n");
        let remote = pushed.map(|settings| settings.ledger.remote);
        assert_eq!(remote.ok().flatten().as_deref(), Some("ssh://git@example.org/ledger.git"));
        let follow = "[follow]\nurl = \"../ledger.git\"\nwriter = \"https://packs.example.org\"\n";
        let followed = RegistrySettings::parse(follow).map(|settings| settings.follow);
        let followed = followed.expect("settings");
        assert_eq!(followed.url.as_deref(), Some("../ledger.git"));
        assert_eq!(followed.writer.as_deref(), Some("https://packs.example.org"));
        let both = RegistrySettings::parse(&format!("{follow}[ledger]\nremote = \"x\"\n")).expect_err("both");
        assert_eq!(
            (both.key.as_str(), both.message.as_str()),
            ("follow.url", "a follower does not push its ledger")
        );
    }
}
