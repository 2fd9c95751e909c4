//! Which changes an `[[allow]]` entry helps with, what is needed besides, and the entry itself.

use pack::model::parse_version;
use rules::{Bump, Change, Level};
use semver::Version;

use crate::report::DiffReport;
use crate::settings::ZeroMajor;
use crate::version::asks_more_than_patch;

/// What accepting a change of one pack would do.
#[derive(Debug, Default)]
pub struct Acceptance {
    /// The version that the pack is judged by.
    pub since: Option<Version>,
    /// Whether the version is too low.
    pub fails: bool,
    /// Whether the version did not rise: then what is accepted needs a patch all the same.
    pub needs_patch: bool,
    /// How versions below 1.0 are judged.
    pub zero_major: ZeroMajor,
}

impl Acceptance {
    /// For the changes between two versions.
    pub fn of_diff(diff: &DiffReport) -> Acceptance {
        Acceptance {
            since: parse_version(&diff.old.version),
            fails: !diff.sufficient,
            needs_patch: !diff.sufficient && diff.declared_bump == Bump::None,
            zero_major: diff.zero_major,
        }
    }

    /// Whether an entry for this change, which has this level, would make a difference.
    pub fn helps(&self, change: &Change, level: Level) -> bool {
        if level != Level::Error || change.acknowledged {
            return false;
        }
        let asks = |since| asks_more_than_patch(since, change.bump, self.zero_major);
        // Where the version is high enough, the change fails by itself: its rule or a guard that it weakens says so.
        !self.fails || change.safety || self.since.as_ref().is_none_or(asks)
    }
}

/// The `[[allow]]` entry that accepts what a rule says with this fingerprint; an empty id stands for no pack.
pub fn allow_entry(rule: &str, fingerprint: &str, pack: &str) -> String {
    let of_pack = match pack {
        "" => String::new(),
        id => format!("pack = {}\n", toml::Value::from(id)),
    };
    format!(
        "[[allow]]\nrule = \"{rule}\"\nfingerprint = \"{fingerprint}\"\n{of_pack}reason = \"say why this is accepted\"\n"
    )
}

#[cfg(test)]
mod tests {
    use crate::settings::RepositorySettings;

    use super::allow_entry;

    #[test]
    fn an_entry_is_read_back_whatever_the_pack_is_called() {
        for id in ["support", "a\"b\\c\u{7f}\nd", ""] {
            let entry = allow_entry("variable-removed", "0011223344556677", id);
            let settings = RepositorySettings::parse(&entry).expect(&entry);
            assert_eq!(settings.allow[0].pack.as_deref().unwrap_or_default(), id, "{entry}");
        }
    }
}
