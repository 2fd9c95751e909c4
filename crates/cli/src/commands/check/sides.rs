//! The packs of a base, by id and path, and the one that a pack at HEAD is compared with.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::rc::Rc;

use git::{EntryKind, ObjectId, SourceRepository};
use pack::model::Pack;
use pack::tree::Tree;
use pack::{Digest, Document};
use registry::discover::{BranchState, ChangedFile, Selection, is_named_as_pack, looks_like_pack};
use registry::settings::{Limits, SourceSettings};
use registry::{Input, Parsed, Problem, ProblemCode};

use crate::complaint::Complaint;
use crate::gittree::{Contents, GitTree, Recalling};
use crate::packs;

/// The most files of one commit that are looked at.
const MOST_FILES: usize = 500_000;

/// The packs of one state of the repository.
#[derive(Clone)]
pub struct BaseTree {
    /// The files of that state.
    pub tree: Rc<dyn Tree>,
    /// Its packs, sorted by path.
    pub packs: Vec<BasePack>,
    /// Files that were meant as packs and cannot be read as such, with the reason.
    pub broken: Vec<(String, String)>,
    /// Whether one file was named as the base: nothing beside it is looked at.
    one_file: bool,
}

/// Contents of a commit that this clone does not have.
#[derive(Debug)]
pub struct Lacking {
    commit: ObjectId,
    path: String,
    why: String,
}

impl fmt::Display for Lacking {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lacking { commit, path, why } = self;
        write!(formatter, "{path} cannot be read in commit {commit}: {why}")
    }
}

impl std::error::Error for Lacking {}

impl Lacking {
    /// Refuses to go on where a file could not be read at all: it may be any pack.
    ///
    /// # Errors
    /// Names the first such file.
    pub fn refuse(commit: ObjectId, problems: &[Problem]) -> Result<(), Lacking> {
        match problems.iter().find(|problem| problem.code == ProblemCode::Unreachable) {
            None => Ok(()),
            Some(Problem { path, message, .. }) => {
                Err(Lacking { commit, path: path.clone().unwrap_or_default(), why: message.clone() })
            }
        }
    }
}

/// A pack in a base, not read yet.
#[derive(Debug, Clone)]
pub struct BasePack {
    /// Its path from the root of that tree.
    pub path: String,
    /// Its id.
    pub id: Option<String>,
    /// Its version as it is written.
    pub version: Option<String>,
    /// The id that Git gives its bytes; none on disk.
    pub blob: Option<String>,
    /// Whether it names other files, which are part of what it is.
    names_files: bool,
}

/// A pack to compare with.
#[derive(Clone)]
pub struct BaseSide {
    /// Its path from the root of its tree.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its document.
    pub document: Rc<Document>,
    /// The files around it.
    pub tree: Rc<dyn Tree>,
}

/// What looking for the older version of a pack gave.
pub enum Pick {
    /// This one.
    Found(BaseSide),
    /// The base has no such pack.
    Absent,
    /// The base has a file there that cannot be read as a pack; the text says why.
    Broken(String),
    /// Several files of the base have the id, and none stands out.
    Ambiguous(BaseSide, Vec<String>),
}

impl BaseSide {
    /// Reads bytes as the older version of a pack.
    ///
    /// # Errors
    /// Says why they are no pack.
    pub fn new(path: String, bytes: Vec<u8>, tree: Rc<dyn Tree>) -> Result<BaseSide, String> {
        let (document, problems) = Document::parse(&bytes);
        match document {
            Some(document) if document.root().is_object() => {
                Ok(BaseSide { path, bytes, document: Rc::new(document), tree })
            }
            Some(_) => Err("it is no JSON object".to_owned()),
            None => {
                Err(problems.first().map_or("it is no JSON".to_owned(), |problem| problem.message.clone()))
            }
        }
    }

    /// The side in the form that judging takes.
    pub fn input(&self) -> Input<'_> {
        Input { bytes: &self.bytes, path: &self.path, tree: Some(self.tree.as_ref()) }
    }

    /// The side with its document.
    pub fn parsed(&self) -> Parsed<'_> {
        Parsed { input: self.input(), document: &self.document }
    }

    /// Its version.
    pub fn version(&self) -> Option<semver::Version> {
        Pack(self.document.root()).version()
    }
}

impl BaseTree {
    /// The packs of a commit, at and below `below` where that is given.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn of_commit(
        repository: &Rc<SourceRepository>,
        commit: ObjectId,
        below: Option<&str>,
        contents: &Contents,
    ) -> anyhow::Result<BaseTree> {
        let selection = Selection::new(&SourceSettings::local("local", "."), Limits::default())
            .map_err(Complaint::new)?;
        let tree = repository.tree(commit)?;
        let found = tree.walk_files(MOST_FILES)?;
        let files: Vec<ChangedFile> = found
            .files
            .into_iter()
            .filter(|file| below.is_none_or(|below| is_at_or_below(&file.path, below)))
            .map(|file| ChangedFile { path: file.path, now: Some((file.kind, file.id.to_string())) })
            .collect();
        let known = Recalling::new(&tree, &files, contents);
        let (state, problems) = BranchState::survey(&files, &known, &selection);
        Lacking::refuse(commit, &problems)?;
        let unreadable = found.unreadable.into_iter().filter(|path| is_named_as_pack(path));
        let unreadable = unreadable
            .filter(|path| below.is_none_or(|below| is_at_or_below(path, below)))
            .map(|path| (path, "its path is not UTF-8, or no path that every system knows".to_owned()));
        let broken = problems.into_iter().filter_map(|problem| Some((problem.path?, problem.message)));
        let broken = broken.chain(unreadable).collect();
        let packs = state.packs.into_iter().map(|(path, pack)| BasePack {
            path,
            id: pack.id,
            version: pack.version,
            blob: Some(pack.blob),
            names_files: !pack.named.is_empty(),
        });
        let packs = packs.collect();
        let tree = Rc::new(GitTree::new(repository.clone(), commit));
        Ok(BaseTree { tree, packs, broken, one_file: false })
    }

    /// The packs of a file or folder on disk.
    ///
    /// # Errors
    /// When there are none, or they cannot be read.
    pub fn on_disk(path: &Path) -> anyhow::Result<BaseTree> {
        let no_pack = || {
            Complaint::new(format!("{}: the base is no pack", path.display()))
                .help("name a pack with an `id`, or compare with `none`")
        };
        // A pipe or a device may never come to its end.
        if !path.is_dir() && !path.is_file() {
            return Err(no_pack().into());
        }
        let found = packs::find(&[path.to_owned()], None)?;
        let Some(tree) = found.packs.first().and_then(|file| file.tree.clone()) else {
            return Err(Complaint::new(format!("{}: the base holds no packs", path.display())).into());
        };
        if !found.complete {
            return Err(Complaint::new(format!("{}: the base cannot be read", path.display())).into());
        }
        let pack = |file: packs::PackFile| {
            let (document, _) = Document::parse(&file.bytes);
            let pack = document.as_ref().map(|document| Pack(document.root()));
            BasePack {
                path: file.path,
                id: pack.and_then(Pack::id).map(str::to_owned),
                version: pack.and_then(Pack::version_text).map(str::to_owned),
                blob: None,
                names_files: true,
            }
        };
        let packs: Vec<BasePack> = found.packs.into_iter().map(pack).collect();
        let one_file = path.is_file();
        if one_file && packs.iter().all(|pack| pack.id.is_none()) {
            return Err(no_pack().into());
        }
        Ok(BaseTree { tree: Rc::new(tree.as_ref().clone()), packs, broken: Vec::new(), one_file })
    }

    /// Whether the very bytes of a pack stand at `path`, and whatever it is made of stands in them.
    pub fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        let found = self.packs.binary_search_by(|pack| pack.path.as_str().cmp(path));
        let blob = || ObjectId::of_blob(bytes).to_string();
        found.is_ok_and(|at| !self.packs[at].names_files && self.packs[at].blob == Some(blob()))
    }

    /// The older version of a pack: by id wherever it lies, else by path where neither side can name its id.
    pub fn pick(&self, id: Option<&str>, former: Option<&str>, path: &str, version: Option<&str>) -> Pick {
        let of = |id: &str| -> Vec<&BasePack> {
            self.packs.iter().filter(|pack| pack.id.as_deref() == Some(id)).collect()
        };
        let mut found = id.map(of).unwrap_or_default();
        if found.is_empty() {
            found = former.map(of).unwrap_or_default();
        }
        match &found[..] {
            [] => self.at_path(id, path),
            [one] => self.read(one),
            several => {
                let same_path = several.iter().find(|pack| pack.path == path);
                let same_version = || several.iter().find(|pack| pack.version.as_deref() == version);
                match same_path.or_else(same_version) {
                    Some(one) => self.read(one),
                    None => match self.read(several[0]) {
                        Pick::Found(side) => {
                            Pick::Ambiguous(side, several.iter().map(|pack| pack.path.clone()).collect())
                        }
                        other => other,
                    },
                }
            }
        }
    }

    /// A file that discovery passes over: named by its path, or broken.
    fn at_path(&self, id: Option<&str>, path: &str) -> Pick {
        if self.one_file {
            return Pick::Absent;
        }
        if let Some((path, why)) = self.broken.iter().find(|(broken, _)| broken == path) {
            return Pick::Broken(format!("{path}: {why}"));
        }
        let Ok(bytes) = self.tree.read(path) else { return Pick::Absent };
        match BaseSide::new(path.to_owned(), bytes, self.tree.clone()) {
            Ok(side) => {
                let theirs = Pack(side.document.root()).id();
                // What stood there without a usable id is what the pack was before it got one.
                let is_nameless =
                    theirs.is_none() && (is_named_as_pack(path) || looks_like_pack(&side.document));
                if theirs == id || id.is_none() || is_nameless { Pick::Found(side) } else { Pick::Absent }
            }
            Err(why) => Pick::Broken(format!("{path}: {why}")),
        }
    }

    /// Reads one of the packs.
    pub fn read(&self, pack: &BasePack) -> Pick {
        match self.tree.read(&pack.path) {
            Ok(bytes) => match BaseSide::new(pack.path.clone(), bytes, self.tree.clone()) {
                Ok(side) => Pick::Found(side),
                Err(why) => Pick::Broken(format!("{}: {why}", pack.path)),
            },
            Err(why) => Pick::Broken(format!("{}: {why}", pack.path)),
        }
    }
}

/// Whether `path` is `outer` or lies below it; the empty path is the root.
pub fn is_at_or_below(path: &str, outer: &str) -> bool {
    outer.is_empty() || path == outer || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// What a pack and the files that it names are made of: equal where nothing differs.
///
/// Files are known by the ids that Git gives their contents, so that equal states are told apart without comparing.
pub fn signature(input: Input<'_>, document: &Document) -> BTreeSet<(String, String)> {
    let mut parts = BTreeSet::from([(String::new(), ObjectId::of_blob(input.bytes).to_string())]);
    let Some(tree) = input.tree else { return parts };
    let limit = Limits::default().skill_files;
    for named in registry::discover::named_files(document, input.path, tree) {
        let Ok(below) = pack::tree::files_below(tree, &named, limit) else { continue };
        for file in below.files {
            let bytes = tree.read(&file.path).unwrap_or_default();
            let relative = file.path.strip_prefix(&named).unwrap_or(&file.path).to_owned();
            let place = format!("{named}{relative} {}", file.executable);
            parts.insert((place, Digest::of(&bytes).to_string()));
        }
        parts.extend(below.skipped.into_iter().map(|(path, kind)| (path, kind_word(kind).to_owned())));
    }
    parts
}

fn kind_word(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File { .. } => "file",
        EntryKind::Folder => "folder",
        EntryKind::Link => "link",
        EntryKind::Submodule => "submodule",
        EntryKind::Nameless => "nameless",
    }
}
