//! The movable side of a pack: yanks, deprecations, channels, in two layers (contract section 2, publishing.md).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::event::EventType;
use crate::range::Range;
use crate::settings::{PackRelease, RepositorySettings};

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
    /// Versions whose flag was lifted, and when.
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

    /// All channels: one that the repository sets beats one of the API.
    pub fn channels(&self) -> BTreeMap<&str, &Version> {
        let layers = self.api.channels.iter().chain(&self.source.channels);
        layers.map(|(name, version)| (name.as_str(), version)).collect()
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
            for version in after.difference(&before) {
                let reason = if deprecated { new.deprecated(version) } else { new.yanked(version) };
                let detail = reason.unwrap_or_default().to_owned();
                changes.push(StatusChange { kind: on, version: version.clone(), detail });
            }
            for version in before.difference(&after) {
                changes.push(StatusChange { kind: off, version: version.clone(), detail: String::new() });
            }
        }
        let before = self.channels();
        for (name, version) in new.channels() {
            if before.get(name) != Some(&version) {
                let detail = name.to_owned();
                changes.push(StatusChange {
                    kind: EventType::ChannelMoved,
                    version: version.clone(),
                    detail,
                });
            }
        }
        changes
    }
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
