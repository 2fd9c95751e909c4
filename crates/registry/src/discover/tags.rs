//! Tags mode: each tag that fits a pattern names one version.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pack::model::parse_version;
use pack::tree::Tree;
use regex::Regex;
use semver::Version;

use super::branch::{ChangedFile, Sight};
use super::{Look, PackFile, Selection, look};
use crate::candidate::Candidate;
use crate::problem::{Problem, ProblemCode};

/// The patterns of a source's version tags, ready to match.
#[derive(Debug, Clone)]
pub struct TagPatterns {
    patterns: Vec<Regex>,
}

/// One tag and the commit that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagStep {
    /// Its name.
    pub tag: String,
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
        TagPatterns { patterns: patterns.iter().filter_map(compile).collect() }
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
    let mut sight = Sight::default();
    sight.touched.insert(step.tag.clone());
    let problem = |code, message: String| {
        Problem::new(code, message).at_reference(Some(&step.tag)).at_commit(&step.commit)
    };
    let fits = patterns.fits(&step.tag);
    let Some((first_id, version)) = fits.first() else {
        if looks_like_version(&step.tag) {
            let message =
                format!("the tag `{}` looks like a version, and fits no pattern of the source", step.tag);
            sight.problems.push(problem(ProblemCode::TagMismatch, message));
        }
        return sight;
    };
    let (packs, broken) = packs_of(step, tree, selection);
    sight.problems.extend(broken);
    for (id, version) in &fits {
        let Some(id) = id else { continue };
        let named: Vec<_> = packs.iter().filter(|(_, (pack, _))| pack.id.as_deref() == Some(id)).collect();
        let right = named.iter().find(|(_, (pack, _))| has_version(pack, version));
        if let Some((path, (_, bytes))) = right {
            sight.candidates.push(candidate(step, path, bytes));
            return sight;
        }
        if let Some((path, (pack, _))) = named.first() {
            let found = pack.version.as_deref().unwrap_or("none");
            let message = format!("the tag says {version}, and the pack `{id}` of its commit says {found}");
            sight
                .problems
                .push(problem(ProblemCode::TagMismatch, message).at_path(path.as_str()).of(Some(id), None));
            return sight;
        }
    }
    let plain = fits.iter().find(|(id, _)| id.is_none());
    let Some((_, version)) = plain else {
        let id = first_id.as_deref().unwrap_or_default();
        let message = format!("the commit holds no pack `{id}`, which the tag names as {version}");
        sight.problems.push(problem(ProblemCode::TagMismatch, message));
        return sight;
    };
    match &packs.iter().collect::<Vec<_>>()[..] {
        [(path, (pack, bytes))] if has_version(pack, version) => {
            sight.candidates.push(candidate(step, path, bytes))
        }
        [(path, (pack, _))] => {
            let found = pack.version.as_deref().unwrap_or("none");
            let message = format!("the tag says {version}, and the pack of its commit says {found}");
            sight.problems.push(problem(ProblemCode::TagMismatch, message).at_path(path.as_str()));
        }
        [] => {
            let message = format!("the commit holds no pack, and the tag names the version {version}");
            sight.problems.push(problem(ProblemCode::TagMismatch, message));
        }
        several => {
            let message =
                format!("the commit holds {} packs, and the tag does not say which one", several.len());
            sight.problems.push(problem(ProblemCode::TagMismatch, message));
        }
    }
    sight
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
