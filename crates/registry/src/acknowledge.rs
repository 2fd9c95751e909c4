//! `[[allow]]` entries: findings and changes that are accepted in the open.

use std::collections::BTreeMap;

use rules::Change;
use semver::Version;

use crate::judge::Settings;
use crate::settings::Allow;

/// What an entry may accept.
#[derive(Debug, Clone, Copy)]
pub struct Accepted<'a> {
    /// The id of the rule.
    pub rule: &'a str,
    /// The fingerprint of the finding.
    pub fingerprint: &'a str,
    /// The path of the file.
    pub path: &'a str,
    /// The pack's id.
    pub pack: &'a str,
    /// The place of the finding.
    pub place: &'a str,
    /// The version of the pack.
    pub version: Option<&'a Version>,
}

/// The pack that findings belong to, as an entry may speak of it.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'a> {
    /// The path of the file, from the folder of the settings.
    pub path: &'a str,
    /// The pack's id.
    pub pack: &'a str,
    /// The version of the pack.
    pub version: Option<&'a Version>,
}

impl Holder<'_> {
    /// The position of the first entry that accepts a change of the pack and still counts.
    pub fn accept_change(&self, change: &Change, settings: Settings<'_>) -> Option<usize> {
        self.accept(&change.rule, &change.fingerprint, &change.place, settings)
    }

    /// The same for a finding of that rule, fingerprint and place.
    pub fn accept(
        &self,
        rule: &str,
        fingerprint: &str,
        place: &str,
        settings: Settings<'_>,
    ) -> Option<usize> {
        let Holder { path, pack, version } = *self;
        accept(&Accepted { rule, fingerprint, path, pack, place, version }, settings)
    }
}

/// Why changes of a pack are accepted, by their fingerprints.
pub fn reasons(changes: &[Change], holder: Holder<'_>, settings: Settings<'_>) -> BTreeMap<String, String> {
    let reason = |change: &Change| {
        let entry = settings.repository.allow.get(holder.accept_change(change, settings)?)?;
        Some((change.fingerprint.clone(), entry.reason.clone()))
    };
    changes.iter().filter_map(reason).collect()
}

/// The position of the first entry that accepts the finding and still counts.
///
/// Rules that the operator names under `no_allow` are never accepted.
fn accept(found: &Accepted<'_>, settings: Settings<'_>) -> Option<usize> {
    if settings.policy.no_allow.iter().any(|rule| rule == found.rule) {
        return None;
    }
    let counts = |entry: &Allow| covers(entry, found) && !is_over(entry, found.version, settings.today);
    settings.repository.allow.iter().position(counts)
}

/// Whether an entry speaks of the finding, expired or not.
pub fn covers(entry: &Allow, found: &Accepted<'_>) -> bool {
    let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
    same(&entry.rule, found.rule)
        && same(&entry.fingerprint, found.fingerprint)
        && same(&entry.path, found.path)
        && same(&entry.pack, found.pack)
        && entry.place.as_deref().is_none_or(|place| is_at_or_below(found.place, place))
}

fn is_at_or_below(place: &str, outer: &str) -> bool {
    place.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether an entry no longer counts: past its day, or its version is reached.
pub fn is_over(entry: &Allow, version: Option<&Version>, today: jiff::civil::Date) -> bool {
    entry.expires.is_some_and(|day| day < today)
        || entry
            .until
            .as_ref()
            .zip(version)
            .is_some_and(|(until, version)| version.cmp_precedence(until).is_ge())
}
