//! Spec versions and the `$schema` that names one (schema guide "Root Properties").

use std::fmt;

/// A published version of the PromptPack specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecVersion {
    major: u8,
    minor: u8,
    patch: u8,
}

/// Shorthand for the tables of rules.
const fn version(major: u8, minor: u8, patch: u8) -> SpecVersion {
    SpecVersion { major, minor, patch }
}

impl SpecVersion {
    /// Every version that has a schema here, oldest first.
    pub const ALL: [SpecVersion; 12] = [
        SpecVersion::V1_0,
        SpecVersion::V1_1,
        SpecVersion::V1_3,
        SpecVersion::V1_3_1,
        SpecVersion::V1_4,
        SpecVersion::V1_4_1,
        SpecVersion::V1_5,
        SpecVersion::V1_5_1,
        SpecVersion::V1_6,
        SpecVersion::V1_7,
        SpecVersion::V1_8_1,
        SpecVersion::V1_9,
    ];
    /// 1.0: prompts, variables, tools, fragments.
    pub const V1_0: SpecVersion = version(1, 0, 0);
    /// 1.1: media, bindings, open types.
    pub const V1_1: SpecVersion = version(1, 1, 0);
    /// 1.2: evals; it has no schema of its own and is judged by 1.3.
    pub const V1_2: SpecVersion = version(1, 2, 0);
    /// 1.3: workflow and agents.
    pub const V1_3: SpecVersion = version(1, 3, 0);
    /// 1.3.1: skills.
    pub const V1_3_1: SpecVersion = version(1, 3, 1);
    /// 1.4: terminal states, visit limits, artifacts, budget.
    pub const V1_4: SpecVersion = version(1, 4, 0);
    /// 1.4.1: agents that run a workflow.
    pub const V1_4_1: SpecVersion = version(1, 4, 1);
    /// 1.5: compositions.
    pub const V1_5: SpecVersion = version(1, 5, 0);
    /// 1.5.1: provider requirements.
    pub const V1_5_1: SpecVersion = version(1, 5, 1);
    /// 1.6: governance and action scopes.
    pub const V1_6: SpecVersion = version(1, 6, 0);
    /// 1.7: control of states.
    pub const V1_7: SpecVersion = version(1, 7, 0);
    /// 1.8: obligations, reviews, extensions; for comparing features.
    pub const V1_8: SpecVersion = version(1, 8, 0);
    /// 1.8.1: the schema that judges 1.8.
    pub const V1_8_1: SpecVersion = version(1, 8, 1);
    /// 1.9: provider references.
    pub const V1_9: SpecVersion = version(1, 9, 0);
    /// The newest version that is known here.
    pub const NEWEST: SpecVersion = SpecVersion::V1_9;

    /// Reads `1.4`, `v1.4.0` or `latest`; finds the schema that judges it.
    ///
    /// Two parts mean the highest patch of that minor. None for a version that was never published.
    pub fn parse(text: &str) -> Option<SpecVersion> {
        if text == "latest" || text == "v1" || text == "1" {
            return Some(SpecVersion::NEWEST);
        }
        let parts: Option<Vec<u8>> = text.strip_prefix('v').unwrap_or(text).split('.').map(decimal).collect();
        match parts?[..] {
            [1, 2] | [1, 2, 0] => Some(SpecVersion::V1_3),
            [1, 8, 0] => Some(SpecVersion::V1_8_1),
            [major, minor] => SpecVersion::ALL
                .iter()
                .rev()
                .find(|known| (known.major, known.minor) == (major, minor))
                .copied(),
            [major, minor, patch] => {
                SpecVersion::ALL.iter().find(|known| **known == version(major, minor, patch)).copied()
            }
            _ => None,
        }
    }
}

fn decimal(text: &str) -> Option<u8> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for SpecVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecVersion { major, minor, patch: 0 } if *minor < 4 => write!(formatter, "{major}.{minor}"),
            SpecVersion { major, minor, patch } => write!(formatter, "{major}.{minor}.{patch}"),
        }
    }
}

/// Which version judges a pack, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The version whose schema is used.
    pub version: SpecVersion,
    /// How the pack came to it.
    pub by: DeclaredBy,
}

/// How a pack names its spec version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredBy {
    /// There is no `$schema`.
    Absent,
    /// `$schema` names a published version, or `latest`.
    Published,
    /// `$schema` has the published shape, but that version is unknown here.
    UnknownVersion(String),
    /// `$schema` is some other URL.
    Foreign,
    /// The caller named the version.
    Override,
}

/// The address under which the specification publishes its schemas.
const PREFIX: &str = "https://promptpack.org/schema/";
const SUFFIX: &str = "/promptpack.schema.json";

impl Declared {
    /// Reads `$schema`. Nothing is ever fetched: whatever is unknown is judged by the newest version.
    pub fn by_url(url: Option<&str>) -> Declared {
        let newest = |by| Declared { version: SpecVersion::NEWEST, by };
        let Some(url) = url else { return newest(DeclaredBy::Absent) };
        let folder = url.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
        match folder {
            None => newest(DeclaredBy::Foreign),
            Some(folder) if folder == "latest" || folder.starts_with('v') => match SpecVersion::parse(folder)
            {
                Some(version) => Declared { version, by: DeclaredBy::Published },
                None => newest(DeclaredBy::UnknownVersion(folder.to_owned())),
            },
            Some(folder) => newest(DeclaredBy::UnknownVersion(folder.to_owned())),
        }
    }

    /// The version that a caller asked for.
    pub fn forced(version: SpecVersion) -> Declared {
        Declared { version, by: DeclaredBy::Override }
    }
}

/// The `$schema` value that names `version`.
pub fn schema_url(version: SpecVersion) -> String {
    format!("{PREFIX}v{}.{}.{}{SUFFIX}", version.major, version.minor, version.patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, version: SpecVersion, by: &DeclaredBy) {
        let declared = Declared::by_url(Some(url));
        assert_eq!((declared.version, &declared.by), (version, by), "{url}");
    }

    #[test]
    fn schema_urls_name_versions() {
        let published = &DeclaredBy::Published;
        let of = |folder: &str| format!("{PREFIX}{folder}{SUFFIX}");
        check(&of("latest"), SpecVersion::NEWEST, published);
        check(&of("v1"), SpecVersion::NEWEST, published);
        check(&of("v1.0"), SpecVersion::V1_0, published);
        check(&of("v1.2"), SpecVersion::V1_3, published);
        check(&of("v1.3"), SpecVersion::V1_3_1, published);
        check(&of("v1.3.0"), SpecVersion::V1_3, published);
        check(&of("v1.5"), SpecVersion::V1_5_1, published);
        check(&of("v1.8.0"), SpecVersion::V1_8_1, published);
        check(&of("v3.1"), SpecVersion::NEWEST, &DeclaredBy::UnknownVersion("v3.1".to_owned()));
        check(&of("1.0"), SpecVersion::NEWEST, &DeclaredBy::UnknownVersion("1.0".to_owned()));
        check("https://example.org/x.json", SpecVersion::NEWEST, &DeclaredBy::Foreign);
    }
}
