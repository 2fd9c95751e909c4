//! What the root settings of a source say of packs, versions and places that do not exist: it has no effect, and its
//! owner would not notice.

use std::collections::BTreeMap;

use semver::Version;

use crate::range::Range;
use crate::settings::{PackRelease, RepositorySettings};

/// What a source holds, as far as its settings may speak of it.
pub trait Holdings {
    /// Whether the pack stands at the head or has releases.
    fn holds(&self, id: &str) -> bool;

    /// Every version of the pack that is or was released.
    fn taken(&self, id: &str) -> Vec<Version>;

    /// The versions that are served.
    fn served(&self, id: &str) -> Vec<Version>;

    /// Whether any release has that place.
    fn has_place(&self, id: &str, place: &str) -> bool;
}

/// What names nothing: a sentence for each pack that is spoken of in vain.
pub fn idle(settings: &RepositorySettings, holdings: &dyn Holdings) -> BTreeMap<String, String> {
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut say = |pack: &str, what: String| {
        let sentences = said.entry(pack.to_owned()).or_default();
        if !sentences.contains(&what) {
            sentences.push(what);
        }
    };
    let unheld = |heading: &str, pack: &str| {
        (!holdings.holds(pack)).then(|| format!("`{heading}` speaks of a pack that the source does not hold"))
    };
    for (id, channels) in &settings.channels {
        let heading = format!("[channels.{id}]");
        if let Some(unheld) = unheld(&heading, id) {
            say(id, unheld);
            continue;
        }
        let served = holdings.served(id);
        for (name, version) in channels.iter().filter(|(_, version)| !served.contains(version)) {
            say(id, format!("`{heading}` sets `{name}` to {version}, which is not released"));
        }
    }
    for (heading, entries) in [("[[yank]]", &settings.yank), ("[[deprecate]]", &settings.deprecate)] {
        for PackRelease { pack, versions, .. } in entries {
            let matches = || {
                let range = Range::parse(versions);
                range.is_none_or(|range| holdings.taken(pack).iter().any(|version| range.contains(version)))
            };
            match unheld(heading, pack) {
                Some(unheld) => say(pack, unheld),
                None if matches() => {}
                None => say(
                    pack,
                    format!("`{heading}` names the versions `{versions}`, and no release is among them"),
                ),
            }
        }
    }
    for entry in &settings.sunset {
        match unheld("[[sunset]]", &entry.pack) {
            Some(unheld) => say(&entry.pack, unheld),
            None if holdings.has_place(&entry.pack, &entry.place) => {}
            None => say(
                &entry.pack,
                format!("`[[sunset]]` names the place `{}`, which no release has", entry.place),
            ),
        }
    }
    for entry in &settings.renamed {
        if let Some(unheld) = unheld("[[renamed]]", &entry.to) {
            say(&entry.to, unheld);
        }
    }
    said.into_iter().map(|(pack, sentences)| (pack, sentences.join("; "))).collect()
}
