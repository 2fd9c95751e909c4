//! Finds the packs that a command is to look at: named files, and what a walk below folders shows.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use git::SourceRepository;
use pack::Document;
use rayon::prelude::*;
use registry::discover::{is_named_as_pack, looks_like_pack, was_meant_as_pack};

use crate::complaint::{self, Complaint};
use crate::worktree::{FILE_BYTES, WorkTree};

/// The name that standard input goes by where none is given.
pub const STANDARD_INPUT: &str = "<stdin>";

/// One pack file and the tree that it stands in.
#[derive(Debug)]
pub struct PackFile {
    /// Its path as it was named.
    pub shown: String,
    /// Its path from the root of its tree.
    pub path: String,
    /// The files around it; shared by all packs of one root. None for standard input without a name.
    pub tree: Option<Arc<WorkTree>>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The packs that were found.
#[derive(Debug)]
pub struct Found {
    /// The packs, sorted by path.
    pub packs: Vec<PackFile>,
    /// Whether everything that was asked for could be read. What could not was already said.
    pub complete: bool,
    /// Folders that were walked completely, as trees and paths in them.
    pub folders: Vec<(Arc<WorkTree>, String)>,
    /// Folders that hold packs, or files that could not be read.
    holding: HashSet<PathBuf>,
}

impl Found {
    /// Notes that a file stands in its folder and in all those above.
    fn hold(&mut self, place: &Path) {
        for folder in place.ancestors().skip(1) {
            if self.holding.contains(folder) {
                return;
            }
            self.holding.insert(folder.to_owned());
        }
    }
}

/// A path of the file system before it is read.
struct Candidate {
    shown: String,
    place: PathBuf,
    tree: Arc<WorkTree>,
    named: bool,
}

/// Finds the packs at and below `paths`; the current folder where there are none. `-` is standard input.
///
/// # Errors
/// When standard input cannot be read. Everything else that goes wrong is said at once, so that the rest goes on.
pub fn find(paths: &[PathBuf], stdin_name: Option<&str>) -> anyhow::Result<Found> {
    let mut found = find_any(paths, stdin_name)?;
    for (tree, folder) in &found.folders {
        let place = tree.root().join(folder);
        if !found.holding.contains(&place) {
            complaint::print(&no_packs(&place).into());
            found.complete = false;
        }
    }
    Ok(found)
}

/// As [`find`], but a folder may be empty.
///
/// # Errors
/// As [`find`].
pub fn find_any(paths: &[PathBuf], stdin_name: Option<&str>) -> anyhow::Result<Found> {
    let mut found = Found { packs: Vec::new(), complete: true, folders: Vec::new(), holding: HashSet::new() };
    let mut candidates = Vec::new();
    let current = [PathBuf::from(".")];
    for path in if paths.is_empty() { &current[..] } else { paths } {
        if path.as_os_str() == "-" {
            found.packs.push(standard_input(stdin_name)?);
            continue;
        }
        if let Err(error) = add(path, &mut candidates, &mut found) {
            complaint::print(&error);
            found.complete = false;
        }
    }
    let mut seen = HashSet::new();
    let first: Vec<bool> =
        candidates.iter().map(|candidate| seen.insert(candidate.place.as_path())).collect();
    let mut first = first.into_iter();
    candidates.retain(|_| first.next() == Some(true));
    let looked: Vec<anyhow::Result<Option<PackFile>>> = candidates.par_iter().map(look).collect();
    for (candidate, result) in candidates.iter().zip(looked) {
        match result {
            Ok(Some(pack)) => {
                found.hold(&candidate.place);
                found.packs.push(pack);
            }
            Ok(None) => {}
            Err(error) => {
                // An unreadable file is no reason to say that its folder is empty.
                found.hold(&candidate.place);
                complaint::print(&error);
                found.complete = false;
            }
        }
    }
    found.packs.sort_by(|a, b| a.shown.cmp(&b.shown));
    Ok(found)
}

fn no_packs(folder: &Path) -> Complaint {
    Complaint::new(format!("{}: there are no packs in this folder", folder.display())).help(
        "a JSON file counts as a pack when it is named, ends in `.pack.json`, or has three of `id`, `version`, \
         `prompts` and `template_engine`; files that Git ignores and repositories of their own, such as submodules, are passed over",
    )
}

/// Adds a named file, or everything below a folder that may be a pack.
fn add(path: &Path, candidates: &mut Vec<Candidate>, found: &mut Found) -> anyhow::Result<()> {
    let missing = || Complaint::new(format!("{}: there is no such file or folder", path.display()));
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::Error::from(missing()),
        _ => anyhow::Error::from(error).context(format!("cannot read {}", path.display())),
    })?;
    let place = place_of(path)?;
    let tree = Arc::new(WorkTree::around(&place));
    if !metadata.is_dir() {
        candidates.push(Candidate { shown: shown(path), place, tree, named: true });
        return Ok(());
    }
    if let Some(folder) = tree.relative(&place) {
        found.folders.push((tree.clone(), folder));
    }
    let walk = ignore::WalkBuilder::new(&place)
        .git_global(false)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| entry.file_name() != "node_modules" && !holds_repository(entry))
        .build();
    let before = candidates.len();
    for entry in walk {
        let entry = entry.with_context(|| format!("cannot read below {}", path.display()))?;
        let is_json = entry.path().extension().is_some_and(|extension| extension == "json");
        let kind = entry.file_type();
        if !is_json || kind.is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        let below = entry.path().strip_prefix(&place).unwrap_or(entry.path());
        let shown = shown(&path.join(below));
        if kind.is_some_and(|kind| kind.is_symlink()) {
            if is_named_as_pack(&shown) {
                complaint::warn(&format!(
                    "{shown}: left out: it is a symbolic link, which is never followed"
                ));
            }
            continue;
        }
        candidates.push(Candidate { shown, place: entry.into_path(), tree: tree.clone(), named: false });
    }
    let tracked = tracked(&tree, &place)?;
    let met: HashSet<PathBuf> = match tracked.is_empty() {
        true => HashSet::new(),
        false => candidates[before..].iter().map(|candidate| candidate.place.clone()).collect(),
    };
    for file in tracked.into_iter().filter(|file| !met.contains(file) && is_file(file)) {
        let shown = shown(&path.join(file.strip_prefix(&place).unwrap_or(&file)));
        candidates.push(Candidate { shown, place: file, tree: tree.clone(), named: false });
    }
    Ok(())
}

/// Whether a folder below the one that is walked is a repository of its own, such as a submodule: its packs are
/// another repository's.
fn holds_repository(entry: &ignore::DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    entry.depth() > 0 && is_folder && entry.path().join(".git").exists()
}

/// The JSON files below a folder that Git tracks: what it ignores is of no matter for them.
fn tracked(tree: &WorkTree, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let Some(below) = tree.relative(folder).filter(|_| tree.in_repository()) else { return Ok(Vec::new()) };
    // A repository that cannot be opened has no index; the walk has seen its files.
    let Ok(repository) = SourceRepository::open(tree.root()) else { return Ok(Vec::new()) };
    let files = repository.tracked(&below)?;
    let is_candidate =
        |path: &String| path.ends_with(".json") && !path.split('/').any(|part| part == "node_modules");
    Ok(files.into_iter().filter(is_candidate).map(|path| tree.root().join(path)).collect())
}

/// Whether a file stands there, and no link to one.
fn is_file(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok_and(|metadata| metadata.is_file())
}

/// The absolute place of a path: links on the way are resolved, one at the end is not.
pub fn place_of(path: &Path) -> anyhow::Result<PathBuf> {
    let resolve = |path: &Path| {
        path.canonicalize().with_context(|| format!("cannot find the place of {}", path.display()))
    };
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !path.is_dir() => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            Ok(resolve(parent)?.join(name))
        }
        _ => resolve(path),
    }
}

/// A path as output shows it: as it was named, with `/`, without a leading `./`.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    let mut rest = text.as_str();
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    if rest.is_empty() { ".".to_owned() } else { rest.to_owned() }
}

/// Reads a candidate; none where it is no pack.
fn look(candidate: &Candidate) -> anyhow::Result<Option<PackFile>> {
    let Candidate { shown, place, tree, named } = candidate;
    let bytes = contents(place, *named).with_context(|| format!("cannot read {shown}"))?;
    if !named && !is_named_as_pack(shown) && !is_pack(&bytes) {
        return Ok(None);
    }
    let path = tree.relative(place).unwrap_or_else(|| shown.clone());
    Ok(Some(PackFile { shown: shown.clone(), path, tree: Some(tree.clone()), bytes }))
}

/// Reads a file up to the limit. A pipe that was named is read, as every command does; one that was only met could
/// keep the run waiting for ever.
fn contents(place: &Path, named: bool) -> anyhow::Result<Vec<u8>> {
    let metadata = fs::metadata(place)?;
    if !metadata.is_file() && !named {
        return Err(Complaint::new("it is a pipe, a socket or a device, not a file").into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(FILE_BYTES)).unwrap_or_default());
    fs::File::open(place)?.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Complaint::new(format!("it has more than {FILE_BYTES} bytes")).into());
    }
    Ok(bytes)
}

/// Whether the content alone makes a file a pack, or shows that it was meant as one.
fn is_pack(bytes: &[u8]) -> bool {
    was_meant_as_pack(bytes) && Document::parse(bytes).0.is_none_or(|document| looks_like_pack(&document))
}

fn standard_input(name: Option<&str>) -> anyhow::Result<PackFile> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    let Some(name) = name else {
        let name = STANDARD_INPUT.to_owned();
        return Ok(PackFile { shown: name.clone(), path: name, tree: None, bytes });
    };
    let path = Path::new(name);
    let folder = path.parent().filter(|folder| folder.is_dir()).map(place_of).transpose()?;
    let place = match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => place_of(Path::new("."))?.join(path.file_name().unwrap_or_default()),
    };
    let tree = WorkTree::around(place.parent().unwrap_or(&place));
    let path = tree.relative(&place).unwrap_or_else(|| name.to_owned());
    Ok(PackFile { shown: shown(Path::new(name)), path, tree: Some(Arc::new(tree)), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_they_were_named() {
        for (path, expected) in
            [("./a/b.json", "a/b.json"), ("../a.json", "../a.json"), (".", "."), ("./", ".")]
        {
            assert_eq!(shown(Path::new(path)), expected);
        }
    }
}
