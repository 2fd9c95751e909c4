//! References: `id@VERSION`, `id@RANGE`, `id@CHANNEL`, `id@sha256:HEX`, or `id` (contract section 4).

use std::fmt;

use pack::Digest;
use pack::model::parse_version;
use semver::Version;

use crate::range::Range;
use crate::release::{Flag, Form};
use crate::settings::Ranges;

/// What a runtime asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The pack's id.
    pub id: String,
    /// Which of its releases.
    pub wanted: Wanted,
}

/// Which release of a pack is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// This version, even when it is yanked or flagged.
    Exact(Version),
    /// The highest of a range.
    Range(Range),
    /// What the channel names: `latest`, `prerelease` or an owner's own.
    Channel(String),
    /// The release one of whose forms has that digest.
    Digest(Digest),
}

/// A text that is no reference; it says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoReference(pub String);

impl fmt::Display for NoReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for NoReference {}

/// Whether a text is a pack id: a lower-case letter, then lower-case letters, digits and hyphens, at most 100.
pub fn is_pack_id(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

impl Reference {
    /// Reads a reference.
    ///
    /// # Errors
    /// [`NoReference`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Reference, NoReference> {
        let (id, wanted) = match text.split_once('@') {
            Some((id, wanted)) => (id, wanted.trim()),
            None => (text, "latest"),
        };
        if !is_pack_id(id) {
            return Err(NoReference(format!(
                "`{id}` is no pack id: ids are lower-case letters, digits and hyphens, a letter first"
            )));
        }
        Ok(Reference { id: id.to_owned(), wanted: Wanted::parse(wanted)? })
    }
}

impl Wanted {
    /// Reads what stands behind the `@`.
    ///
    /// # Errors
    /// [`NoReference`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Wanted, NoReference> {
        if text.starts_with("sha256:") {
            return text.parse().map(Wanted::Digest).map_err(|error| NoReference(error.to_string()));
        }
        if let Some(version) = parse_version(text) {
            return Ok(Wanted::Exact(version));
        }
        if matches!(text, "latest" | "prerelease") || crate::settings::is_channel_name(text) {
            return Ok(Wanted::Channel(text.to_owned()));
        }
        match Range::parse(text) {
            Some(range) if !text.is_empty() => Ok(Wanted::Range(range)),
            _ => Err(NoReference(format!("`{text}` is no version, range, channel or digest"))),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wanted {
            Wanted::Exact(version) => write!(formatter, "{}@{version}", self.id),
            Wanted::Channel(name) => write!(formatter, "{}@{name}", self.id),
            Wanted::Digest(digest) => write!(formatter, "{}@{digest}", self.id),
            Wanted::Range(_) => write!(formatter, "{}@(range)", self.id),
        }
    }
}

/// What resolving needs to know of a release.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'o> {
    /// Its version.
    pub version: &'o Version,
    /// Why ranges may skip it.
    pub flags: &'o [Flag],
    /// Whether it is yanked.
    pub yanked: bool,
    /// Whether its bytes were removed.
    pub removed: bool,
    /// The digests of its forms.
    pub digests: &'o [(Form, Digest)],
}

/// Why a reference leads to no release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// No release matches.
    NoMatch,
    /// Only releases match that ranges skip; these are they.
    OnlyHeld(Vec<Version>),
}

impl Offer<'_> {
    fn is_eligible(&self, ranges: Ranges) -> bool {
        !self.removed && !self.yanked && (ranges == Ranges::All || self.flags.is_empty())
    }
}

/// Finds the release that is wanted; gives its position in `offers` and, for a digest, the form that it names.
///
/// `channel` gives the version of an owner's channel.
///
/// # Errors
/// [`Unresolved`] says why there is none.
pub fn resolve(
    wanted: &Wanted,
    offers: &[Offer<'_>],
    ranges: Ranges,
    channel: &dyn Fn(&str) -> Option<Version>,
) -> Result<(usize, Option<Form>), Unresolved> {
    match wanted {
        Wanted::Exact(version) => exact(version, offers),
        Wanted::Digest(digest) => by_digest(*digest, offers),
        Wanted::Range(range) => highest(offers, ranges, &|version| range.contains(version)),
        Wanted::Channel(name) => match name.as_str() {
            "latest" => latest(offers, ranges),
            "prerelease" => highest(offers, ranges, &|_| true),
            name => exact(&channel(name).ok_or(Unresolved::NoMatch)?, offers),
        },
    }
}

fn exact(version: &Version, offers: &[Offer<'_>]) -> Result<(usize, Option<Form>), Unresolved> {
    let found = offers.iter().position(|offer| offer.version.cmp_precedence(version).is_eq());
    found.map(|position| (position, None)).ok_or(Unresolved::NoMatch)
}

fn by_digest(digest: Digest, offers: &[Offer<'_>]) -> Result<(usize, Option<Form>), Unresolved> {
    for (position, offer) in offers.iter().enumerate() {
        if let Some((form, _)) = offer.digests.iter().find(|(_, known)| *known == digest) {
            return Ok((position, Some(*form)));
        }
    }
    Err(Unresolved::NoMatch)
}

/// The highest stable release; where there is no stable one, the highest prerelease.
fn latest(offers: &[Offer<'_>], ranges: Ranges) -> Result<(usize, Option<Form>), Unresolved> {
    highest(offers, ranges, &|version| version.pre.is_empty())
        .or_else(|why| highest(offers, ranges, &|version| !version.pre.is_empty()).map_err(|_| why))
}

fn highest(
    offers: &[Offer<'_>],
    ranges: Ranges,
    inside: &dyn Fn(&Version) -> bool,
) -> Result<(usize, Option<Form>), Unresolved> {
    let matching = || offers.iter().enumerate().filter(|(_, offer)| inside(offer.version));
    let best = matching()
        .filter(|(_, offer)| offer.is_eligible(ranges))
        .max_by(|(_, a), (_, b)| a.version.cmp_precedence(b.version));
    if let Some((position, _)) = best {
        return Ok((position, None));
    }
    let held: Vec<Version> = matching().filter(|(_, o)| !o.removed).map(|(_, o)| o.version.clone()).collect();
    Err(if held.is_empty() { Unresolved::NoMatch } else { Unresolved::OnlyHeld(held) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELD: &[Flag] = &[Flag::InsufficientBump];

    fn check(reference: &str, expected: Result<&str, &str>) {
        let versions: Vec<Version> = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0-rc.1"]
            .map(|v| v.parse().expect("a version"))
            .to_vec();
        let offer = |version, flags, yanked| Offer { version, flags, yanked, removed: false, digests: &[] };
        let offers: Vec<Offer<'_>> = versions
            .iter()
            .map(|version| {
                let held = version.minor == 2;
                offer(version, if held { HELD } else { &[] }, version.minor == 3)
            })
            .collect();
        let channel = |name: &str| (name == "stable").then(|| Version::new(1, 0, 0));
        let found =
            Reference::parse(reference).map_err(|_| "no reference").and_then(|reference| {
                match resolve(&reference.wanted, &offers, Ranges::Hold, &channel) {
                    Ok((position, _)) => Ok(versions[position].to_string()),
                    Err(Unresolved::NoMatch) => Err("no match"),
                    Err(Unresolved::OnlyHeld(_)) => Err("only held"),
                }
            });
        assert_eq!(found.as_deref().map_err(|error| *error), expected, "{reference}");
    }

    #[test]
    fn ranges_and_latest_skip_what_is_held_back() {
        check("greeter", Ok("1.1.0"));
        check("greeter@latest", Ok("1.1.0"));
        check("greeter@^1", Ok("1.1.0"));
        check("greeter@1", Ok("1.1.0"));
        check("greeter@~1.2", Err("only held"));
        check("greeter@1.2.0", Ok("1.2.0"));
        check("greeter@v1.3.0", Ok("1.3.0"));
        check("greeter@1.2.0+build", Ok("1.2.0"));
        check("greeter@prerelease", Ok("2.0.0-rc.1"));
        check("greeter@^2", Err("no match"));
        check("greeter@stable", Ok("1.0.0"));
        check("greeter@canary", Err("no match"));
        check("greeter@", Err("no reference"));
        check("Greeter@1", Err("no reference"));
        check("greeter@1.2.3.4", Err("no reference"));
    }
}
