//! Finds the skills that a pack names by path and reads their `SKILL.md` files (schema guide "Skills").
//!
//! A path is relative to the folder of the pack file; where nothing stands there, the root of the repository is
//! tried, as the reference runtime does. A folder may hold one skill or a tree of several.

use serde::Deserialize;

use crate::span::Span;
use crate::tree::{EntryKind, FileBelow, Tree, Unreadable, files_below, folder, join};

/// The name of the file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Where a skill path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The path from the root of the repository.
    pub path: String,
    /// Whether it was found only from the root of the repository, not from the pack's folder.
    pub from_root: bool,
    /// Every regular file at or below the path.
    pub files: Vec<FileBelow>,
    /// Links and submodules below the path, which are left out.
    pub skipped: Vec<(String, EntryKind)>,
}

/// Why a skill path leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotLocated {
    /// The path is absolute or leaves the repository.
    Escapes,
    /// Nothing stands at the path, from neither folder.
    Missing,
    /// A folder stands there, without any `SKILL.md` in it.
    NoSkillFile(String),
    /// Something stands there that cannot be read: a link, a submodule, too many files.
    Unreadable(String, Unreadable),
}

/// Finds what `skill` (as the pack writes it) names, seen from the pack file at `pack_path`.
///
/// # Errors
/// Says why the path leads nowhere: see [`NotLocated`].
pub fn locate(
    tree: &dyn Tree,
    pack_path: &str,
    skill: &str,
    max_files: usize,
) -> Result<Location, NotLocated> {
    let base = folder(pack_path);
    let near = join(base, skill);
    let far = if base.is_empty() { None } else { join("", skill) };
    let mut result =
        Err(if near.is_none() && far.is_none() { NotLocated::Escapes } else { NotLocated::Missing });
    for (path, from_root) in [(near, false), (far, true)] {
        let Some(path) = path else { continue };
        match located_at(tree, &path, max_files) {
            Ok(mut location) => {
                location.from_root = from_root;
                return Ok(location);
            }
            Err(NotLocated::Missing) => {}
            Err(error) if result == Err(NotLocated::Missing) => result = Err(error),
            Err(_) => {}
        }
    }
    result
}

fn located_at(tree: &dyn Tree, path: &str, max_files: usize) -> Result<Location, NotLocated> {
    let below = files_below(tree, path, max_files).map_err(|error| match error {
        Unreadable::Missing => NotLocated::Missing,
        other => NotLocated::Unreadable(path.to_owned(), other),
    })?;
    let is_file = below.files.len() == 1 && below.files[0].path == path;
    if !is_file && !below.files.iter().any(|file| is_skill_file(&file.path)) {
        return Err(NotLocated::NoSkillFile(path.to_owned()));
    }
    Ok(Location { path: path.to_owned(), from_root: false, files: below.files, skipped: below.skipped })
}

fn is_skill_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(SKILL_FILE)
}

impl Location {
    /// The documents that hold skills: the named file itself, or every `SKILL.md` that no other one's folder holds.
    pub fn skill_files(&self) -> Vec<&str> {
        if let [only] = &self.files[..]
            && only.path == self.path
        {
            return vec![&only.path];
        }
        let mut found: Vec<&str> = Vec::new();
        let mut candidates: Vec<&str> =
            self.files.iter().map(|f| f.path.as_str()).filter(|p| is_skill_file(p)).collect();
        candidates.sort_by_key(|path| (path.matches('/').count(), *path));
        for path in candidates {
            let inside =
                |outer: &&str| path.starts_with(&format!("{}/", folder(outer))) || folder(outer).is_empty();
            if !found.iter().any(inside) {
                found.push(path);
            }
        }
        found.sort_unstable();
        found
    }

    /// The files that belong to the skill whose document is at `skill_file`, sorted by path.
    pub fn files_of<'l>(&'l self, skill_file: &'l str) -> impl Iterator<Item = &'l FileBelow> {
        let base = folder(skill_file);
        let whole_folder = is_skill_file(skill_file);
        self.files.iter().filter(move |file| {
            file.path == skill_file
                || whole_folder && (base.is_empty() || file.path.starts_with(&format!("{base}/")))
        })
    }
}

/// A `SKILL.md` file, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillDocument {
    /// The mapping between the two `---` lines.
    pub front_matter: Result<FrontMatter, FrontMatterProblem>,
    /// What follows the second `---` line, line breaks as written; the whole text where there is no block.
    pub body: String,
    /// Where the block between the `---` lines stands in the file.
    pub front_matter_span: Span,
    /// Whether the file starts with a byte order mark.
    pub byte_order_mark: bool,
    /// Whether a line of the block ends with CRLF.
    pub carriage_returns: bool,
}

/// The fields of a skill's front matter, each as it was written: any YAML value.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct FrontMatter {
    /// `name`
    pub name: Option<serde_json::Value>,
    /// `description`
    pub description: Option<serde_json::Value>,
    /// `license`
    pub license: Option<serde_json::Value>,
    /// `compatibility`
    pub compatibility: Option<serde_json::Value>,
    /// `metadata`
    pub metadata: Option<serde_json::Value>,
    /// `allowed-tools`: a list, or one string.
    #[serde(rename = "allowed-tools")]
    pub allowed_tools: Option<serde_json::Value>,
}

/// Why there is no front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontMatterProblem {
    /// The file is not UTF-8.
    NotText,
    /// The file does not start with a `---` line.
    Absent,
    /// The second `---` line is missing.
    Unclosed,
    /// The block is no YAML mapping; the text says why.
    NoMapping(String),
}

impl FrontMatter {
    /// The name, where it is a text.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref()?.as_str()
    }

    /// The description, where it is a text.
    pub fn description(&self) -> Option<&str> {
        self.description.as_ref()?.as_str()
    }

    /// The tools that the skill may use, from either form.
    pub fn allowed_tools(&self) -> Vec<String> {
        match &self.allowed_tools {
            Some(serde_json::Value::Array(items)) => {
                items.iter().filter_map(|item| item.as_str()).map(str::to_owned).collect()
            }
            Some(serde_json::Value::String(text)) => text
                .split([' ', ',', '\t', '\n'])
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Takes the bytes of a `SKILL.md` apart. LF, CRLF and a byte order mark are accepted.
pub fn parse(bytes: &[u8]) -> SkillDocument {
    let mut document = SkillDocument {
        front_matter: Err(FrontMatterProblem::NotText),
        body: String::new(),
        front_matter_span: Span::new(0, 0),
        byte_order_mark: false,
        carriage_returns: false,
    };
    let Ok(text) = std::str::from_utf8(bytes) else { return document };
    let content = text.trim_start_matches('\u{feff}');
    document.byte_order_mark = content.len() != text.len();
    let offset = text.len() - content.len();
    content.clone_into(&mut document.body);
    let Some(first) = content.split_inclusive('\n').next().filter(|line| line.trim_end() == "---") else {
        document.front_matter = Err(FrontMatterProblem::Absent);
        return document;
    };
    let mut at = first.len();
    let mut end = None;
    for line in content[first.len()..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            end = Some((at, at + line.len()));
            break;
        }
        at += line.len();
    }
    let Some((block_end, body_start)) = end else {
        document.front_matter = Err(FrontMatterProblem::Unclosed);
        return document;
    };
    let block = &content[first.len()..block_end];
    document.carriage_returns = first.ends_with("\r\n") || block.contains("\r\n");
    document.front_matter_span = Span::new(offset + first.len(), offset + block_end);
    content[body_start..].clone_into(&mut document.body);
    document.front_matter = mapping(block);
    document
}

/// Reads the block; its size is bounded before the YAML parser sees it, which has budgets of its own.
fn mapping(block: &str) -> Result<FrontMatter, FrontMatterProblem> {
    const LIMIT: usize = 64 * 1024;
    if block.len() > LIMIT {
        return Err(FrontMatterProblem::NoMapping(format!("it is longer than {LIMIT} bytes")));
    }
    let value: serde_json::Value = serde_saphyr::from_str(block)
        .map_err(|error| FrontMatterProblem::NoMapping(first_line(&error.to_string())))?;
    if !value.is_object() {
        return Err(FrontMatterProblem::NoMapping("it is no mapping of keys to values".to_owned()));
    }
    serde_json::from_value(value)
        .map_err(|error| FrontMatterProblem::NoMapping(first_line(&error.to_string())))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemoryTree;

    fn tree() -> MemoryTree {
        let mut tree = MemoryTree::default();
        tree.insert("packs/a/skills/billing/SKILL.md", "---\nname: billing\n---\nBe kind.\n");
        tree.insert("packs/a/skills/billing/refunds.md", "30 days");
        tree.insert("packs/a/skills/empty/readme.md", "");
        tree.insert("shared/SKILL.md", "");
        tree
    }

    #[test]
    fn paths_are_tried_from_the_pack_and_then_from_the_root() {
        let find = |skill| locate(&tree(), "packs/a/a.pack.json", skill, 100);
        let near = find("./skills/billing").expect("beside the pack");
        assert_eq!((near.path.as_str(), near.from_root), ("packs/a/skills/billing", false));
        assert_eq!(near.skill_files(), ["packs/a/skills/billing/SKILL.md"]);
        assert_eq!(near.files_of(near.skill_files()[0]).count(), 2);
        assert!(find("shared").expect("at the root").from_root);
        assert_eq!(find("../../shared").map(|found| found.from_root), Ok(false));
        assert_eq!(find("../../../etc"), Err(NotLocated::Escapes));
        assert_eq!(find("/etc"), Err(NotLocated::Escapes));
        assert_eq!(find("skills/gone"), Err(NotLocated::Missing));
        assert_eq!(find("skills/empty"), Err(NotLocated::NoSkillFile("packs/a/skills/empty".to_owned())));
    }

    #[test]
    fn front_matter_is_read_with_any_line_ends() {
        let skill = parse(
            "\u{feff}---\r\nname: billing\r\nallowed-tools: Read, lookup_order\r\n---\r\nBe kind.\r\n"
                .as_bytes(),
        );
        let front_matter = skill.front_matter.expect("a mapping");
        assert_eq!(front_matter.name(), Some("billing"));
        assert_eq!(front_matter.allowed_tools(), ["Read", "lookup_order"]);
        assert_eq!(skill.body, "Be kind.\r\n");
        assert!(skill.byte_order_mark && skill.carriage_returns);
        assert_eq!(parse(b"# Title").front_matter, Err(FrontMatterProblem::Absent));
        assert_eq!(parse(b"---\nname: x\n").front_matter, Err(FrontMatterProblem::Unclosed));
        assert!(matches!(parse(b"---\n- a\n---\n").front_matter, Err(FrontMatterProblem::NoMapping(_))));
    }
}
