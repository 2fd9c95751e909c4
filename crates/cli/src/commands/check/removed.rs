//! Packs that the base has and HEAD has in no file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pack::model::Pack;
use pack::tree::Tree;
use registry::acknowledge::{Holder, reasons};
use registry::gate::{pack_removed, passes};
use registry::report::{CheckStatus, CheckedPack};
use registry::settings::{FoundSettings, find_settings};
use rules::Bump;

use super::base::Kind;
use super::examine::{ExaminedPack, Run};
use super::sides::{BasePack, BaseSide, BaseTree, Pick, is_at_or_below};
use crate::complaint::{self, Complaint};
use crate::judging::{JudgedFile, SettingsKey};
use crate::packs::{self, place_of};
use crate::worktree::WorkTree;

/// A pack that is gone, the entries that accept that, and the settings file that holds them.
pub type Removed = (ExaminedPack, BTreeSet<usize>, Option<SettingsKey>);

impl Run<'_> {
    /// Says which broken packs of the base stand nowhere any more: any pack may have been in them.
    pub fn tell_lost(&mut self, judged: &[JudgedFile]) -> anyhow::Result<()> {
        let broken = self.trees.first().map(|base| base.broken.clone()).unwrap_or_default();
        if broken.is_empty() {
            return Ok(());
        }
        let Some(root) = self.root(judged)? else { return Ok(()) };
        let scopes = self.scopes(&WorkTree::around(&root))?;
        for (path, why) in broken {
            let is_here = judged.iter().any(|file| file.file.path == path);
            if is_here || !scopes.iter().any(|scope| is_at_or_below(&path, scope)) {
                continue;
            }
            let message = format!("{path} of the base cannot be read: {why}");
            if self.request.allow_broken_base {
                complaint::warn(&format!("{message}; what it held was not compared"));
                continue;
            }
            let help = "compare with another base, or pass over this one with `--allow-broken-base`";
            complaint::print(&Complaint::new(message).help(help).into());
            self.complete = false;
        }
        Ok(())
    }

    /// Packs of the base that HEAD has in no file.
    pub fn removed(&mut self, judged: &[JudgedFile]) -> anyhow::Result<Vec<Removed>> {
        let Some(base) = self.trees.first().cloned() else { return Ok(Vec::new()) };
        let Some(root) = self.root(judged)? else { return Ok(Vec::new()) };
        let tree = WorkTree::around(&root);
        let scopes = self.scopes(&tree)?;
        // A file or folder of its own is the base as a whole: its paths are not those of this tree.
        let is_apart = matches!(self.base.kind, Kind::Disk(_));
        let here: BTreeSet<&str> = judged.iter().filter_map(|file| file.evaluated.id.as_deref()).collect();
        let gone = |pack: &&BasePack| {
            let id = pack.id.as_deref().unwrap_or_default();
            let is_broken_here =
                judged.iter().any(|file| file.file.path == pack.path && file.evaluated.id.is_none());
            !id.is_empty()
                && !here.contains(id)
                && !is_broken_here
                && (is_apart || scopes.iter().any(|scope| is_at_or_below(&pack.path, scope)))
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
            let settings = match self.request.policy_from_base {
                true => find_settings(base.tree.as_ref(), &pack.path),
                false => find_settings(&tree, &pack.path),
            };
            let Ok(settings) = settings else { continue };
            let renamed = settings.settings.renamed.iter().find(|entry| entry.from == id);
            // What has the new name in the base too is another pack, and is compared with itself.
            let is_renamed = renamed.is_some_and(|entry| {
                let is_old = base.packs.iter().any(|pack| pack.id.as_ref() == Some(&entry.to));
                !is_old && (here.contains(entry.to.as_str()) || everywhere.contains(&entry.to))
            });
            if is_renamed || !seen.insert(id.to_owned()) {
                continue;
            }
            if everywhere.contains(id) {
                self.tell_moved_away(pack, &base, &scopes);
                continue;
            }
            if let Pick::Found(side) = base.read(pack) {
                removed.push(self.removed_pack(side, settings, &root, tree.in_repository()));
            }
        }
        Ok(removed)
    }

    /// Says that a pack of the base now stands where nobody looks. What is checked then is not all that was asked for.
    fn tell_moved_away(&mut self, pack: &BasePack, base: &BaseTree, scopes: &[String]) {
        let is_below = |path: &str| scopes.iter().any(|scope| is_at_or_below(path, scope));
        let stood_outside = base.packs.iter().any(|other| other.id == pack.id && !is_below(&other.path));
        if matches!(self.base.kind, Kind::Disk(_)) || stood_outside {
            return;
        }
        let id = pack.id.as_deref().unwrap_or_default();
        let message = format!("the pack `{id}` moved from {} to where this run does not look", pack.path);
        let help = "name its new folder too, or run `packhouse check` without paths";
        complaint::print(&Complaint::new(message).help(help).into());
        self.complete = false;
    }

    fn removed_pack(
        &self,
        side: BaseSide,
        settings: FoundSettings,
        root: &Path,
        in_repository: bool,
    ) -> Removed {
        let under = self.conditions.settings(&settings);
        let (diff, matched) = pack_removed(&side.document, &side.bytes, &side.path, under);
        let version = side.version();
        let holder = Holder { path: under.relative(&side.path), pack: &diff.pack, version: version.as_ref() };
        let reasons = reasons(&diff.changes, holder, under);
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
            prompts: Vec::new(),
            uncompared: false,
            reasons,
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
