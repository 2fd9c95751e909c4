//! The run over all packs: what each is compared with, what is gone, what the settings loosened.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use git::{ObjectId, SourceRepository};
use pack::tree::Tree;
use registry::acknowledge::{Holder, reasons};
use registry::gate::{BUMP, PromptVersion, is_silent, not_compared, passes, remarks};
use registry::report::{CheckStatus, CheckedPack, FindingView};
use registry::settings::find_settings;
use rules::{Bump, Profile};
use semver::Version;

use super::base::{Base, Kind, resolve};
use super::idle::Spoken;
use super::judge::{Judgement, judge};
use super::pairing::{Paired, Trees, trees_of};
use super::raised::with_prompts;
use super::releases::{History, RegistryReleases, Releases, Search};
use super::sides::{BaseSide, BaseTree, Lacking};
use super::target::Fetch;
use crate::args::RegistryOptions;
use crate::commands::{registry_client, word};
use crate::complaint::Complaint;
use crate::configuration::{Conditions, Configuration, settings_in};
use crate::excerpt::SourceText;
use crate::gittree::Contents;
use crate::judging::{self, JudgedFile};
use crate::output::Texts;
use crate::packs::{self, PackFile, place_of};
use crate::worktree::WorkTree;

/// What a run is asked to do.
#[derive(Clone, Copy)]
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
    /// Judge each pack as if its prompts had the versions that they need
    pub raise_prompts: bool,
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
    /// The verdicts on the versions of its prompts that nothing accepts.
    pub prompts: Vec<PromptVersion>,
    /// Whether it was compared with nothing although it may have an older version.
    pub uncompared: bool,
    /// Why changes are accepted, by their fingerprints.
    pub reasons: BTreeMap<String, String>,
}

/// A run under way.
pub struct Run<'q> {
    pub request: &'q Request<'q>,
    pub repository: Option<Rc<SourceRepository>>,
    pub base: Base,
    pub trees: Trees,
    pub contents: Contents,
    pub conditions: Conditions,
    /// The command that writes the versions which this run asks for.
    pub bump: String,
    pub notes: Vec<String>,
    pub complete: bool,
}

/// Runs the gate.
///
/// # Errors
/// What kept the whole run from happening.
pub fn examine(request: &Request<'_>) -> anyhow::Result<Examined> {
    let mut repository = repository_of(request.paths)?;
    let fetch = Fetch { wanted: request.fetch };
    let examined = examine_in(request, &mut repository, &fetch);
    let Err(Some(lacking)) = examined.as_ref().map_err(|error| error.downcast_ref::<Lacking>()) else {
        return examined;
    };
    let why = lacking.to_string();
    let Some((repository, remote)) =
        repository.as_mut().and_then(|it| it.partial_remote().map(|name| (it, name)))
    else {
        let help = "`git fsck` tells what else this clone lacks; clone it again";
        return Err(Complaint::new(why).help(help).into());
    };
    fetch.contents(repository, &remote, format!("{why}; this clone is partial"))?;
    examine_in(request, &mut Some(repository.clone()), &fetch)
}

fn examine_in(
    request: &Request<'_>,
    repository: &mut Option<Rc<SourceRepository>>,
    fetch: &Fetch,
) -> anyhow::Result<Examined> {
    let base = resolve(request.against, repository, fetch)?;
    let repository = repository.clone();
    let found = packs::find_any(request.paths, None)?;
    refuse_strangers(&base, repository.as_deref(), &found.packs)?;
    let contents = Contents::of(found.packs.iter().map(|file| file.bytes.as_slice()));
    let base = where_head_is_dirty(base, repository.as_ref(), &found.packs, &contents)?;
    let trees = trees_of(&base, repository.as_ref(), &contents)?;
    let conditions = Conditions::today(None);
    let mut run = Run {
        request,
        repository,
        base,
        trees,
        contents,
        conditions,
        bump: bump_like(request),
        notes: Vec::new(),
        complete: found.complete,
    };
    run.notes.append(&mut run.base.notes);
    let judged = run.lint(found.packs)?;
    run.finish(judged, &found.folders)
}

/// The command that says which versions are enough, compared with the same base under the same profile.
fn bump_like(request: &Request<'_>) -> String {
    let against = request.against.map(|against| format!(" --against {}", quoted(against)));
    let profile = request.profile.map(|profile| format!(" --profile {}", word(&profile)));
    format!("{BUMP}{}{}", against.unwrap_or_default(), profile.unwrap_or_default())
}

/// An argument as a shell reads it back.
fn quoted(argument: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@=+,^%".contains(c);
    match argument.chars().all(is_plain) {
        true => Cow::Borrowed(argument),
        false => Cow::Owned(format!("'{}'", argument.replace('\'', "'\\''"))),
    }
}

/// The repository that the first path lies in; none outside of one.
fn repository_of(paths: &[PathBuf]) -> anyhow::Result<Option<Rc<SourceRepository>>> {
    // What does not exist is said where files are looked for.
    let first = paths.iter().find(|path| path.exists()).map_or(Path::new("."), PathBuf::as_path);
    let Ok(place) = place_of(first) else { return Ok(None) };
    match SourceRepository::discover(&place) {
        Ok(repository) if repository.workdir().is_none() => {
            Err(Complaint::new(format!("{}: a bare repository has no files to check", place.display()))
                .help("check in a clone, or in a work tree: `git worktree add ../work main`")
                .into())
        }
        Ok(repository) => Ok(Some(Rc::new(repository))),
        Err(git::GitError::NotARepository { .. } | git::GitError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Packs of another repository cannot be compared with commits of this one.
fn refuse_strangers(
    base: &Base,
    repository: Option<&SourceRepository>,
    files: &[PackFile],
) -> anyhow::Result<()> {
    let is_of_git = matches!(base.kind, Kind::Commits(..) | Kind::LastRelease(_) | Kind::Tags(_));
    let Some(root) = repository.and_then(SourceRepository::workdir).filter(|_| is_of_git) else {
        return Ok(());
    };
    let root = place_of(root)?;
    let is_strange = |file: &&PackFile| file.tree.as_ref().is_some_and(|tree| tree.root() != root);
    match files.iter().find(is_strange) {
        None => Ok(()),
        Some(file) => Err(Complaint::new(format!("{}: it does not lie in {}", file.shown, root.display()))
            .help("the base is a commit of one repository: check each repository by itself")
            .into()),
    }
}

/// On the target branch itself, packs that were edited or deleted since the last commit are compared with HEAD.
fn where_head_is_dirty(
    base: Base,
    repository: Option<&Rc<SourceRepository>>,
    files: &[PackFile],
    contents: &Contents,
) -> anyhow::Result<Base> {
    let (Kind::LastRelease(_), Some(repository)) = (&base.kind, repository) else { return Ok(base) };
    let head = repository.resolve("HEAD")?;
    let tree = repository.tree(head)?;
    let is_dirty = files.iter().any(|file| {
        let entry = tree.entry(&file.path).ok().flatten();
        entry.is_none_or(|entry| entry.id != ObjectId::of_blob(&file.bytes))
    });
    if !is_dirty && !lacks_packs(repository, head, contents)? {
        return Ok(base);
    }
    let label = format!("HEAD ({})", &head.to_string()[..10]);
    Ok(Base { label, kind: Kind::Commits(vec![head], None), tip: Some(head), notes: base.notes })
}

/// Whether a pack of the commit stands no longer where it stood.
fn lacks_packs(
    repository: &Rc<SourceRepository>,
    head: ObjectId,
    contents: &Contents,
) -> anyhow::Result<bool> {
    let Some(root) = repository.workdir() else { return Ok(false) };
    let tree = BaseTree::of_commit(repository, head, None, contents)?;
    Ok(tree.packs.iter().any(|pack| !root.join(&pack.path).exists()))
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
        self.tell_lost(&judged)?;
        let removed = self.removed(&judged)?;
        if judged.is_empty() && removed.is_empty() && self.complete {
            return Err(Complaint::new("there are no packs below the paths, neither here nor in the base")
                .help("name the folder that holds them: `packhouse check packs/`")
                .into());
        }
        let mut texts = Texts::default();
        judged.iter().for_each(|file| file.add_text(&mut texts));
        let mut findings = judging::duplicates(&judged, &self.conditions);
        let mut notes = self.settings_against_base(&judged, &mut findings, &mut texts);
        let releases_first = matches!(self.base.kind, Kind::LastRelease(_) | Kind::Registry(_));
        let every: BTreeSet<String> = judged.iter().filter_map(|file| file.evaluated.id.clone()).collect();
        let spoken = self.spoken(&judged).filter(|_| !self.request.policy_from_base);
        let mut releases = if releases_first { self.releases(&every)? } else { Releases::None };
        let mut paired = Vec::new();
        for file in judged {
            paired.extend(self.pair(file, &releases)?);
        }
        if !releases_first {
            let changed =
                paired.iter().filter(|pair| matches!(pair.status, CheckStatus::Changed | CheckStatus::New));
            let mut ids: BTreeSet<String> =
                changed.filter_map(|pair| pair.file.evaluated.id.clone()).collect();
            ids.extend(spoken.iter().flat_map(Spoken::packs));
            releases = self.releases(&ids)?;
        }
        if let Some(spoken) = &spoken {
            self.note_idle(spoken, &releases)?;
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
        // Entries of the base stand in another state of the file: nobody could act on a finding there.
        if !self.request.policy_from_base {
            let entries = judging::settings_entries(&linted, folders, &notes, &self.conditions, &mut texts);
            findings.extend(entries);
        }
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
        let root = repository.workdir().map(place_of).transpose()?;
        let settings =
            root.and_then(|root| find_settings(&WorkTree::around(&root), "").ok()).unwrap_or_default();
        let without = match self.base.kind {
            Kind::LastRelease(_) => repository.resolve("HEAD").ok(),
            _ => None,
        };
        let from = settings.settings.releases_from;
        let search = Search { ids, tip, without, from, contents: &self.contents };
        Ok(Releases::History(History::find(repository.clone(), &search)?))
    }

    fn examined(
        &mut self,
        pair: Paired,
        releases: &Releases,
        texts: &mut Texts,
    ) -> anyhow::Result<(ExaminedPack, Judgement)> {
        let Paired { file, bases, mut status, findings: own, unreadable } = pair;
        let settings = self.conditions.settings(&file.settings);
        let compared = matches!(status, CheckStatus::Changed | CheckStatus::New);
        let how = (self.request.transitive, self.bump.as_str());
        let mut judgement = if compared && !matches!(self.base.kind, Kind::Nothing) {
            judge(&file, &bases, releases, settings, how)?
        } else {
            Judgement::default()
        };
        if self.request.raise_prompts
            && let Some(raised) = with_prompts(&file, &judgement.prompts, &self.conditions)
        {
            let again = judge(&raised, &bases, releases, settings, how)?;
            judgement = Judgement { prompts: take(&mut judgement.prompts), ..again };
        }
        self.notes.append(&mut judgement.notes);
        if is_silent(judgement.diff.as_ref(), &judgement.findings) {
            (status, judgement.diff) = (CheckStatus::Unchanged, None);
        }
        let shown = file.file.shown.clone();
        let mut findings: Vec<FindingView> = file.findings().chain(own).collect();
        let easier = bases.first().and_then(|base| self.settings_left_behind(&file, base));
        findings.extend(judgement.findings.iter().cloned().chain(easier).map(|mut finding| {
            finding.path.clone_from(&shown);
            finding
        }));
        findings.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
        let pack = file.evaluated.id.clone().unwrap_or_default();
        let name = if pack.is_empty() { &shown } else { &pack };
        self.notes.extend(remarks(name, judgement.diff.as_ref()));
        if status == CheckStatus::New {
            self.notes.push(match &unreadable {
                Some(why) => format!("{name}: nothing was compared: {why}"),
                None => not_compared(name, !matches!(self.base.kind, Kind::Nothing)),
            });
        }
        let base = bases.into_iter().next();
        let base_shown =
            format!("{} (base)", base.as_ref().map_or(shown.as_str(), |base| base.path.as_str()));
        if let Some(base) = &base {
            texts.insert(&base_shown, &base.path, SourceText::new(Some(&base.document), &base.bytes));
        }
        let diff = judgement.diff.take();
        let holder = Holder {
            path: settings.relative(&file.file.path),
            pack: &pack,
            version: file.evaluated.version.as_ref(),
        };
        let reasons = reasons(diff.as_ref().map_or(&[], |diff| &diff.changes), holder, settings);
        let is_compared = unreadable.is_none() || self.request.allow_broken_base;
        let passed = passes(&findings, diff.as_ref()) && is_compared;
        let baseline = judgement.baseline.take();
        let report = CheckedPack { pack, path: shown, status, passed, findings, diff, baseline };
        let (enough, required) = (judgement.enough.clone(), judgement.required);
        let uncompared = matches!(self.base.kind, Kind::Nothing) || unreadable.is_some();
        let examined = ExaminedPack {
            uncompared,
            report,
            head: Some(file),
            base,
            base_shown,
            enough,
            prompts: take(&mut judgement.prompts),
            required,
            reasons,
        };
        Ok((examined, judgement))
    }
}
