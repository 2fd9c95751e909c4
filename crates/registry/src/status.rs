//! The movable side of a pack: yanks, deprecations, channels, in two layers (contract section 2, publishing.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::event::EventType;
use crate::range::Range;
use crate::settings::{PackRelease, RepositorySettings, is_channel_name};

/// What is said of a pack besides its releases, as `status.json` in the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PackStatus {
    /// What the repository's root `packhouse.toml` says.
    pub source: StatusLayer,
    /// What was said through the API.
    pub api: StatusLayer,
}

/// One layer of a pack's status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StatusLayer {
    /// Yanked versions and why.
    pub yanked: BTreeMap<Version, String>,
    /// Deprecated versions and why.
    pub deprecated: BTreeMap<Version, String>,
    /// Channels: name to version.
    pub channels: BTreeMap<String, Version>,
    /// Versions whose flag for their bump was lifted, and when.
    pub lifted: BTreeMap<Version, Timestamp>,
}

/// One difference between two states of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// What happened.
    pub kind: EventType,
    /// The version that it concerns.
    pub version: Version,
    /// The reason, or the name of the channel.
    pub detail: String,
}

impl PackStatus {
    /// Why a version is yanked; none where it is not.
    pub fn yanked(&self, version: &Version) -> Option<&str> {
        self.source.yanked.get(version).or_else(|| self.api.yanked.get(version)).map(String::as_str)
    }

    /// Why a version is deprecated; none where it is not.
    pub fn deprecated(&self, version: &Version) -> Option<&str> {
        self.source.deprecated.get(version).or_else(|| self.api.deprecated.get(version)).map(String::as_str)
    }

    /// Since when the flag of a version for its bump is lifted; none where it is not.
    pub fn lifted_since(&self, version: &Version) -> Option<Timestamp> {
        self.source.lifted.get(version).or_else(|| self.api.lifted.get(version)).copied()
    }

    /// Whether the flag of a version for its bump is lifted.
    pub fn is_lifted(&self, version: &Version) -> bool {
        self.source.lifted.contains_key(version) || self.api.lifted.contains_key(version)
    }

    /// All channels: one that the repository sets beats one of the API.
    pub fn channels(&self) -> BTreeMap<&str, &Version> {
        let layers = self.api.channels.iter().chain(&self.source.channels);
        layers.map(|(name, version)| (name.as_str(), version)).collect()
    }

    /// The status once a version has no bytes any more: no yank and no deprecation is said of it. A channel that names
    /// it stays, and answers that it was removed.
    #[must_use]
    pub fn without(&self, version: &Version) -> PackStatus {
        let mut status = self.clone();
        for layer in [&mut status.source, &mut status.api] {
            layer.yanked.remove(version);
            layer.deprecated.remove(version);
            layer.lifted.remove(version);
        }
        status
    }

    /// What is different in `new`, as the events tell it.
    pub fn changes(&self, new: &PackStatus) -> Vec<StatusChange> {
        let mut changes = Vec::new();
        let versions = |status: &PackStatus, deprecated: bool| -> BTreeSet<Version> {
            let of = |layer: &StatusLayer| {
                if deprecated { layer.deprecated.clone() } else { layer.yanked.clone() }
            };
            of(&status.source).into_keys().chain(of(&status.api).into_keys()).collect()
        };
        for (deprecated, on, off) in [
            (false, EventType::Yanked, EventType::Unyanked),
            (true, EventType::Deprecated, EventType::Undeprecated),
        ] {
            let (before, after) = (versions(self, deprecated), versions(new, deprecated));
            let reason = |status: &PackStatus, version: &Version| -> Option<String> {
                let reason = if deprecated { status.deprecated(version) } else { status.yanked(version) };
                reason.map(str::to_owned)
            };
            // Another reason is told anew.
            for version in after.iter().filter(|version| reason(self, version) != reason(new, version)) {
                let detail = reason(new, version).unwrap_or_default();
                changes.push(StatusChange { kind: on, version: version.clone(), detail });
            }
            for version in before.difference(&after) {
                changes.push(StatusChange { kind: off, version: version.clone(), detail: String::new() });
            }
        }
        let lifted: BTreeSet<&Version> = new.source.lifted.keys().chain(new.api.lifted.keys()).collect();
        for version in lifted.into_iter().filter(|version| !self.is_lifted(version)) {
            let version = version.clone();
            changes.push(StatusChange { kind: EventType::FlagLifted, version, detail: String::new() });
        }
        changes.extend(channel_changes(&self.channels(), &new.channels()));
        changes
    }
}

type Channels<'s> = BTreeMap<&'s str, &'s Version>;

fn channel_changes(before: &Channels<'_>, after: &Channels<'_>) -> Vec<StatusChange> {
    let change = |kind, name: &str, version: &Version| StatusChange {
        kind,
        version: version.clone(),
        detail: name.to_owned(),
    };
    let moved = after.iter().filter(|(name, version)| before.get(*name) != Some(version));
    let deleted = before.iter().filter(|(name, _)| !after.contains_key(*name));
    let moved = moved.map(|(name, version)| change(EventType::ChannelMoved, name, version));
    moved.chain(deleted.map(|(name, version)| change(EventType::ChannelDeleted, name, version))).collect()
}

impl PackStatus {
    /// What an edit made different in `new`, with the reason that it gives.
    pub fn changes_by(&self, edit: &StatusEdit, new: &PackStatus) -> Vec<StatusChange> {
        let mut changes = self.changes(new);
        if let Some(reason) = edit.reason_to_undo() {
            changes.iter_mut().for_each(|change| reason.clone_into(&mut change.detail));
        }
        changes
    }
}

/// What the API may be asked to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusEdit {
    /// Ranges skip the version from now on.
    Yank {
        /// The version.
        version: Version,
        /// Why.
        reason: String,
    },
    /// Takes a yank back.
    Unyank {
        /// The version.
        version: Version,
        /// Why, where somebody says so.
        reason: Option<String>,
    },
    /// Whoever uses the version is told to leave it.
    Deprecate {
        /// The version.
        version: Version,
        /// Why.
        reason: String,
    },
    /// Takes a deprecation back.
    Undeprecate {
        /// The version.
        version: Version,
        /// Why, where somebody says so.
        reason: Option<String>,
    },
    /// A channel names the version from now on.
    Channel {
        /// The name of the channel.
        name: String,
        /// The version.
        version: Version,
    },
    /// A channel names nothing any more.
    DeleteChannel {
        /// The name of the channel.
        name: String,
    },
}

impl StatusEdit {
    /// Why something is taken back, which no status keeps.
    fn reason_to_undo(&self) -> Option<&str> {
        match self {
            StatusEdit::Unyank { reason, .. } | StatusEdit::Undeprecate { reason, .. } => reason.as_deref(),
            _ => None,
        }
    }
}

/// Why an edit cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusConflict {
    /// There is no such release.
    NotReleased(Version),
    /// The repository yanks it, and only the repository takes that back.
    YankedBySource(Version),
    /// The repository deprecates it, and only the repository takes that back.
    DeprecatedBySource(Version),
    /// The repository sets the channel, and only the repository moves it.
    ChannelOfSource(String),
    /// No channel can have this name.
    ChannelName(String),
}

impl fmt::Display for StatusConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatusConflict::NotReleased(version) => write!(formatter, "{version} is not released"),
            StatusConflict::YankedBySource(version) => {
                write!(formatter, "{version} is yanked by the repository")
            }
            StatusConflict::DeprecatedBySource(version) => {
                write!(formatter, "{version} is deprecated by the repository")
            }
            StatusConflict::ChannelOfSource(name) => {
                write!(formatter, "the channel `{name}` is set by the repository")
            }
            StatusConflict::ChannelName(name) => write!(
                formatter,
                "a channel cannot be named `{name}`: it reads as a version or range, or means something already"
            ),
        }
    }
}

impl StatusConflict {
    /// Whether what the repository says stands in the way: its root `packhouse.toml` has to change first.
    pub fn is_of_source(&self) -> bool {
        !matches!(self, StatusConflict::NotReleased(_) | StatusConflict::ChannelName(_))
    }
}

impl PackStatus {
    /// The status after an edit through the API; `released` are the versions that stand. What is so already stays so:
    /// the same edit twice is no conflict.
    ///
    /// # Errors
    /// [`StatusConflict`] says what stands in the way.
    pub fn edited(&self, edit: &StatusEdit, released: &[Version]) -> Result<PackStatus, StatusConflict> {
        let mut status = self.clone();
        let PackStatus { source, api } = &mut status;
        match edit {
            StatusEdit::Yank { version, reason } => {
                api.yanked.insert(known(version, released)?, reason.clone());
            }
            StatusEdit::Deprecate { version, reason } => {
                api.deprecated.insert(known(version, released)?, reason.clone());
            }
            StatusEdit::Unyank { version, .. } => {
                let version = known(version, released)?;
                if source.yanked.contains_key(&version) {
                    return Err(StatusConflict::YankedBySource(version));
                }
                api.yanked.remove(&version);
            }
            StatusEdit::Undeprecate { version, .. } => {
                let version = known(version, released)?;
                if source.deprecated.contains_key(&version) {
                    return Err(StatusConflict::DeprecatedBySource(version));
                }
                api.deprecated.remove(&version);
            }
            StatusEdit::Channel { name, .. } | StatusEdit::DeleteChannel { name }
                if source.channels.contains_key(name) =>
            {
                return Err(StatusConflict::ChannelOfSource(name.clone()));
            }
            StatusEdit::Channel { name, .. } if !is_channel_name(name) => {
                return Err(StatusConflict::ChannelName(name.clone()));
            }
            StatusEdit::Channel { name, version } => {
                api.channels.insert(name.clone(), known(version, released)?);
            }
            StatusEdit::DeleteChannel { name } => {
                api.channels.remove(name);
            }
        }
        Ok(status)
    }
}

/// A version as it was released: build metadata does not count, so that the layers keep what is released.
fn known(version: &Version, released: &[Version]) -> Result<Version, StatusConflict> {
    let known = released.iter().find(|known| known.cmp_precedence(version).is_eq());
    known.cloned().ok_or_else(|| StatusConflict::NotReleased(version.clone()))
}

/// The layer that the repository's root settings give a pack, for the versions that are released.
pub fn source_layer(settings: &RepositorySettings, id: &str, released: &[Version]) -> StatusLayer {
    let chosen = |entries: &[PackRelease]| -> BTreeMap<Version, String> {
        let mut chosen = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.pack == id) {
            let Some(range) = Range::parse(&entry.versions) else { continue };
            for version in released.iter().filter(|version| range.contains(version)) {
                chosen.entry(version.clone()).or_insert_with(|| entry.reason.clone());
            }
        }
        chosen
    };
    let channels = settings.channels.get(id).cloned().unwrap_or_default();
    StatusLayer {
        yanked: chosen(&settings.yank),
        deprecated: chosen(&settings.deprecate),
        channels: channels.into_iter().filter(|(_, version)| released.contains(version)).collect(),
        lifted: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    /// A status in which the repository yanks and deprecates 1.1.0 and sets the channel `stable`.
    fn declared() -> PackStatus {
        let mut status = PackStatus::default();
        status.source.yanked.insert(version("1.1.0"), "wrong limit".to_owned());
        status.source.deprecated.insert(version("1.1.0"), "old".to_owned());
        status.source.channels.insert("stable".to_owned(), version("1.0.0"));
        status
    }

    /// Makes an edit, of which the event is `expected`, or nothing, or a conflict with that text.
    fn check(edit: StatusEdit, expected: &str) {
        let released = [version("1.0.0"), version("1.1.0"), version("1.2.0+linux")];
        let before = declared();
        let said = match before.edited(&edit, &released) {
            Ok(after) => {
                let again = after.edited(&edit, &released);
                assert_eq!(again.as_ref(), Ok(&after), "the same edit twice");
                let changes = before.changes_by(&edit, &after);
                let told = changes.iter().map(|c| format!("{} {} {}", c.kind.as_str(), c.version, c.detail));
                told.collect::<Vec<_>>().join(", ")
            }
            Err(conflict) => format!("conflict: {conflict}"),
        };
        assert_eq!(said, expected);
    }

    fn yank(text: &str) -> StatusEdit {
        StatusEdit::Yank { version: version(text), reason: "wrong".to_owned() }
    }

    fn unyank(text: &str) -> StatusEdit {
        StatusEdit::Unyank { version: version(text), reason: Some("it was right".to_owned()) }
    }

    fn channel(name: &str) -> StatusEdit {
        StatusEdit::Channel { name: name.to_owned(), version: version("1.2.0") }
    }

    fn delete(name: &str) -> StatusEdit {
        StatusEdit::DeleteChannel { name: name.to_owned() }
    }

    #[test]
    fn the_api_changes_its_own_layer_only() {
        check(yank("1.0.0"), "yanked 1.0.0 wrong");
        check(yank("1.2.0"), "yanked 1.2.0+linux wrong");
        check(yank("1.1.0"), "");
        check(unyank("1.0.0"), "");
        let old = StatusEdit::Deprecate { version: version("1.0.0"), reason: "old".to_owned() };
        check(old, "deprecated 1.0.0 old");
        check(channel("beta"), "channel-moved 1.2.0+linux beta");
        check(delete("beta"), "");
    }

    #[test]
    fn a_deleted_channel_tells_what_it_named() {
        let released = [version("1.0.0")];
        let mut before = PackStatus::default();
        before.api.channels.insert("beta".to_owned(), version("1.0.0"));
        let after = before.edited(&delete("beta"), &released).expect("no conflict");
        let deleted = StatusChange {
            kind: EventType::ChannelDeleted,
            version: version("1.0.0"),
            detail: "beta".to_owned(),
        };
        assert_eq!(before.changes(&after), [deleted]);
        // One that names a release which was removed goes all the same.
        assert_eq!(before.edited(&delete("beta"), &[]), Ok(after));
    }

    #[test]
    fn the_reason_for_taking_something_back_is_told() {
        let mut yanked = PackStatus::default();
        yanked.api.yanked.insert(version("1.0.0"), "wrong".to_owned());
        let edit = unyank("1.0.0");
        let after = yanked.edited(&edit, &[version("1.0.0")]).expect("no conflict");
        let changes = yanked.changes_by(&edit, &after);
        let told = |change: &StatusChange| (change.kind, change.detail.clone());
        assert_eq!(
            changes.iter().map(told).collect::<Vec<_>>(),
            [(EventType::Unyanked, "it was right".to_owned())]
        );
    }

    #[test]
    fn another_reason_is_told_anew() {
        let (before, released) = (PackStatus::default(), [version("1.0.0")]);
        let yank = |reason: &str| StatusEdit::Yank { version: version("1.0.0"), reason: reason.to_owned() };
        let first = before.edited(&yank("wrong"), &released).expect("no conflict");
        let second = first.edited(&yank("wrong limit"), &released).expect("no conflict");
        let told = |change: StatusChange| (change.kind, change.detail);
        let changes: Vec<_> = first.changes(&second).into_iter().map(told).collect();
        assert_eq!(changes, [(EventType::Yanked, "wrong limit".to_owned())]);
        assert_eq!(second.changes(&second), []);
        // What the repository says counts first: a reason below it is no news.
        let mut declared = first.clone();
        declared.source.yanked.insert(version("1.0.0"), "by the repository".to_owned());
        let below = declared.edited(&yank("again"), &released).expect("no conflict");
        assert_eq!(declared.changes(&below), []);
    }

    #[test]
    fn what_the_repository_says_is_a_conflict() {
        check(unyank("1.1.0"), "conflict: 1.1.0 is yanked by the repository");
        let undeprecate = StatusEdit::Undeprecate { version: version("1.1.0"), reason: None };
        check(undeprecate, "conflict: 1.1.0 is deprecated by the repository");
        check(channel("stable"), "conflict: the channel `stable` is set by the repository");
        check(delete("stable"), "conflict: the channel `stable` is set by the repository");
        let name = "conflict: a channel cannot be named `1.x`: it reads as a version or range, or means something already";
        check(channel("1.x"), name);
        check(channel("yanked"), &name.replace("1.x", "yanked"));
        check(yank("3.0.0"), "conflict: 3.0.0 is not released");
    }
}
