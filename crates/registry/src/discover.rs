//! Discovery: folds what Git reports into candidates and problems. It knows no Git, only trees and names.
//!
//! A file counts as a pack by its content: the root has at least three of `id`, `version`, `prompts` and
//! `template_engine`; or by its name, `*.pack.json`. Every file that looked like a pack and every tag that looked
//! like a version ends as a candidate or as a problem.

mod branch;
mod tags;

pub use branch::{BranchState, ChangedFile, CommitStep, Sight};
pub use tags::{TagPatterns, TagStep, tagged, version_of};

use pack::json::Document;
use pack::model::{Pack, SkillForm};
use pack::schema_file;
use pack::tree::{EntryKind, Tree, Unreadable, folder, join};

use crate::candidate::schema_places;
use crate::pattern::Patterns;
use crate::problem::{Problem, ProblemCode};
use crate::settings::{Limits, SourceSettings};

/// Which files of a source may be packs, and how much is read.
#[derive(Debug, Clone)]
pub struct Selection {
    include: Patterns,
    exclude: Patterns,
    limits: Limits,
}

impl Selection {
    /// Reads the patterns of a source.
    ///
    /// # Errors
    /// The pattern that cannot be read, and why.
    pub fn new(source: &SourceSettings, limits: Limits) -> Result<Selection, String> {
        Ok(Selection {
            include: Patterns::new(&source.include)?,
            exclude: Patterns::new(&source.exclude)?,
            limits,
        })
    }

    /// Whether a path may be a pack.
    pub fn matches(&self, path: &str) -> bool {
        self.include.matches(path) && !self.exclude.matches(path)
    }
}

/// A pack file as discovery remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// The id of its blob.
    pub blob: String,
    /// The pack's id, where it can be read.
    pub id: Option<String>,
    /// The pack's version, where it can be read.
    pub version: Option<String>,
    /// Paths of the files and folders that it names.
    pub named: Vec<String>,
}

/// What looking at a file gave.
enum Look {
    NotAPack,
    Pack(PackFile, Vec<u8>),
    Broken(Box<Problem>),
}

/// The keys of the root that make a JSON file a pack; three are enough.
const TELLING_KEYS: [&str; 4] = ["id", "version", "prompts", "template_engine"];

/// Whether a document looks like a pack by its content.
pub fn looks_like_pack(document: &Document) -> bool {
    telling_keys(document) >= 3
}

/// How many of the keys that tell a pack from other JSON a document has.
pub fn telling_keys(document: &Document) -> usize {
    TELLING_KEYS.iter().filter(|key| document.root().get(key).is_some()).count()
}

/// Whether text that is no JSON was meant as a pack: it names a key that packs have.
pub fn was_meant_as_pack(text: &[u8]) -> bool {
    TELLING_KEYS.iter().any(|key| {
        let quoted = format!("\"{key}\"");
        text.windows(quoted.len()).any(|window| window == quoted.as_bytes())
    })
}

/// Whether a path is a pack by its name.
pub fn is_named_as_pack(path: &str) -> bool {
    path.ends_with(".pack.json")
}

fn look(path: &str, blob: &str, tree: &dyn Tree, limits: Limits) -> Look {
    let broken = |code, message: String| Look::Broken(Box::new(Problem::new(code, message).at_path(path)));
    let bytes = match tree.read(path) {
        Ok(bytes) => bytes,
        Err(Unreadable::TooLarge { size, limit }) if is_named_as_pack(path) => {
            return broken(ProblemCode::TooLarge, format!("the file has {size} bytes, more than {limit}"));
        }
        Err(Unreadable::Other(EntryKind::Link)) if is_named_as_pack(path) => {
            return broken(ProblemCode::Symlink, "the file is a symbolic link".to_owned());
        }
        Err(Unreadable::Other(EntryKind::Submodule)) if is_named_as_pack(path) => {
            return broken(ProblemCode::Submodule, "a submodule stands where a pack is expected".to_owned());
        }
        Err(
            Unreadable::TooLarge { .. }
            | Unreadable::TooMany { .. }
            | Unreadable::Other(_)
            | Unreadable::Missing,
        ) => {
            return Look::NotAPack;
        }
        Err(Unreadable::Failed(why)) => return broken(ProblemCode::Unreachable, why),
    };
    if bytes.starts_with(b"version https://git-lfs.github.com/spec/") && is_named_as_pack(path) {
        return broken(ProblemCode::LfsPointer, "the file is a Git LFS pointer".to_owned());
    }
    let size = bytes.len() as u64;
    if size > limits.pack_bytes && (is_named_as_pack(path) || was_meant_as_pack(&bytes)) {
        let limit = limits.pack_bytes;
        return broken(ProblemCode::TooLarge, format!("the file has {size} bytes, more than {limit}"));
    }
    let (document, problems) = Document::parse(&bytes);
    let Some(document) = document else {
        if !is_named_as_pack(path) && !was_meant_as_pack(&bytes) {
            return Look::NotAPack;
        }
        let first = problems.first().map_or_else(
            || "it is no JSON".to_owned(),
            |problem| {
                let text = String::from_utf8_lossy(&bytes);
                let at = pack::LineIndex::new(&text).position(&text, problem.span.start);
                format!("{}:{}: {}", at.line, at.column, problem.message)
            },
        );
        return broken(ProblemCode::NotJson, first);
    };
    if !is_named_as_pack(path) && !looks_like_pack(&document) {
        return Look::NotAPack;
    }
    if path.contains(char::is_control) {
        return broken(ProblemCode::UnreadableName, "the path holds a control character".to_owned());
    }
    Look::Pack(pack_file(path, blob, &document, tree), bytes)
}

/// Paths of the files and folders that a pack names: its skills, its schema files, and what these refer to in `tree`.
pub fn named_files(document: &Document, path: &str, tree: &dyn Tree) -> Vec<String> {
    let schemas = schema_places(document, path).into_iter().flatten();
    let mut named: Vec<String> = schema_file::reached(tree, schemas).into_keys().collect();
    for skill in Pack(document.root()).skills() {
        if let Some(SkillForm::Path(reference, _)) = skill.form() {
            named.extend(join(folder(path), reference));
            named.extend(join("", reference));
        }
    }
    named.sort();
    named.dedup();
    named
}

fn pack_file(path: &str, blob: &str, document: &Document, tree: &dyn Tree) -> PackFile {
    let pack = Pack(document.root());
    PackFile {
        blob: blob.to_owned(),
        id: pack.id().map(str::to_owned),
        version: pack.version_text().map(str::to_owned),
        named: named_files(document, path, tree),
    }
}
