//! The bundle: a tar.gz of the pack and every file that it names, at their places in the repository.
//!
//! The bytes are the same on every machine, and in years: names in order, no times, no owners, stored blocks. A bundle
//! is made anew out of the files of a release whenever it is asked for, and its digest was made at publishing.

use std::collections::BTreeMap;

use pack::Digest;
use serde::Serialize;

use crate::release::{Form, PromptSummary, Release, SkillFile, SkillRecord, ToolSummary};

mod archive;

/// The name of the bundle's own list of contents.
pub const MANIFEST: &str = "manifest.json";

/// Why a release has no bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoBundle {
    /// Two things would stand at that place.
    Taken(String),
    /// A file of the release is missing.
    Missing(String),
    /// No archive can hold a file of that name.
    Unnamed(String),
}

impl std::fmt::Display for NoBundle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoBundle::Taken(place) => write!(formatter, "two things would stand at `{place}`"),
            NoBundle::Missing(path) => write!(formatter, "`{path}` is missing"),
            NoBundle::Unnamed(path) => write!(formatter, "no archive can hold a file called `{path}`"),
        }
    }
}

/// Makes the bundle of a release. `read` gives the bytes of a file below the release's folder in the ledger.
///
/// # Errors
/// [`NoBundle`] says what is in the way.
pub fn bundle(release: &Release, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, NoBundle> {
    let read = |path: &str| read(path).ok_or_else(|| NoBundle::Missing(path.to_owned()));
    let mut places = Places::default();
    places.add(release.path.clone(), read(Form::Source.file_name())?, false)?;
    let mut files = Vec::new();
    for path in &release.files {
        let bytes = read(&format!("files/{path}"))?;
        files.push(FileEntry { path: path.clone(), size: bytes.len() as u64, digest: Digest::of(&bytes) });
        places.add(path.clone(), bytes, false)?;
    }
    let mut packages = Packages::default();
    let mut skills = Vec::new();
    for skill in &release.skills {
        let mut entries = Vec::new();
        for file in &skill.files {
            let Some(place) = skill.place(file).or_else(|| packages.place(skill, file)) else { continue };
            entries.push(FileEntry { path: place.clone(), size: file.size, digest: file.digest });
            places.add(place, read(&file.ledger_path)?, file.executable)?;
        }
        skills.push(SkillEntry::new(release, skill, entries));
    }
    let manifest = Manifest::new(release, skills, files);
    let text = serde_json::to_string_pretty(&manifest).map_err(|_| NoBundle::Unnamed(MANIFEST.to_owned()))?;
    places.add(MANIFEST.to_owned(), format!("{text}\n").into_bytes(), false)?;
    places.check()?;
    archive::write(&places.0).map_err(NoBundle::Unnamed)
}

/// The files of a bundle by their places.
#[derive(Default)]
struct Places(BTreeMap<String, archive::File>);

impl Places {
    fn add(&mut self, place: String, bytes: Vec<u8>, executable: bool) -> Result<(), NoBundle> {
        let file = archive::File { bytes, executable };
        match self.0.get(&place) {
            // Two references may lead to one file.
            Some(known) if known.bytes == file.bytes => Ok(()),
            Some(_) => Err(NoBundle::Taken(place)),
            None => {
                self.0.insert(place, file);
                Ok(())
            }
        }
    }

    /// A place is a file or a folder, not both.
    fn check(&self) -> Result<(), NoBundle> {
        for place in self.0.keys() {
            let mut folders = place.match_indices('/').map(|(at, _)| &place[..at]);
            if let Some(folder) = folders.find(|folder| self.0.contains_key(*folder)) {
                return Err(NoBundle::Taken(folder.to_owned()));
            }
        }
        Ok(())
    }
}

/// The folders of the packages: one for each reference that was read, the second one of a name is `name~2`.
#[derive(Default)]
struct Packages(BTreeMap<String, Vec<String>>);

impl Packages {
    fn place(&mut self, skill: &SkillRecord, file: &SkillFile) -> Option<String> {
        let reference = skill.reference.as_deref()?;
        let below = skill.below(file)?;
        let name = match reference[1..].split_once('@') {
            Some((name, _)) => &reference[..=name.len()],
            None => reference,
        };
        let known = self.0.entry(name.to_owned()).or_default();
        let number = known.iter().position(|known| known == reference).unwrap_or_else(|| {
            known.push(reference.to_owned());
            known.len() - 1
        });
        Some(match number {
            0 => format!("skills/{name}/{below}"),
            earlier => format!("skills/{name}~{}/{below}", earlier + 1),
        })
    }
}

/// What a bundle says of itself: of the release's manifest what its commit says, whichever registry made it.
#[derive(Debug, Serialize)]
struct Manifest<'r> {
    id: &'r str,
    version: String,
    /// The place of the pack's file.
    pack: &'r str,
    digest: Digest,
    commit: &'r str,
    tag: Option<&'r str>,
    spec_version: &'r str,
    prompts: &'r [PromptSummary],
    tools: &'r [ToolSummary],
    skills: Vec<SkillEntry<'r>>,
    files: Vec<FileEntry>,
    warnings: &'r [String],
}

impl Manifest<'_> {
    fn new<'r>(release: &'r Release, skills: Vec<SkillEntry<'r>>, files: Vec<FileEntry>) -> Manifest<'r> {
        Manifest {
            id: &release.id,
            version: release.version.to_string(),
            pack: &release.path,
            digest: release.digest,
            commit: &release.commit,
            tag: release.tag.as_deref(),
            spec_version: &release.spec_version,
            prompts: &release.summary.prompts,
            tools: &release.summary.tools,
            skills,
            files,
            warnings: &release.warnings,
        }
    }
}

#[derive(Debug, Serialize)]
struct SkillEntry<'r> {
    name: &'r str,
    description: &'r str,
    reference: Option<&'r str>,
    preload: bool,
    digest: Digest,
    commit: Option<&'r str>,
    files: Vec<FileEntry>,
}

impl SkillEntry<'_> {
    fn new<'r>(release: &'r Release, skill: &'r SkillRecord, files: Vec<FileEntry>) -> SkillEntry<'r> {
        SkillEntry {
            name: &skill.name,
            description: &skill.description,
            reference: skill.reference.as_deref(),
            preload: skill.preload,
            digest: skill.digest,
            commit: release.commit_of(skill),
            files,
        }
    }
}

/// A file of the bundle; `path` is its place there.
#[derive(Debug, Serialize)]
struct FileEntry {
    path: String,
    size: u64,
    digest: Digest,
}

#[cfg(test)]
mod tests;
