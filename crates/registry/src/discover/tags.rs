//! Tags mode: each tag that fits a pattern names one version.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pack::model::parse_version;
use pack::tree::Tree;
use regex::Regex;
use semver::Version;

use super::branch::{ChangedFile, Sight, same_json};
use super::{Look, PackFile, Selection, look};
use crate::candidate::Candidate;
use crate::problem::{Problem, ProblemCode};

/// The patterns of a source's version tags, ready to match.
#[derive(Debug, Clone)]
pub struct TagPatterns {
    patterns: Vec<Regex>,
    /// As they are written in the configuration.
    texts: Vec<String>,
}

/// One tag and the commit that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagStep {
    /// Its name.
    pub tag: String,
    /// The id of the tag itself, where it is an annotated one.
    pub object: Option<String>,
    /// The commit that it was peeled to.
    pub commit: String,
    /// When that commit was made.
    pub at: Timestamp,
    /// Every file of the commit.
    pub files: Vec<ChangedFile>,
}

impl TagPatterns {
    /// Reads patterns with `{version}` and perhaps `{id}`; settings have checked them.
    pub fn new(patterns: &[String]) -> TagPatterns {
        let compile = |pattern: &String| {
            let escaped = regex::escape(pattern)
                .replace(r"\{version\}", r"(?P<version>[0-9]\S*)")
                .replace(r"\{id\}", "(?P<id>[a-z][a-z0-9-]*)");
            Regex::new(&format!("^{escaped}$")).ok()
        };
        TagPatterns { patterns: patterns.iter().filter_map(compile).collect(), texts: patterns.to_vec() }
    }

    /// What a tag may name: (id, version) of every pattern that it fits, in the order of the patterns.
    pub fn fits(&self, tag: &str) -> Vec<(Option<String>, Version)> {
        let fit = |pattern: &Regex| {
            let captures = pattern.captures(tag)?;
            let version = parse_version(captures.name("version")?.as_str())?;
            Some((captures.name("id").map(|id| id.as_str().to_owned()), version))
        };
        self.patterns.iter().filter_map(fit).collect()
    }
}

/// Whether a tag looks like a version although it may fit no pattern: its last part is `1.2` or longer, perhaps
/// behind a `v` of either case.
pub(crate) fn looks_like_version(tag: &str) -> bool {
    let last = tag.rsplit(['/', '@', '_']).next().unwrap_or(tag);
    let starts = std::iter::once(0).chain(last.match_indices('-').map(|(at, _)| at + 1));
    starts.into_iter().any(|at| {
        let rest = &last[at..];
        let digits = rest.strip_prefix(['v', 'V']).unwrap_or(rest);
        let mut parts = digits.split('.');
        let number =
            |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        number(parts.next()) && number(parts.next())
    })
}

/// The version that decides the order in which tags are judged; none for tags that name none.
pub fn version_of(patterns: &TagPatterns, tag: &str) -> Option<Version> {
    patterns.fits(tag).into_iter().next().map(|(_, version)| version)
}

/// Takes one tag in.
pub fn tagged(step: &TagStep, tree: &dyn Tree, selection: &Selection, patterns: &TagPatterns) -> Sight {
    let mut sight = Sight { tag: Some(step.tag.clone()), ..Sight::default() };
    let fits = patterns.fits(&step.tag);
    if fits.is_empty() {
        if looks_like_version(&step.tag) {
            let message = format!(
                "the tag `{}` looks like a version, and fits none of the source's patterns: `{}`",
                step.tag,
                patterns.texts.join("`, `")
            );
            sight.problems.push(problem(step, ProblemCode::TagMismatch, message));
        }
        return sight;
    }
    let (packs, broken) = packs_of(step, tree, selection);
    sight.problems.extend(broken);
    let found = fits.iter().find_map(|(id, version)| named(step, id.as_ref()?, version, &packs, tree));
    match found.unwrap_or_else(|| only_pack(step, &fits, &packs)) {
        Ok(path) => sight.candidates.push(candidate(step, path, &packs[path].1)),
        Err(problem) => sight.problems.push(*problem),
    }
    sight
}

fn problem(step: &TagStep, code: ProblemCode, message: String) -> Problem {
    Problem::new(code, message).at_reference(Some(&step.tag)).at_commit(&step.commit)
}

/// The path of the pack that a tag releases, or what is wrong with the tag.
type Named<'p> = Result<&'p str, Box<Problem>>;

/// The pack of this id, with the version that the tag says; none where the commit has no pack of the id.
fn named<'p>(
    step: &TagStep,
    id: &str,
    version: &Version,
    packs: &'p Packs,
    tree: &dyn Tree,
) -> Option<Named<'p>> {
    let of_id = || packs.iter().filter(|(_, (pack, _))| pack.id.as_deref() == Some(id));
    let (first_path, (first, _)) = of_id().next()?;
    let right: Vec<&str> =
        of_id().filter(|(_, (pack, _))| has_version(pack, version)).map(|(path, _)| path.as_str()).collect();
    let about = |code, path: &str, message| {
        let problem = problem(step, code, message).at_path(path);
        Some(Err(Box::new(problem.of(Some(id), Some(&version.to_string())))))
    };
    match right[..] {
        [] => {
            let found = first.version.as_deref().unwrap_or("none");
            let message = format!("the tag says {version}, and the pack `{id}` of its commit says {found}");
            about(ProblemCode::TagMismatch, first_path, message)
        }
        [path, other, ..] if !same_json(right.iter().copied(), tree) => {
            let message = format!("`{other}` claims {id}@{version} too, with other content");
            about(ProblemCode::DuplicatePack, path, message)
        }
        [path, ..] => Some(Ok(path)),
    }
}

/// The one pack of the commit, where a pattern without `{id}` fits.
fn only_pack<'p>(step: &TagStep, fits: &[(Option<String>, Version)], packs: &'p Packs) -> Named<'p> {
    let mismatch = |message| Box::new(problem(step, ProblemCode::TagMismatch, message));
    let Some((_, version)) = fits.iter().find(|(id, _)| id.is_none()) else {
        let (id, version) = &fits[0];
        let id = id.as_deref().unwrap_or_default();
        return Err(mismatch(format!("the commit holds no pack `{id}`, which the tag names as {version}")));
    };
    let mut paths = packs.iter();
    match (paths.next(), paths.len()) {
        (Some((path, (pack, _))), 0) if has_version(pack, version) => Ok(path),
        (Some((path, (pack, _))), 0) => {
            let found = pack.version.as_deref().unwrap_or("none");
            let message = format!("the tag says {version}, and the pack of its commit says {found}");
            let id = pack.id.as_deref();
            Err(Box::new(mismatch(message).at_path(path.as_str()).of(id, Some(&version.to_string()))))
        }
        (None, _) => {
            Err(mismatch(format!("the commit holds no pack, and the tag names the version {version}")))
        }
        (_, others) => {
            let count = others + 1;
            Err(mismatch(format!("the commit holds {count} packs, and the tag does not say which one")))
        }
    }
}

fn has_version(pack: &PackFile, version: &Version) -> bool {
    let own = pack.version.as_deref().and_then(parse_version);
    own.is_some_and(|own| own.cmp_precedence(version).is_eq())
}

fn candidate(step: &TagStep, path: &str, bytes: &[u8]) -> Candidate {
    Candidate {
        bytes: bytes.to_vec(),
        path: path.to_owned(),
        commit: step.commit.clone(),
        tag: Some(step.tag.clone()),
        tag_object: step.object.clone(),
        committed_at: step.at,
    }
}

type Packs = BTreeMap<String, (PackFile, Vec<u8>)>;

/// The packs of the tag's commit by path, and what looked like one.
fn packs_of(step: &TagStep, tree: &dyn Tree, selection: &Selection) -> (Packs, Vec<Problem>) {
    let mut packs = Packs::new();
    let mut problems = Vec::new();
    for file in step.files.iter().filter(|file| selection.matches(&file.path)) {
        let Some((_, blob)) = &file.now else { continue };
        match look(&file.path, blob, tree, selection.limits) {
            Look::NotAPack => {}
            Look::Broken(problem) => {
                problems.push((*problem).at_reference(Some(&step.tag)).at_commit(&step.commit));
            }
            Look::Pack(pack, bytes) if packs.len() < selection.limits.packs_per_tree => {
                packs.insert(file.path.clone(), (pack, bytes));
            }
            Look::Pack(..) => {
                let message = format!("the commit holds more than {} packs", selection.limits.packs_per_tree);
                let problem = Problem::new(ProblemCode::TooManyPacks, message);
                problems.push(problem.at_reference(Some(&step.tag)).at_commit(&step.commit));
                break;
            }
        }
    }
    (packs, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tag: &str, expected: &[(&str, &str)]) {
        let fits = TagPatterns::new(&crate::settings::default_tags()).fits(tag);
        let shown: Vec<(String, String)> =
            fits.iter().map(|(id, version)| (id.clone().unwrap_or_default(), version.to_string())).collect();
        let shown: Vec<(&str, &str)> =
            shown.iter().map(|(id, version)| (id.as_str(), version.as_str())).collect();
        assert_eq!(shown, expected, "{tag}");
    }

    #[test]
    fn tags_name_packs_and_versions() {
        check("v1.2.3", &[("", "1.2.3")]);
        check("release-notes-v2.0.0-rc.1", &[("release-notes", "2.0.0-rc.1")]);
        check("support/v1.0.0", &[("support", "1.0.0")]);
        check("support@1.0.0", &[("support", "1.0.0")]);
        check("release-1.0.0", &[]);
        check("v1.2", &[]);
        assert!(
            looks_like_version("release-1.0.0")
                && looks_like_version("1.0.0")
                && !looks_like_version("nightly")
        );
    }
}
