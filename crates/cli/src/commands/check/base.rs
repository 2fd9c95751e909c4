//! `--against BASE`: every form, resolved to what the packs are compared with.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use git::{ObjectId, SourceRepository};
use pack::model::parse_version;
use registry::discover::TagPatterns;
use registry::settings::SourceSettings;
use semver::Version;

use super::target::{Fetch, Target};
use crate::complaint::Complaint;

/// What the packs are compared with.
#[derive(Debug)]
pub struct Base {
    /// How it is called in the report.
    pub label: String,
    /// What it is.
    pub kind: Kind,
    /// The commit from which known releases are looked for on the way down; none where there is no such line.
    pub tip: Option<ObjectId>,
    /// Remarks on the run.
    pub notes: Vec<String>,
}

/// The kinds of bases.
#[derive(Debug)]
pub enum Kind {
    /// Nothing is compared.
    Nothing,
    /// Commits: one, or several merge bases; with the path below which packs count.
    Commits(Vec<ObjectId>, Option<String>),
    /// HEAD stands on the target branch itself: the last known release, else the first parent of HEAD.
    LastRelease(Option<ObjectId>),
    /// Version tags with what they name, the highest first.
    Tags(Vec<VersionTag>),
    /// A file or folder on disk.
    Disk(PathBuf),
    /// A registry.
    Registry(Wanted),
}

/// A version tag.
#[derive(Debug, Clone)]
pub struct VersionTag {
    /// Its name.
    pub name: String,
    /// The commit that it names.
    pub commit: ObjectId,
    /// The pack that it names; none where it names all.
    pub id: Option<String>,
    /// The version.
    pub version: Version,
}

/// Which release of a registry is the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The release that the version is judged by.
    Line,
    /// What `latest` means.
    Latest,
    /// This one.
    Version(String),
}

/// Reads `--against`, or finds out what it should be.
///
/// # Errors
/// When it names nothing, several things, or commits that are not here.
pub fn resolve(
    text: Option<&str>,
    repository: &mut Option<Rc<SourceRepository>>,
    fetch: &Fetch,
) -> anyhow::Result<Base> {
    let Some(text) = text else {
        let repository = repository.as_mut().ok_or_else(|| outside("no base is named"))?;
        return merge_base(&Target::by_default(repository)?, repository, fetch);
    };
    let plain = |label: &str, kind| Base { label: label.to_owned(), kind, tip: None, notes: Vec::new() };
    if text == "none" {
        return Ok(plain(text, Kind::Nothing));
    }
    if let Some(wanted) = registry_form(text) {
        let label = if wanted == Wanted::Line { "registry:line" } else { text };
        return Ok(plain(label, Kind::Registry(wanted)));
    }
    let commit = repository.as_ref().and_then(|repository| repository.resolve(text).ok());
    if let Some(revision) = text.strip_prefix("merge-base:") {
        if revision.is_empty() {
            return Err(Complaint::new("`merge-base:` names no branch")
                .help("write `merge-base:main`")
                .into());
        }
        let repository = needed(repository, text)?;
        return merge_base(&Target::named(revision, repository), repository, fetch);
    }
    if let Some(glob) = text.strip_prefix("tag:") {
        return tags(text, glob, needed(repository, text)?);
    }
    let path = Path::new(text);
    match (path.exists(), commit) {
        (true, Some(_)) => Err(Complaint::new(format!("`{text}` is both a path and a revision"))
            .help(format!(
                "write `./{text}` for the path, or `refs/heads/{text}` and the like for the revision"
            ))
            .into()),
        (true, None) => Ok(plain(text, Kind::Disk(path.to_owned()))),
        (false, Some(commit)) => Ok(of_commit(text, commit, None)),
        (false, None) => revision_with_path(text, needed(repository, text)?, fetch),
    }
}

fn needed<'r>(
    repository: &'r mut Option<Rc<SourceRepository>>,
    text: &str,
) -> anyhow::Result<&'r mut Rc<SourceRepository>> {
    repository.as_mut().ok_or_else(|| outside(text))
}

fn outside(what: &str) -> anyhow::Error {
    Complaint::new(format!("{what}: the packs are in no Git repository"))
        .help("name a file or folder, a registry, or `none`: `--against BASE`")
        .into()
}

fn registry_form(text: &str) -> Option<Wanted> {
    match text.strip_prefix("registry")? {
        "" | ":line" => Some(Wanted::Line),
        ":latest" => Some(Wanted::Latest),
        rest => Some(Wanted::Version(rest.strip_prefix(':')?.to_owned())),
    }
}

fn short(commit: ObjectId) -> String {
    commit.to_string()[..10].to_owned()
}

fn of_commit(label: &str, commit: ObjectId, path: Option<String>) -> Base {
    let label = format!("{label} ({})", short(commit));
    Base { label, kind: Kind::Commits(vec![commit], path), tip: Some(commit), notes: Vec::new() }
}

/// `REV:PATH`, or a revision that is not here yet.
fn revision_with_path(
    text: &str,
    repository: &mut Rc<SourceRepository>,
    fetch: &Fetch,
) -> anyhow::Result<Base> {
    if let Some((revision, path)) = text.split_once(':')
        && let Ok(commit) = repository.resolve(revision)
    {
        let path = path.trim_matches('/').to_owned();
        let is_there = path.is_empty() || repository.tree(commit)?.entry(&path)?.is_some();
        if !is_there {
            return Err(Complaint::new(format!("{text}: nothing stands there in `{revision}`")).into());
        }
        return Ok(of_commit(text, commit, Some(path)));
    }
    let target = Target::named(text, repository);
    if let Some((revision, commit)) = target.resolve(repository) {
        return Ok(of_commit(&revision, commit, None));
    }
    let why = format!("`{text}` is no file, folder or revision here");
    fetch.history(repository, target.branch.as_ref(), why)?;
    match target.resolve(repository) {
        Some((revision, commit)) => Ok(of_commit(&revision, commit, None)),
        None => Err(Complaint::new(format!("`{text}` is no revision here, even after fetching")).into()),
    }
}

fn merge_base(target: &Target, repository: &mut Rc<SourceRepository>, fetch: &Fetch) -> anyhow::Result<Base> {
    let Ok(head) = repository.resolve("HEAD") else {
        let notes = vec!["there is no commit yet: nothing was compared".to_owned()];
        return Ok(Base { label: "none".to_owned(), kind: Kind::Nothing, tip: None, notes });
    };
    if target.resolve(repository).is_none() {
        let why = format!("the branch `{}` is not in this clone", target.shown);
        fetch.history(repository, target.branch.as_ref(), why)?;
    }
    let missing =
        || Complaint::new(format!("the branch `{}` is not there, even after fetching", target.shown));
    let (mut revision, mut tip) = target.resolve(repository).ok_or_else(missing)?;
    let mut bases = repository.merge_bases(head, tip)?;
    if may_be_others(repository, [head, tip], &bases)? {
        let why = format!("this clone is shallow and may hide the merge base with `{revision}`");
        fetch.history(repository, target.branch.as_ref(), why)?;
        (revision, tip) = target.resolve(repository).ok_or_else(missing)?;
        bases = repository.merge_bases(head, tip)?;
    }
    if bases.is_empty() {
        return Err(Complaint::new(format!("HEAD and `{revision}` have no common commit"))
            .help(format!("compare with `--against {revision}` instead"))
            .into());
    }
    bases.sort();
    let mut notes = Vec::new();
    if bases.contains(&head) {
        let parent = repository.first_parent(head)?;
        let label = format!("the last release before {}", short(head));
        return Ok(Base { label, kind: Kind::LastRelease(parent), tip: parent, notes });
    }
    if bases.len() > 1 {
        notes
            .push(format!("there are {} merge bases: what changed against each of them counts", bases.len()));
    }
    let names: Vec<String> = bases.iter().map(|commit| short(*commit)).collect();
    let label = format!("merge-base:{revision} ({})", names.join(", "));
    Ok(Base { label, kind: Kind::Commits(bases, None), tip: Some(tip), notes })
}

/// Whether what a shallow clone left out may change which commits are the merge bases, or what stands before HEAD.
fn may_be_others(
    repository: &SourceRepository,
    [head, tip]: [ObjectId; 2],
    bases: &[ObjectId],
) -> anyhow::Result<bool> {
    let hides_parent = bases.contains(&head) && repository.is_at_edge(head);
    Ok(hides_parent || repository.may_hide_ancestors(&[head, tip], bases)?)
}

fn tags(text: &str, glob: &str, repository: &SourceRepository) -> anyhow::Result<Base> {
    let pattern = registry::pattern::Patterns::new(&[glob.to_owned()])
        .map_err(|why| Complaint::new(format!("{text}: the pattern cannot be read: {why}")))?;
    let limit = registry::settings::Limits::default().refs;
    let fits = TagPatterns::new(&SourceSettings::local("local", ".").tags);
    let mut found = Vec::new();
    for tag in repository.refs(limit)?.tags {
        // `*` should reach over the slash of `support/v1.0.0`.
        let matches = pattern.matches(&tag.name) || pattern.matches(&tag.name.replace('/', "-"));
        let Some(commit) = tag.commit.filter(|_| matches) else { continue };
        let named =
            fits.fits(&tag.name).into_iter().next().or_else(|| Some((None, trailing_version(&tag.name)?)));
        if let Some((id, version)) = named {
            found.push(VersionTag { name: tag.name, commit, id, version });
        }
    }
    if found.is_empty() {
        return Err(Complaint::new(format!("{text}: no tag of this clone fits and names a version"))
            .help("`git fetch --tags` brings the remote's tags; `git tag --list` shows them")
            .into());
    }
    found.sort_by(|a, b| b.version.cmp_precedence(&a.version).then_with(|| a.name.cmp(&b.name)));
    let tip = found.first().map(|tag| tag.commit);
    Ok(Base { label: text.to_owned(), kind: Kind::Tags(found), tip, notes: Vec::new() })
}

/// The version at the end of a tag that fits no pattern: `release-1.2.0`.
fn trailing_version(tag: &str) -> Option<Version> {
    let starts = tag.match_indices(['/', '@', '-', '_', 'v']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).find_map(|at| parse_version(&tag[at..]))
}
