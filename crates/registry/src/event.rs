//! Events: the numbered facts of the ledger, as the feed tells them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventType {
    /// A version became a release.
    Published,
    /// A release was yanked.
    Yanked,
    /// A yank was taken back.
    Unyanked,
    /// A release was deprecated.
    Deprecated,
    /// A deprecation was taken back.
    Undeprecated,
    /// A channel names another version.
    ChannelMoved,
    /// A channel is no more; the version is the one that it named.
    ChannelDeleted,
    /// A flag no longer counts.
    FlagLifted,
    /// The bytes of a release were removed.
    Removed,
    /// An id belongs to another source.
    IdMoved,
}

impl EventType {
    /// Every type.
    pub const ALL: [EventType; 10] = [
        EventType::Published,
        EventType::Yanked,
        EventType::Unyanked,
        EventType::Deprecated,
        EventType::Undeprecated,
        EventType::ChannelMoved,
        EventType::ChannelDeleted,
        EventType::FlagLifted,
        EventType::Removed,
        EventType::IdMoved,
    ];

    /// The type as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            EventType::Published => "published",
            EventType::Yanked => "yanked",
            EventType::Unyanked => "unyanked",
            EventType::Deprecated => "deprecated",
            EventType::Undeprecated => "undeprecated",
            EventType::ChannelMoved => "channel-moved",
            EventType::ChannelDeleted => "channel-deleted",
            EventType::FlagLifted => "flag-lifted",
            EventType::Removed => "removed",
            EventType::IdMoved => "id-moved",
        }
    }
}

/// One fact of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its number, from 1, without gaps.
    pub number: u64,
    /// When it was recorded.
    pub at: Timestamp,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The pack.
    pub pack: String,
    /// The version, where one is concerned.
    pub version: Option<String>,
    /// The source of the pack.
    pub source: String,
    /// A reason, or the name of a channel.
    pub detail: Option<String>,
}
