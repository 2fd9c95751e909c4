//! Skills (catalogue 3.12).

use std::collections::BTreeSet;

use pack::Node;
use pack::model::SkillForm;
use pack::skill::{FrontMatter, SKILL_FILE, SkillDocument};

use crate::facts::{Facts, SkillFacts};
use crate::lint::Lint;

mod duplicate_skill_name;
mod invalid_frontmatter;
mod invalid_skill_package;
mod mismatched_skill_name;
mod missing_skill;
mod missing_skill_resource;
mod undeclared_skill;
mod undeclared_skill_tool;
mod unpinned_skill;
mod unportable_frontmatter;
mod unportable_skill_path;

mod markdown;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &missing_skill::LINT,
    &unportable_skill_path::LINT,
    &invalid_skill_package::LINT,
    &unpinned_skill::LINT,
    &duplicate_skill_name::LINT,
    &invalid_frontmatter::LINT,
    &mismatched_skill_name::LINT,
    &unportable_frontmatter::LINT,
    &undeclared_skill_tool::LINT,
    &missing_skill_resource::LINT,
    &undeclared_skill::LINT,
];

/// One `SKILL.md` that the pack names, and the place that names it first.
struct Found<'f, 'a> {
    node: Node<'a>,
    path: &'f str,
    document: &'f SkillDocument,
}

/// Every skill document of the pack once, however many entries lead to it.
fn documents<'f, 'a>(pack: &'f Facts<'a>) -> Vec<Found<'f, 'a>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for skill in pack.skills() {
        let Some((_, node)) = skill.path() else { continue };
        for (path, document) in &skill.documents {
            if seen.insert(path) {
                found.push(Found { node, path, document });
            }
        }
    }
    found
}

/// The front matter of every skill document that has one.
fn front_matters<'f, 'a>(pack: &'f Facts<'a>) -> impl Iterator<Item = (Found<'f, 'a>, &'f FrontMatter)> {
    documents(pack).into_iter().filter_map(|found| {
        let front_matter = found.document.front_matter.as_ref().ok()?;
        Some((found, front_matter))
    })
}

/// The package reference of an entry, and its place.
fn package<'a>(skill: &SkillFacts<'a>) -> Option<(&'a str, Node<'a>)> {
    match skill.form {
        Some(SkillForm::Package(reference, node)) => Some((reference, node)),
        _ => None,
    }
}

/// The three parts of `@org/name[@version]`; none for any other text.
fn package_parts(reference: &str) -> Option<(&str, &str, Option<&str>)> {
    let (org, rest) = reference.strip_prefix('@')?.split_once('/')?;
    let (name, version) = match rest.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (rest, None),
    };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    let is_version = |version: &str| !version.is_empty() && !version.contains(['@', '/', ' ', '\t', '\n']);
    (is_name(org) && is_name(name) && version.is_none_or(is_version)).then_some((org, name, version))
}

/// Whether the text is 1 to 64 lower-case letters, digits and single inner hyphens.
fn is_skill_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 64 && name.split('-').all(is_part)
}

/// The name of the folder that makes this document a skill; none for a file of another name and at the root.
fn skill_folder(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    (file == SKILL_FILE).then(|| folder.rsplit('/').next().unwrap_or(folder))
}
