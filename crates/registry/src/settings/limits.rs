//! `[limits]`: how much of everything a registry takes in.

use serde::Deserialize;

use super::error::SettingsError;

/// `[limits]`; sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The size of a pack.
    pub pack_bytes: u64,
    /// The size of all files of a skill.
    pub skill_bytes: u64,
    /// The number of files of a skill.
    pub skill_files: usize,
    /// The number of packs in one commit.
    pub packs_per_tree: usize,
    /// The number of refs of a source.
    pub refs: usize,
    /// What one fetch of a remote source may bring.
    pub fetch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            pack_bytes: 2 << 20,
            skill_bytes: 20 << 20,
            skill_files: 500,
            packs_per_tree: 1000,
            refs: 20_000,
            fetch_bytes: 1 << 30,
        }
    }
}

/// `[limits]` as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsFile {
    pack_bytes: Option<toml::Value>,
    skill_bytes: Option<toml::Value>,
    skill_files: Option<usize>,
    packs_per_tree: Option<usize>,
    refs: Option<usize>,
    fetch_bytes: Option<toml::Value>,
    requests_per_minute: u64,
}

impl LimitsFile {
    /// Puts the defaults where nothing is written.
    pub(super) fn checked(self) -> Result<Limits, SettingsError> {
        if self.requests_per_minute > 0 {
            return Err(SettingsError::new(
                "limits.requests_per_minute",
                "a limit on requests is nothing that this version has yet",
            )
            .help("write 0, and limit requests in the reverse proxy"));
        }
        let defaults = Limits::default();
        let size = |key: &str, value: Option<toml::Value>, default: u64| match value {
            None => Ok(default),
            Some(value) => bytes(&value).ok_or_else(|| {
                SettingsError::new(format!("limits.{key}"), format!("{value} is no size"))
                    .help("write bytes, or a number and `KiB`, `MiB` or `GiB`, such as \"2MiB\"")
            }),
        };
        Ok(Limits {
            pack_bytes: size("pack_bytes", self.pack_bytes, defaults.pack_bytes)?,
            skill_bytes: size("skill_bytes", self.skill_bytes, defaults.skill_bytes)?,
            skill_files: self.skill_files.unwrap_or(defaults.skill_files),
            packs_per_tree: self.packs_per_tree.unwrap_or(defaults.packs_per_tree),
            refs: self.refs.unwrap_or(defaults.refs),
            fetch_bytes: size("fetch_bytes", self.fetch_bytes, defaults.fetch_bytes)?,
        })
    }
}

fn bytes(value: &toml::Value) -> Option<u64> {
    if let Some(number) = value.as_integer() {
        return u64::try_from(number).ok();
    }
    let text = value.as_str()?.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let unit: u64 = match text[digits..].trim() {
        "" | "B" => 1,
        "KiB" | "kB" => 1 << 10,
        "MiB" | "MB" => 1 << 20,
        "GiB" | "GB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit)
}
