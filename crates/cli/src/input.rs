//! The two sides of a comparison: a file, a path in a revision, or a release of a registry.

use std::path::{Path, PathBuf};

use client::ClientError;
use git::SourceRepository;
use pack::Document;
use pack::tree::{Tree, Unreadable, join};
use registry::discover::{is_named_as_pack, looks_like_pack, telling_keys};
use registry::{Input, Reference};

use crate::commands::registry_client;
use crate::complaint::{self, Complaint};
use crate::packs::{place_of, shown};
use crate::registry_tree::{RegistryRelease, release};
use crate::worktree::WorkTree;

/// One version of a pack, wherever it comes from.
pub struct Side<'r> {
    /// How it was named.
    pub shown: String,
    /// Its path from the root of its tree.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The files around it.
    pub tree: Box<dyn Tree + 'r>,
    /// Its document.
    pub document: Document,
    /// Whether it came from a registry, which gives no settings with it.
    pub of_registry: bool,
}

impl Side<'_> {
    /// The side in the form that judging takes.
    pub fn input(&self) -> Input<'_> {
        Input { bytes: &self.bytes, path: &self.path, tree: Some(self.tree.as_ref()) }
    }
}

/// The repository that the current folder lies in, and where in it that is.
pub struct Here {
    /// The repository.
    pub repository: SourceRepository,
    /// The current folder from the root of the work tree.
    pub folder: String,
}

impl Here {
    /// Opens the repository of the current folder; none outside of one.
    ///
    /// # Errors
    /// When there is a repository that cannot be read.
    pub fn open() -> anyhow::Result<Option<Here>> {
        let current = place_of(Path::new("."))?;
        let repository = match SourceRepository::discover(&current) {
            Ok(repository) => repository,
            Err(git::GitError::NotARepository { .. } | git::GitError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let root = repository.workdir().map(place_of).transpose()?;
        let below = root.as_deref().and_then(|root| current.strip_prefix(root).ok());
        let folder = below.map(shown).filter(|folder| folder != ".").unwrap_or_default();
        Ok(Some(Here { repository, folder }))
    }

    /// The path that `path` means: from the root, or with `./` or `../` from the current folder, as in git.
    pub fn path_of(&self, path: &str) -> Option<String> {
        let is_local = path.starts_with("./") || path.starts_with("../") || path == ".";
        join(if is_local { &self.folder } else { "" }, path)
    }
}

/// Reads one side of a comparison.
///
/// # Errors
/// When nothing of that name is found, or what is found is no pack.
pub fn side<'r>(
    text: &str,
    here: Option<&'r Here>,
    registry: &crate::args::RegistryOptions,
) -> anyhow::Result<Side<'r>> {
    if Path::new(text).is_dir() {
        return Err(Complaint::new(format!("{text}: this is a folder"))
            .help("name a pack file in it")
            .into());
    }
    // A pipe is as good as a file: `packhouse diff <(make old) new.pack.json`.
    if Path::new(text).exists() {
        return on_disk(Path::new(text));
    }
    if text.contains('@') && Reference::parse(text).is_ok() {
        return in_registry(text, registry);
    }
    if let Some((revision, path)) = text.split_once(':') {
        return in_revision(text, revision, path, here);
    }
    Err(Complaint::new(format!("{text}: there is no such file"))
        .help("a side is a file, REV:PATH of this repository, or id@version of a registry")
        .into())
}

/// Reads a file; `/dev/null` has no place here.
pub fn on_disk<'r>(path: &Path) -> anyhow::Result<Side<'r>> {
    let found = crate::packs::find(&[PathBuf::from(path)], None)?;
    let Some(file) = found.packs.into_iter().next() else {
        return Err(Complaint::new(format!("{}: the file cannot be compared", path.display())).into());
    };
    let tree = WorkTree::around(&place_of(path)?);
    checked(file.shown, file.path, file.bytes, Box::new(tree))
}

fn in_revision<'r>(
    text: &str,
    revision: &str,
    path: &str,
    here: Option<&'r Here>,
) -> anyhow::Result<Side<'r>> {
    let Some(here) = here else {
        return Err(Complaint::new(format!("{text}: the current folder is in no Git repository"))
            .help("REV:PATH names a file of the repository that you stand in")
            .into());
    };
    let commit = here.repository.resolve(revision).map_err(|_| {
        Complaint::new(format!("{text}: `{revision}` names no commit of this repository"))
            .help("`git fetch` it first, or check the spelling")
    })?;
    let path = here
        .path_of(path)
        .ok_or_else(|| Complaint::new(format!("{text}: the path leaves the repository")))?;
    let tree = here.repository.tree(commit)?;
    let bytes = tree.read(&path).map_err(|why| {
        let complaint = Complaint::new(format!("{text}: {}", why_unreadable(&why, revision)));
        let nearer = join(&here.folder, &path).filter(|_| !here.folder.is_empty());
        match nearer.filter(|nearer| tree.read(nearer).is_ok()) {
            Some(_) => {
                complaint.help(format!("paths count from the root; did you mean `{revision}:./{path}`?"))
            }
            None => complaint.help(format!("`git ls-tree -r --name-only {revision}` lists what there is")),
        }
    })?;
    checked(text.to_owned(), path, bytes, Box::new(tree))
}

fn why_unreadable(why: &Unreadable, revision: &str) -> String {
    match why {
        Unreadable::Missing => format!("there is no such file in `{revision}`"),
        other => other.to_string(),
    }
}

fn in_registry<'r>(text: &str, registry: &crate::args::RegistryOptions) -> anyhow::Result<Side<'r>> {
    let client = registry_client(registry)?;
    let RegistryRelease { fetched, path, tree } = release(&client, text).map_err(|error| match error {
        // "Not found" is an answer to who asks for a release; a comparison without its side did not happen.
        ClientError::NotFound { ref what, .. } => {
            Complaint::new(error.to_string()).help(complaint::no_such(what)).into()
        }
        error => anyhow::Error::from(error),
    })?;
    let side = checked(format!("{}@{}", fetched.id, fetched.version), path, fetched.bytes, Box::new(tree))?;
    Ok(Side { of_registry: true, ..side })
}

/// Takes bytes as a side.
///
/// # Errors
/// Says why they are no pack, which they are called by `shown`.
pub fn checked<'r>(
    shown: String,
    path: String,
    bytes: Vec<u8>,
    tree: Box<dyn Tree + 'r>,
) -> anyhow::Result<Side<'r>> {
    let (document, problems) = Document::parse(&bytes);
    let Some(document) = document else {
        let why = problems.first().map_or("it is no JSON", |problem| problem.message.as_str());
        return Err(Complaint::new(format!("{shown}: this is no pack: {why}"))
            .help("`packhouse lint` shows the place")
            .into());
    };
    let is_begun = is_named_as_pack(&path) && telling_keys(&document) > 0;
    let is_pack = document.root().is_object() && (looks_like_pack(&document) || is_begun);
    if !is_pack {
        return Err(Complaint::new(format!("{shown}: this is no pack"))
            .help("a pack is a JSON object with `id`, `version`, `prompts` and `template_engine`")
            .into());
    }
    Ok(Side { shown, path, bytes, tree, document, of_registry: false })
}
