//! The run over all packs: what each is compared with, what is gone, what the settings loosened.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use git::{ObjectId, SourceRepository};
use pack::model::Pack;
use pack::tree::Tree;
use registry::gate::{Judged, fresh_allows, pack_removed, pairing_ambiguous, policy_findings};
use registry::report::{CheckStatus, CheckedPack, DiffReport, FindingView};
use registry::settings::{FoundSettings, find_settings};
use rules::{Bump, Level, Profile};
use semver::Version;

use super::base::{Base, Kind, VersionTag, Wanted, resolve};
use super::judge::{Judgement, judge};
use super::releases::{History, RegistryReleases, Releases, Search};
use super::sides::{BasePack, BaseSide, BaseTree, Pick, is_at_or_below, signature};
use super::target::Fetch;
use crate::args::RegistryOptions;
use crate::commands::registry_client;
use crate::complaint::{self, Complaint};
use crate::configuration::{Conditions, Configuration, file_of, settings_in};
use crate::excerpt::SourceText;
use crate::judging::{self, AllowNotes, JudgedFile, SettingsKey, settings_file_shown};
use crate::output::Texts;
use crate::packs::{self, PackFile, place_of};
use crate::worktree::WorkTree;

/// What a run is asked to do.
pub struct Request<'q> {
    /// Files and folders.
    pub paths: &'q [PathBuf],
    /// `--against`
    pub against: Option<&'q str>,
    /// `--profile`
    pub profile: Option<Profile>,
    /// `--policy-from base`
    pub policy_from_base: bool,
    /// `--transitive`
    pub transitive: bool,
    /// `--fetch`
    pub fetch: bool,
    /// `--allow-broken-base`
    pub allow_broken_base: bool,
    /// The registry.
    pub registry: &'q RegistryOptions,
}

/// Everything that a run found out.
pub struct Examined {
    /// What was compared with.
    pub against: String,
    /// The packs, sorted by id, then path.
    pub packs: Vec<ExaminedPack>,
    /// Findings of the run itself.
    pub findings: Vec<FindingView>,
    /// Remarks on the run.
    pub notes: Vec<String>,
    /// Whether everything could be judged. What could not was already said.
    pub complete: bool,
    /// The texts that can be quoted.
    pub texts: Texts,
}

/// One pack of a run.
pub struct ExaminedPack {
    /// What is reported of it.
    pub report: CheckedPack,
    /// The pack at HEAD; none for one that is gone.
    pub head: Option<JudgedFile>,
    /// The pack at BASE.
    pub base: Option<BaseSide>,
    /// How the older text is called among the texts.
    pub base_shown: String,
    /// The version that the changes require.
    pub enough: Option<Version>,
    /// The bump that they require.
    pub required: Bump,
}

/// A run under way.
struct Run<'q> {
    request: &'q Request<'q>,
    repository: Option<Rc<SourceRepository>>,
    base: Base,
    trees: Trees,
    conditions: Conditions,
    notes: Vec<String>,
    complete: bool,
}

/// Where the older versions are.
enum Trees {
    None,
    Several(Vec<BaseTree>),
    LastRelease(Option<BaseTree>),
    Tags(Vec<(VersionTag, BaseTree)>),
    Registry,
}

/// A pack at HEAD with what it is compared with.
struct Paired {
    file: JudgedFile,
    bases: Vec<BaseSide>,
    status: CheckStatus,
    findings: Vec<FindingView>,
}

/// Runs the gate.
///
/// # Errors
/// What kept the whole run from happening.
pub fn examine(request: &Request<'_>) -> anyhow::Result<Examined> {
    let mut repository = repository_of(request.paths)?;
    let fetch = Fetch { wanted: request.fetch };
    let base = resolve(request.against, &mut repository, &fetch)?;
    let found = packs::find_any(request.paths, None)?;
    let base = where_head_is_dirty(base, repository.as_ref(), &found.packs)?;
    let trees = trees_of(&base, repository.as_ref())?;
    let conditions = Conditions::today(None);
    let mut run =
        Run { request, repository, base, trees, conditions, notes: Vec::new(), complete: found.complete };
    run.notes.append(&mut run.base.notes);
    let judged = run.lint(found.packs)?;
    run.finish(judged, &found.folders)
}

/// The repository that the first path lies in; none outside of one.
fn repository_of(paths: &[PathBuf]) -> anyhow::Result<Option<Rc<SourceRepository>>> {
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let Ok(place) = place_of(first) else { return Ok(None) };
    match SourceRepository::discover(&place) {
        Ok(repository) => Ok(Some(Rc::new(repository))),
        Err(git::GitError::NotARepository { .. } | git::GitError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// On the target branch itself, packs that are not committed yet are compared with HEAD.
fn where_head_is_dirty(
    base: Base,
    repository: Option<&Rc<SourceRepository>>,
    files: &[PackFile],
) -> anyhow::Result<Base> {
    let (Kind::LastRelease(_), Some(repository)) = (&base.kind, repository) else { return Ok(base) };
    let head = repository.resolve("HEAD")?;
    let tree = repository.tree(head)?;
    let is_dirty = files.iter().any(|file| {
        let entry = tree.entry(&file.path).ok().flatten();
        entry.is_none_or(|entry| entry.id != ObjectId::of_blob(&file.bytes))
    });
    if !is_dirty {
        return Ok(base);
    }
    let label = format!("HEAD ({})", &head.to_string()[..10]);
    Ok(Base { label, kind: Kind::Commits(vec![head], None), tip: Some(head), notes: base.notes })
}

fn trees_of(base: &Base, repository: Option<&Rc<SourceRepository>>) -> anyhow::Result<Trees> {
    let at = |commit, below: Option<&str>| match repository {
        Some(repository) => BaseTree::of_commit(repository, commit, below),
        None => Err(Complaint::new("the packs are in no Git repository").into()),
    };
    Ok(match &base.kind {
        Kind::Nothing => Trees::None,
        Kind::Commits(commits, below) => {
            let trees = commits.iter().map(|commit| at(*commit, below.as_deref()));
            Trees::Several(trees.collect::<anyhow::Result<_>>()?)
        }
        Kind::LastRelease(parent) => Trees::LastRelease(parent.map(|parent| at(parent, None)).transpose()?),
        Kind::Tags(tags) => {
            let mut trees: BTreeMap<ObjectId, BaseTree> = BTreeMap::new();
            let mut found = Vec::new();
            for tag in tags {
                if !trees.contains_key(&tag.commit) {
                    trees.insert(tag.commit, at(tag.commit, None)?);
                }
                found.extend(trees.get(&tag.commit).map(|tree| (tag.clone(), tree.clone())));
            }
            Trees::Tags(found)
        }
        Kind::Disk(path) => Trees::Several(vec![BaseTree::on_disk(path)?]),
        Kind::Registry(_) => Trees::Registry,
    })
}

impl Trees {
    /// The files of the base, for its settings and for what is gone.
    fn first(&self) -> Option<&BaseTree> {
        match self {
            Trees::Several(trees) => trees.first(),
            Trees::LastRelease(tree) => tree.as_ref(),
            Trees::Tags(tags) => tags.first().map(|(_, tree)| tree),
            Trees::None | Trees::Registry => None,
        }
    }
}

impl Run<'_> {
    fn lint(&mut self, files: Vec<PackFile>) -> anyhow::Result<Vec<JudgedFile>> {
        let base_tree: Option<Rc<dyn Tree>> = self.trees.first().map(|base| base.tree.clone());
        if self.request.policy_from_base && base_tree.is_none() {
            return Err(Complaint::new(format!(
                "`{}` holds no settings for `--policy-from base`",
                self.base.label
            ))
            .help("compare with a revision or a folder, or leave the option out")
            .into());
        }
        let profile = self.request.profile;
        let mut configuration = Configuration::default();
        let mut settings = |file: &PackFile| {
            let found = match &base_tree {
                Some(tree) if self.request.policy_from_base => {
                    Arc::new(settings_in(tree.as_ref(), &file.path, "base: ").map_err(Some)?)
                }
                _ => configuration.of(file)?,
            };
            Ok(match profile {
                Some(profile) => {
                    let mut found = found.as_ref().clone();
                    found.settings.changes.profile = profile;
                    Arc::new(found)
                }
                None => found,
            })
        };
        let (judged, complete) = judging::lint_under(files, &self.conditions, &mut settings);
        self.complete &= complete;
        Ok(judged)
    }

    fn finish(
        mut self,
        judged: Vec<JudgedFile>,
        folders: &[(Arc<WorkTree>, String)],
    ) -> anyhow::Result<Examined> {
        let removed = self.removed(&judged)?;
        if judged.is_empty() && removed.is_empty() && self.complete {
            return Err(Complaint::new("there are no packs below the paths, neither here nor in the base")
                .help("name the folder that holds them: `packhouse check packs/`")
                .into());
        }
        let mut texts = Texts::default();
        judged.iter().for_each(|file| file.add_text(&mut texts));
        let mut findings = judging::duplicates(&judged, &self.conditions);
        let keys: BTreeSet<SettingsKey> = judged.iter().filter_map(JudgedFile::settings_key).collect();
        let mut notes = self.settings_against_base(&keys, &mut findings, &mut texts);
        let releases_first = matches!(self.base.kind, Kind::LastRelease(_) | Kind::Registry(_));
        let every: BTreeSet<String> = judged.iter().filter_map(|file| file.evaluated.id.clone()).collect();
        let mut releases = if releases_first { self.releases(&every)? } else { Releases::None };
        let mut paired = Vec::new();
        for file in judged {
            paired.extend(self.pair(file, &releases)?);
        }
        if !releases_first {
            let changed =
                paired.iter().filter(|pair| matches!(pair.status, CheckStatus::Changed | CheckStatus::New));
            let ids = changed.filter_map(|pair| pair.file.evaluated.id.clone()).collect();
            releases = self.releases(&ids)?;
        }
        let (mut packs, mut linted) = (Vec::new(), Vec::new());
        for pair in paired {
            let key = pair.file.settings_key();
            let (pack, judgement) = self.examined(pair, &releases, &mut texts)?;
            if let Some(key) = key {
                let of_file = notes.entry(key).or_default();
                of_file.matched.extend(judgement.matched);
                of_file.changes.extend(judgement.changes);
            }
            packs.push(pack);
        }
        for pack in &mut packs {
            linted.extend(pack.head.take());
        }
        for (pack, matched, key) in removed {
            if let Some(key) = key {
                notes.entry(key).or_default().matched.extend(matched);
            }
            packs.push(pack);
        }
        findings.extend(judging::allow_entries(&linted, folders, &notes, &self.conditions, &mut texts));
        for (pack, file) in packs.iter_mut().zip(linted) {
            pack.head = Some(file);
        }
        packs.sort_by(|a, b| (&a.report.pack, &a.report.path).cmp(&(&b.report.pack, &b.report.path)));
        findings.sort_by(|a, b| (&a.path, a.line, &a.pointer).cmp(&(&b.path, b.line, &b.pointer)));
        self.notes.sort();
        self.notes.dedup();
        let Run { base, notes, complete, .. } = self;
        Ok(Examined { against: base.label, packs, findings, notes, complete, texts })
    }

    /// What the settings became easier in, and which of their entries are new.
    fn settings_against_base(
        &self,
        keys: &BTreeSet<SettingsKey>,
        findings: &mut Vec<FindingView>,
        texts: &mut Texts,
    ) -> BTreeMap<SettingsKey, AllowNotes> {
        let mut notes = BTreeMap::new();
        let Some(base) = self.trees.first() else { return notes };
        for key in keys {
            let (root, folder) = key;
            let file = file_of(folder);
            let (Ok(new), Ok(old)) =
                (find_settings(&WorkTree::around(root), &file), find_settings(base.tree.as_ref(), &file))
            else {
                continue;
            };
            let shown = settings_file_shown(root, folder);
            for mut finding in policy_findings(&old.settings, self.conditions.settings(&new), &file) {
                finding.path.clone_from(&shown);
                if let Ok(text) = std::fs::read_to_string(root.join(&file)) {
                    locate(&mut finding, &text);
                    texts.insert(&shown, &file, SourceText::new(None, text.as_bytes()));
                }
                findings.push(finding);
            }
            let fresh = fresh_allows(&old.settings, &new.settings).map(|(at, _)| at).collect();
            notes.insert(key.clone(), AllowNotes { fresh: Some(fresh), ..AllowNotes::default() });
        }
        notes
    }

    fn releases(&mut self, ids: &BTreeSet<String>) -> anyhow::Result<Releases> {
        if let Kind::Registry(_) = self.base.kind {
            let client = registry_client(self.request.registry)?;
            return Ok(Releases::Registry(RegistryReleases::new(client)));
        }
        let (Some(repository), Some(tip)) = (&self.repository, self.base.tip) else {
            return Ok(Releases::None);
        };
        if ids.is_empty() {
            return Ok(Releases::None);
        }
        if repository.is_shallow() {
            self.notes
                .push("the clone is shallow: releases from before its first commit are not known".to_owned());
        }
        let root = repository.workdir().map(|root| place_of(root)).transpose()?;
        let settings =
            root.and_then(|root| find_settings(&WorkTree::around(&root), "").ok()).unwrap_or_default();
        let without = match self.base.kind {
            Kind::LastRelease(_) => repository.resolve("HEAD").ok(),
            _ => None,
        };
        let search = Search { ids, tip, without, from: settings.settings.releases_from };
        Ok(Releases::History(History::find(repository.clone(), &search)?))
    }

    /// Finds what a pack is compared with; none where the base is broken and that was said.
    fn pair(&mut self, file: JudgedFile, releases: &Releases) -> anyhow::Result<Option<Paired>> {
        let mut bases = Vec::new();
        let mut findings = Vec::new();
        for pick in self.picks(&file, releases)? {
            match pick {
                Pick::Found(side) => bases.push(side),
                Pick::Absent => {}
                Pick::Ambiguous(side, paths) => {
                    findings.extend(self.ambiguous(&file, &paths));
                    bases.push(side);
                }
                Pick::Broken(why) if self.request.allow_broken_base => {
                    complaint::warn(&format!("the base cannot be read, and nothing was compared: {why}"));
                }
                Pick::Broken(why) => {
                    let message = format!("the base of {} cannot be read: {why}", file.file.shown);
                    let help = "compare with another base, or pass over this one with `--allow-broken-base`";
                    complaint::print(&Complaint::new(message).help(help).into());
                    self.complete = false;
                }
            }
        }
        let status = match (&self.base.kind, &bases[..], &file.evaluated.document) {
            (Kind::Nothing, ..) | (_, [], _) => CheckStatus::New,
            (_, bases, Some(document)) => {
                let tree = file.file.tree.as_deref().map(|tree| tree as &dyn Tree);
                let input = registry::Input { bytes: &file.file.bytes, path: &file.file.path, tree };
                let now = signature(input, document);
                let same = bases.iter().any(|base| signature(base.input(), &base.document) == now);
                if same { CheckStatus::Unchanged } else { CheckStatus::Changed }
            }
            (_, _, None) => CheckStatus::Changed,
        };
        Ok(Some(Paired { file, bases, status, findings }))
    }

    /// Several files of the base have the id of a pack.
    fn ambiguous(&self, file: &JudgedFile, paths: &[String]) -> Option<FindingView> {
        let judged = Judged {
            new: file.evaluated.document.as_ref()?,
            path: &file.file.path,
            base: None,
            baseline: None,
            taken: &[],
            reused: false,
            settings: self.conditions.settings(&file.settings),
        };
        let mut finding = pairing_ambiguous(judged, paths)?;
        finding.path.clone_from(&file.file.shown);
        Some(finding)
    }

    fn picks(&self, file: &JudgedFile, releases: &Releases) -> anyhow::Result<Vec<Pick>> {
        let id = file.evaluated.id.as_deref();
        let path = file.file.path.as_str();
        let version = file.evaluated.version_text.as_deref();
        let renamed = file.settings.settings.renamed.iter().find(|entry| Some(entry.to.as_str()) == id);
        let former = renamed.map(|entry| entry.from.as_str());
        let of = |tree: &BaseTree| tree.pick(id, former, path, version);
        let known = |side: Option<BaseSide>| vec![side.map_or(Pick::Absent, Pick::Found)];
        Ok(match (&self.trees, id) {
            (Trees::None, _) | (Trees::Registry, None) => Vec::new(),
            (Trees::Several(trees), _) => trees.iter().map(of).collect(),
            (Trees::LastRelease(parent), _) => {
                match id.map(|id| last_release(releases, id)).transpose()?.flatten() {
                    Some(side) => vec![Pick::Found(side)],
                    None => parent.iter().map(of).collect(),
                }
            }
            (Trees::Tags(tags), _) => {
                let below = |tag: &VersionTag| {
                    tag.id.as_deref().is_none_or(|named| Some(named) == id)
                        && file
                            .evaluated
                            .version
                            .as_ref()
                            .is_none_or(|v| tag.version.cmp_precedence(v).is_lt())
                };
                tags.iter().find(|(tag, _)| below(tag)).map(|(_, tree)| of(tree)).into_iter().collect()
            }
            (Trees::Registry, Some(id)) => known(self.registry_base(id, file, releases)?),
        })
    }

    /// The release of the registry that `--against registry…` means for a pack.
    fn registry_base(
        &self,
        id: &str,
        file: &JudgedFile,
        releases: &Releases,
    ) -> anyhow::Result<Option<BaseSide>> {
        let (Kind::Registry(wanted), Releases::Registry(registry)) = (&self.base.kind, releases) else {
            return Ok(None);
        };
        let known = releases.known(id)?;
        match wanted {
            _ if known.is_empty() => Ok(None),
            Wanted::Latest => match registry.latest(id)? {
                Some(latest) => registry.side(&format!("{id}@{latest}")),
                None => Ok(None),
            },
            Wanted::Version(version) => match registry.side(&format!("{id}@{version}"))? {
                Some(side) => Ok(Some(side)),
                None => Err(Complaint::new(format!("{id}@{version}: the registry has no such release"))
                    .help(format!("`packhouse info {id}` lists its versions"))
                    .into()),
            },
            Wanted::Line => {
                let Some(version) = &file.evaluated.version else { return Ok(None) };
                let below = registry::version::baseline(&known, version).map(|known| known.version.clone());
                let same = known.iter().find(|known| known.version.cmp_precedence(version).is_eq());
                match same.map(|known| known.version.clone()).or(below) {
                    Some(version) => registry.side(&format!("{id}@{version}")),
                    None => Ok(None),
                }
            }
        }
    }

    fn examined(
        &mut self,
        pair: Paired,
        releases: &Releases,
        texts: &mut Texts,
    ) -> anyhow::Result<(ExaminedPack, Judgement)> {
        let Paired { file, bases, mut status, findings: own } = pair;
        let settings = self.conditions.settings(&file.settings);
        let compared = matches!(status, CheckStatus::Changed | CheckStatus::New);
        let mut judgement = if compared && !matches!(self.base.kind, Kind::Nothing) {
            judge(&file, &bases, releases, settings, self.request.transitive)?
        } else {
            Judgement::default()
        };
        self.notes.append(&mut judgement.notes);
        let is_silent = judgement.diff.as_ref().is_some_and(|diff| {
            diff.changes.is_empty() && diff.old.version == diff.new.version && judgement.findings.is_empty()
        });
        if is_silent {
            (status, judgement.diff) = (CheckStatus::Unchanged, None);
        }
        let shown = file.file.shown.clone();
        let mut findings: Vec<FindingView> = file.findings().chain(own).collect();
        findings.extend(judgement.findings.iter().cloned().map(|mut finding| {
            finding.path.clone_from(&shown);
            finding
        }));
        findings.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
        let pack = file.evaluated.id.clone().unwrap_or_default();
        if status == CheckStatus::New {
            let why =
                if matches!(self.base.kind, Kind::Nothing) { "nothing was compared" } else { "it is new" };
            let name = if pack.is_empty() { &shown } else { &pack };
            self.notes.push(format!("{name}: {why}"));
        }
        let base = bases.into_iter().next();
        let base_shown =
            format!("{} (base)", base.as_ref().map_or(shown.as_str(), |base| base.path.as_str()));
        if let Some(base) = &base {
            texts.insert(&base_shown, &base.path, SourceText::new(Some(&base.document), &base.bytes));
        }
        let diff = judgement.diff.take();
        let passed = passes(&findings, diff.as_ref());
        let baseline = judgement.baseline.take();
        let report = CheckedPack { pack, path: shown, status, passed, findings, diff, baseline };
        let (enough, required) = (judgement.enough.clone(), judgement.required);
        Ok((ExaminedPack { report, head: Some(file), base, base_shown, enough, required }, judgement))
    }

    /// Packs of the base that HEAD has in no file.
    fn removed(&mut self, judged: &[JudgedFile]) -> anyhow::Result<Vec<Removed>> {
        let Some(base) = self.trees.first().cloned() else { return Ok(Vec::new()) };
        let Some(root) = self.root(judged)? else { return Ok(Vec::new()) };
        let tree = WorkTree::around(&root);
        let scopes = self.scopes(&tree)?;
        let here: BTreeSet<&str> = judged.iter().filter_map(|file| file.evaluated.id.as_deref()).collect();
        let gone = |pack: &&BasePack| {
            let id = pack.id.as_deref().unwrap_or_default();
            let is_broken_here =
                judged.iter().any(|file| file.file.path == pack.path && file.evaluated.id.is_none());
            !id.is_empty()
                && !here.contains(id)
                && !is_broken_here
                && scopes.iter().any(|scope| is_at_or_below(&pack.path, scope))
        };
        let candidates: Vec<&BasePack> = base.packs.iter().filter(gone).collect();
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let everywhere = ids_everywhere(&tree, &candidates)?;
        let mut removed = Vec::new();
        let mut seen = BTreeSet::new();
        for pack in candidates {
            let id = pack.id.as_deref().unwrap_or_default();
            let Ok(settings) = find_settings(&tree, &pack.path) else { continue };
            let renamed = settings.settings.renamed.iter().find(|entry| entry.from == id);
            let is_renamed = renamed
                .is_some_and(|entry| here.contains(entry.to.as_str()) || everywhere.contains(&entry.to));
            if everywhere.contains(id) || is_renamed || !seen.insert(id.to_owned()) {
                continue;
            }
            if let Pick::Found(side) = base.read(pack) {
                removed.push(self.removed_pack(side, settings, &root, tree.in_repository()));
            }
        }
        Ok(removed)
    }

    fn removed_pack(
        &self,
        side: BaseSide,
        settings: FoundSettings,
        root: &Path,
        in_repository: bool,
    ) -> Removed {
        let (diff, matched) =
            pack_removed(&side.document, &side.bytes, &side.path, self.conditions.settings(&settings));
        let id = Pack(side.document.root()).id().unwrap_or_default().to_owned();
        let passed = passes(&[], Some(&diff));
        let report = CheckedPack {
            pack: id,
            path: side.path.clone(),
            status: CheckStatus::Removed,
            passed,
            findings: Vec::new(),
            diff: Some(diff),
            baseline: None,
        };
        let base_shown = side.path.clone();
        let pack = ExaminedPack {
            report,
            head: None,
            base: Some(side),
            base_shown,
            enough: None,
            required: Bump::None,
        };
        (pack, matched, in_repository.then(|| (root.to_owned(), settings.base)))
    }

    /// The root of the tree that is checked.
    fn root(&self, judged: &[JudgedFile]) -> anyhow::Result<Option<PathBuf>> {
        if let Some(tree) = judged.iter().find_map(|file| file.file.tree.as_ref()) {
            return Ok(Some(tree.root().to_owned()));
        }
        let first = self.request.paths.first().map_or(Path::new("."), PathBuf::as_path);
        Ok(Some(WorkTree::around(&place_of(first)?).root().to_owned()))
    }

    /// The paths of the run from the root.
    fn scopes(&self, tree: &WorkTree) -> anyhow::Result<Vec<String>> {
        let current = [PathBuf::from(".")];
        let paths = if self.request.paths.is_empty() { &current[..] } else { self.request.paths };
        let mut scopes = Vec::new();
        for path in paths.iter().filter(|path| path.exists()) {
            scopes.extend(tree.relative(&place_of(path)?));
        }
        Ok(scopes)
    }
}

/// A pack that is gone, the entries that accept that, and the settings file that holds them.
type Removed = (ExaminedPack, BTreeSet<usize>, Option<SettingsKey>);

/// The ids of all packs below the root; of the candidates' own files also where a walk passes over them.
fn ids_everywhere(tree: &WorkTree, candidates: &[&BasePack]) -> anyhow::Result<BTreeSet<String>> {
    let id_of = |bytes: &[u8]| {
        let (document, _) = pack::Document::parse(bytes);
        document.as_ref().and_then(|document| Pack(document.root()).id()).map(str::to_owned)
    };
    let found = packs::find_any(&[tree.root().to_owned()], None)?;
    let mut ids: BTreeSet<String> = found.packs.iter().filter_map(|file| id_of(&file.bytes)).collect();
    ids.extend(candidates.iter().filter_map(|pack| id_of(&tree.read(&pack.path).ok()?)));
    Ok(ids)
}

/// The highest release that is known.
fn last_release(releases: &Releases, id: &str) -> anyhow::Result<Option<BaseSide>> {
    let known = releases.known(id)?;
    let last = known.iter().max_by(|a, b| a.version.cmp_precedence(&b.version));
    match last {
        Some(last) => releases.side(id, &last.version),
        None => Ok(None),
    }
}

/// Whether nothing of a pack fails the check.
fn passes(findings: &[FindingView], diff: Option<&DiffReport>) -> bool {
    let changes = diff.map_or(&[][..], |diff| &diff.changes);
    !findings.iter().any(|finding| finding.level == Level::Error && !finding.acknowledged)
        && !changes.iter().any(|change| change.level == Level::Error && !change.acknowledged)
}

/// Finds the line of a place in a settings file.
fn locate(finding: &mut FindingView, text: &str) {
    let Ok(document) = toml_edit::Document::parse(text) else { return };
    let mut item = document.as_item();
    let mut span = None;
    for token in finding.pointer.split('/').skip(1) {
        let next = match token.parse::<usize>() {
            Ok(at) => item.get(at),
            Err(_) => item.get(token),
        };
        let Some(next) = next else { break };
        item = next;
        span = item.span().or(span);
    }
    let Some(span) = span else { return };
    let source = SourceText::new(None, text.as_bytes());
    let (start, end) = (source.position(span.start as u32), source.position(span.end as u32));
    (finding.line, finding.column) = (start.line, start.column);
    (finding.end_line, finding.end_column) = (end.line, end.column);
}
