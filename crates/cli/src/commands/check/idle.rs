//! What the settings of HEAD say of releases that are not there, where they did not say it in the base.

use std::collections::{BTreeMap, BTreeSet};

use registry::idle::{Holdings, idle};
use registry::settings::{RepositorySettings, find_settings};
use semver::Version;

use super::examine::Run;
use super::releases::Releases;
use crate::judging::JudgedFile;
use crate::worktree::WorkTree;

/// Entries of the root settings that are to be looked at, and the versions that stand at HEAD.
pub struct Spoken {
    settings: RepositorySettings,
    versions: BTreeMap<String, Vec<Version>>,
}

impl Spoken {
    /// The packs that the entries speak of.
    pub fn packs(&self) -> BTreeSet<String> {
        let RepositorySettings { channels, yank, deprecate, .. } = &self.settings;
        let entries = yank.iter().chain(deprecate).map(|entry| entry.pack.clone());
        channels.keys().cloned().chain(entries).collect()
    }
}

impl Run<'_> {
    /// What HEAD says of the releases of the judged packs, where the base said something else.
    pub fn spoken(&self, judged: &[JudgedFile]) -> Option<Spoken> {
        let repository = self.repository.as_ref().filter(|repository| !repository.is_shallow())?;
        let root = std::path::absolute(repository.workdir()?).ok()?;
        let mut settings = find_settings(&WorkTree::around(&root), "").ok()?.settings;
        let before = find_settings(self.trees.first()?.tree.as_ref(), "").unwrap_or_default().settings;
        let mut versions: BTreeMap<String, Vec<Version>> = BTreeMap::new();
        for file in judged {
            let Some(id) = &file.evaluated.id else { continue };
            versions.entry(id.clone()).or_default().extend(file.evaluated.version.clone());
        }
        settings.channels.retain(|id, now| versions.contains_key(id) && before.channels.get(id) != Some(now));
        settings.yank.retain(|entry| versions.contains_key(&entry.pack) && !before.yank.contains(entry));
        let is_new = |entry: &_| !before.deprecate.contains(entry);
        settings.deprecate.retain(|entry| versions.contains_key(&entry.pack) && is_new(entry));
        // Packs that are not there, and places, are another matter.
        (settings.sunset, settings.renamed) = Default::default();
        let spoken = Spoken { settings, versions };
        (!spoken.packs().is_empty()).then_some(spoken)
    }

    /// Notes what names no release: the registry takes such a channel away, and yanks nothing.
    pub fn note_idle(&mut self, spoken: &Spoken, releases: &Releases) -> anyhow::Result<()> {
        let mut versions = spoken.versions.clone();
        for id in spoken.packs() {
            let known = releases.known(&id)?.into_iter().map(|known| known.version);
            versions.entry(id).or_default().extend(known);
        }
        let said = idle(&spoken.settings, &Known(versions));
        self.notes.extend(said.into_values().map(|sentence| format!("packhouse.toml: {sentence}")));
        Ok(())
    }
}

struct Known(BTreeMap<String, Vec<Version>>);

impl Holdings for Known {
    fn holds(&self, _: &str) -> bool {
        true
    }

    fn taken(&self, id: &str) -> Vec<Version> {
        self.0.get(id).cloned().unwrap_or_default()
    }

    fn served(&self, id: &str) -> Vec<Version> {
        self.taken(id)
    }

    fn has_place(&self, _: &str, _: &str) -> bool {
        true
    }
}
