//! One entry of `skills` on one side, and what it leads to there.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use pack::Digest;
use pack::model::{Skill, SkillForm};
use pack::skill::{Location, SkillDocument, locate, parse};
use pack::tree::{Tree, join};

use crate::changes::side::Side;
use crate::facts::MAX_SKILL_FILES;

/// One entry of `skills`.
pub(super) struct Entry<'a> {
    /// The entry.
    pub(super) skill: Skill<'a>,
    /// Which form it has.
    pub(super) form: SkillForm<'a>,
    /// What pairs it: its kind with the path, the package without its ref, or the name.
    pub(super) identity: String,
    side: &'a Side<'a>,
    files: OnceCell<Option<Files>>,
}

/// The files of a skill in one tree.
#[derive(Debug, PartialEq)]
pub(super) struct Files {
    /// What stands at each path below the skill.
    pub(super) entries: BTreeMap<String, FileState>,
}

/// One file of a skill.
#[derive(Debug, PartialEq)]
pub(super) struct FileState {
    /// The executable bit, the kind of what is no file, the digest of the raw bytes or of where a link points.
    state: String,
    /// The document, where the file holds the skill.
    pub(super) document: Option<SkillFile>,
}

/// A `SKILL.md`, whole and taken apart.
#[derive(Debug, PartialEq)]
pub(super) struct SkillFile {
    /// Its text without the description in the front matter; none where there is no front matter.
    without_description: Option<String>,
    description: Option<String>,
}

impl<'a> Entry<'a> {
    /// The entries of one side that have a form, in order.
    pub(super) fn all(side: &'a Side<'a>) -> Vec<Entry<'a>> {
        side.pack.skills().filter_map(|skill| Entry::new(side, skill)).collect()
    }

    fn new(side: &'a Side<'a>, skill: Skill<'a>) -> Option<Entry<'a>> {
        let form = skill.form()?;
        let identity = match form {
            SkillForm::Path(path, _) => format!("path {}", join("", path).unwrap_or(path.to_owned())),
            SkillForm::Package(reference, _) => format!("package {}", package(reference).0),
            SkillForm::Inline => format!("inline {}", skill.text("name").unwrap_or_default()),
        };
        Some(Entry { skill, form, identity, side, files: OnceCell::new() })
    }

    /// How a message calls it.
    pub(super) fn name(&self) -> &str {
        self.identity.split_once(' ').map_or(self.identity.as_str(), |(_, name)| name)
    }

    /// The ref behind the name of a package.
    pub(super) fn package_ref(&self) -> Option<&'a str> {
        match self.form {
            SkillForm::Package(reference, _) => package(reference).1,
            _ => None,
        }
    }

    /// The files that a path leads to on this side, read once; none where they cannot be read.
    pub(super) fn files(&self, path: &str) -> Option<&Files> {
        let read = || read(self.side.tree?, self.side.path, path);
        self.files.get_or_init(read).as_ref()
    }

    /// A text that is equal for equal content of one form; what cannot be read is equal to nothing else.
    pub(super) fn fingerprint(&self) -> String {
        let content = match self.form {
            SkillForm::Path(path, _) => self.files(path).map(Files::digest),
            SkillForm::Package(..) => None,
            SkillForm::Inline => {
                let field = |key| self.skill.text(key).unwrap_or_default();
                Some(format!("{:?}", [field("description"), field("instructions")]))
            }
        };
        let kind = self.identity.split(' ').next().unwrap_or_default();
        let content = content.unwrap_or_else(|| self.identity.clone());
        Digest::of_parts([kind.as_bytes(), content.as_bytes()]).hex()
    }
}

/// Name and ref of `@org/name[@ref]`.
fn package(reference: &str) -> (&str, Option<&str>) {
    let at = reference.char_indices().skip(1).find(|(_, letter)| *letter == '@');
    at.map_or((reference, None), |(at, _)| (&reference[..at], Some(&reference[at + 1..])))
}

fn read(tree: &dyn Tree, pack: &str, path: &str) -> Option<Files> {
    let location = locate(tree, pack, path, MAX_SKILL_FILES).ok()?;
    let documents = location.skill_files();
    let mut entries = BTreeMap::new();
    for file in &location.files {
        let bytes = tree.read(&file.path).ok()?;
        let is_document = documents.contains(&file.path.as_str());
        let state = FileState {
            state: format!("{} {}", file.executable, Digest::of(&bytes).hex()),
            document: is_document.then(|| SkillFile::of(&bytes)),
        };
        entries.insert(below(&location, &file.path), state);
    }
    // Links and submodules are never followed and no part of a release: what they are now is no change of it.
    Some(Files { entries })
}

/// The path below the skill; a skill that is one file is called by the name of the file.
fn below(location: &Location, path: &str) -> String {
    let inner = path.strip_prefix(location.path.as_str()).unwrap_or(path).trim_start_matches('/');
    let inner = if inner.is_empty() { path.rsplit('/').next().unwrap_or(path) } else { inner };
    inner.to_owned()
}

impl SkillFile {
    fn of(bytes: &[u8]) -> SkillFile {
        let document = parse(bytes);
        let description = document.front_matter.as_ref().ok().and_then(|front| front.description());
        let description = description.map(str::to_owned);
        let without_description = description.is_some().then(|| without_description(bytes, &document));
        SkillFile { without_description: without_description.flatten(), description }
    }
}

impl Files {
    /// A digest of everything below the skill.
    pub(super) fn digest(&self) -> String {
        let parts = self.entries.iter().flat_map(|(path, file)| [path.as_bytes(), file.state.as_bytes()]);
        Digest::of_parts(parts).hex()
    }
}

/// The text without the lines of the description: its key, and what is indented below.
fn without_description(bytes: &[u8], document: &SkillDocument) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (start, end) = (document.front_matter_span.start as usize, document.front_matter_span.end as usize);
    let mut kept = text.get(..start)?.to_owned();
    let mut inside = false;
    for line in text.get(start..end)?.split_inclusive('\n') {
        inside = line.starts_with("description:")
            || inside && (line.trim().is_empty() || line.starts_with([' ', '\t']));
        if !inside {
            kept.push_str(line);
        }
    }
    kept.push_str(text.get(end..)?);
    Some(kept)
}

impl FileState {
    /// Whether the two files differ in their description alone.
    pub(super) fn only_redescribes(&self, other: &FileState) -> bool {
        let (Some(own), Some(theirs)) = (&self.document, &other.document) else { return false };
        let same_rest =
            own.without_description.is_some() && own.without_description == theirs.without_description;
        let is_executable = |file: &FileState| file.state.starts_with("true");
        same_rest && own.description != theirs.description && is_executable(self) == is_executable(other)
    }
}
