//! Random histories: whatever Git does to a source, the scanner publishes what an independent model of the rules
//! says, and says of the source what the model says.
//!
//! `PACKHOUSE_ROUNDS=100 cargo test --workspace --lib -- histories::` runs a hundred times as many.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use registry::problem::ProblemState;
use registry::settings::RegistrySettings;
use semver::Version;
use store::{Options, Reader, Store};

use super::tests::reopened;
use super::{Memory, Scanner, SourcePaths};

mod model;
mod repository;

use model::{Commit, Content, Model, Tag, Tree, World};
use repository::Repository;

const IDS: [&str; 2] = ["greeter", "helper"];
const PATHS: [&str; 4] = ["a.pack.json", "b.json", "packs/a.json", "packs/b.pack.json"];
const VERSIONS: [&str; 8] = ["1.0.0", "1.0.1", "1.1.0", "1.2.0", "2.0.0-rc.1", "2.0.0", "2.1.0", "3.0.0"];

/// How many histories of each kind run by default.
const HISTORIES: u64 = 6;
/// How many operations a history has.
const OPERATIONS: usize = 24;

/// A small generator; the same seed draws the same history on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("a small number")
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A registry of the one source.
struct Registry {
    state: PathBuf,
    settings: RegistrySettings,
    store: Option<Store>,
    memory: Memory,
    /// Whether no scan has time for more than one commit.
    hurried: bool,
    mode: Mode,
    model: Model,
}

impl Registry {
    fn new(state: PathBuf, mode: Mode) -> Registry {
        let versions = if mode == Mode::Branch { "branch" } else { "tags" };
        let text = format!("[[source]]\nname = \"packs\"\npath = \"packs\"\nversions = \"{versions}\"\n");
        let settings = RegistrySettings::parse(&text).expect("valid settings");
        let store = Some(Store::open(&state, Options::default()).expect("a new store"));
        Registry {
            state,
            settings,
            store,
            memory: Memory::default(),
            hurried: false,
            mode,
            model: Model::default(),
        }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().expect("an open store")
    }

    fn scan(&mut self, repository: &Path, world: &World) {
        let store = self.store.as_ref().expect("an open store");
        let source = &self.settings.sources[0];
        // In one go, or one commit at a time.
        let budget = Duration::from_secs(if self.hurried { 0 } else { 3600 });
        let paths = SourcePaths::new();
        let scanner = Scanner {
            store,
            settings: &self.settings,
            source,
            path: repository,
            paths: &paths,
            budget,
            anew: false,
        };
        let scanned = std::iter::repeat_with(|| scanner.scan(&mut self.memory, Timestamp::now()));
        let last = scanned.take(1000).find(|scanned| !scanned.more);
        assert!(last.is_some_and(|last| !last.failed), "{:?}", self.store().source_state("packs").error);
        match self.mode {
            Mode::Branch => self.model.scan_branch(world),
            Mode::Tags => self.model.scan_tags(world),
        }
    }

    fn lose_derived_state(&mut self) {
        self.store = None;
        self.memory = Memory::default();
        for derived in ["index", "search"] {
            std::fs::remove_dir_all(self.state.join(derived)).expect("derived state");
        }
        self.store = Some(reopened(&self.state));
        self.model.lose_derived_state();
    }

    /// Every release as a line: what it is, its bytes, and whether ranges skip it.
    fn releases(&self) -> Vec<String> {
        let snapshot = self.store().snapshot();
        let mut lines = Vec::new();
        for pack in snapshot.packs(&Reader::everybody()) {
            for row in &pack.releases {
                let bytes = self
                    .store()
                    .form(row, registry::Form::Source)
                    .expect("a readable ledger")
                    .expect("the bytes");
                let yanked = pack.status.yanked(&row.version).is_some();
                let text = String::from_utf8(bytes).expect("text");
                lines.push(line(&pack.id, &row.version, !row.flags.is_empty(), yanked, &text));
            }
        }
        lines
    }

    fn problems(&self) -> BTreeSet<(&'static str, String)> {
        let state = self.store().source_state("packs");
        let told = |code: &str| code != "branch-rewritten";
        let current = state.problems.iter().filter(|problem| problem.current && told(problem.code.as_str()));
        let place = |problem: &ProblemState| match self.mode {
            Mode::Branch => problem.path.clone(),
            Mode::Tags => problem.reference.clone(),
        };
        current.map(|problem| (problem.code.as_str(), place(problem).unwrap_or_default())).collect()
    }

    /// Compares everything with the model.
    fn check(&self, told: &str) {
        let expected: Vec<String> = self
            .model
            .releases
            .iter()
            .map(|((id, version), (content, flagged))| {
                let yanked = self.model.yanks.iter().any(|(i, v)| i == id && *v == version.to_string());
                line(id, version, *flagged, yanked, &content.text())
            })
            .collect();
        assert_eq!(self.releases(), expected, "{told}");
        let mut problems = self.model.problems.clone();
        let is_idle = |(id, version): &(&'static str, &'static str)| {
            let mut released = self.model.releases.keys();
            !released.any(|(other, released)| other == id && released.to_string() == *version)
        };
        if self.model.yanks.iter().any(is_idle) {
            let place = if self.mode == Mode::Branch { "packhouse.toml" } else { "" };
            problems.insert(("idle-setting", place.to_owned()));
        }
        assert_eq!(self.problems(), problems, "{told}");
    }
}

fn line(id: &str, version: &Version, flagged: bool, yanked: bool, text: &str) -> String {
    format!("{id}@{version} flagged={flagged} yanked={yanked} {text}")
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Branch,
    Tags,
}

/// One random history: the repository, what the model knows of it, and what was done.
struct History {
    random: Random,
    mode: Mode,
    /// Whether operations that rewrite what was seen may happen.
    rewriting: bool,
    world: World,
    repository: Repository,
    /// The commit of a branch beside the one that is watched.
    side: Option<usize>,
    objects: usize,
    log: Vec<String>,
}

impl History {
    fn new(seed: u64, mode: Mode, rewriting: bool, path: &Path) -> History {
        let mut history = History {
            random: Random(seed),
            mode,
            rewriting,
            world: World::default(),
            repository: Repository::new(path),
            side: None,
            objects: 0,
            log: vec![format!("seed {seed}, {mode:?}, rewriting: {rewriting}")],
        };
        let tree = history.edited(Tree::default());
        history.commit(vec![], tree);
        history
    }

    fn told(&self) -> String {
        self.log.join("\n")
    }

    fn tree(&self, commit: usize) -> Tree {
        self.world.commits[commit].tree.clone()
    }

    fn edited(&mut self, mut tree: Tree) -> Tree {
        let random = &mut self.random;
        let path = random.pick(&PATHS);
        match random.below(10) {
            0 => {
                tree.packs.remove(path);
            }
            1 => {
                if let Some(content) = tree.packs.remove(path) {
                    tree.packs.insert(random.pick(&PATHS), content);
                }
            }
            // When a yank is seen decides over the baseline of tags.
            2 if self.rewriting || self.mode == Mode::Branch => {
                let yank = (random.pick(&IDS), random.pick(&VERSIONS));
                if !tree.yanks.remove(&yank) {
                    tree.yanks.insert(yank);
                }
            }
            3 => {
                if let Some(content) = tree.packs.get_mut(path) {
                    content.layout = (content.layout + 1) % 3;
                }
            }
            _ => {
                let (tier, wording) = (u8::from(random.chance(30)), u8::from(random.chance(40)));
                let (id, version) = (random.pick(&IDS), random.pick(&VERSIONS));
                tree.packs.insert(path, Content { id, version, tier, wording, layout: 0 });
            }
        }
        tree
    }

    fn add(&mut self, branch: &str, parents: Vec<usize>, tree: Tree) -> usize {
        let mark = self.world.commits.len();
        self.repository.commit(branch, mark, &parents, &tree);
        self.log.push(format!("commit {mark} on {branch} after {parents:?}: {}", shown(&tree)));
        self.world.commits.push(Commit { parents, tree });
        mark
    }

    fn commit(&mut self, parents: Vec<usize>, tree: Tree) {
        let branch = self.repository.branch.clone();
        self.world.head = self.add(&branch, parents, tree);
    }

    /// Commits that are reachable from the branches: others may be gone.
    fn kept(&self) -> Vec<usize> {
        let mut kept = self.world.reachable(self.world.head);
        kept.extend(self.side.map(|side| self.world.reachable(side)).unwrap_or_default());
        kept.into_iter().collect()
    }

    fn operate(&mut self) {
        let (head, rewriting) = (self.world.head, self.rewriting);
        match (self.random.below(20), self.mode) {
            (0, _) => {
                self.log.push("pack refs".to_owned());
                self.repository.pack_refs();
            }
            (1, _) if self.random.chance(40) => self.gc(),
            (2, _) if self.random.chance(50) => self.rename(),
            (3 | 4, _) => {
                let from = match self.side {
                    Some(side) => side,
                    None => self.random.pick(&self.kept()),
                };
                let tree = self.edited(self.tree(from));
                self.side = Some(self.add("side", vec![from], tree));
            }
            (5, _) => self.merge(false),
            (6, Mode::Branch) if rewriting => self.merge(true),
            (7 | 8, Mode::Branch) if rewriting => {
                self.world.head = self.random.pick(&self.kept());
                self.log.push(format!("force {}", self.world.head));
                self.repository.move_branch(self.world.head);
            }
            (9, Mode::Branch) if rewriting && self.random.chance(30) => {
                let tree = self.edited(Tree::default());
                self.commit(vec![], tree);
            }
            (6..=12, Mode::Tags) => self.tag(),
            _ => {
                let tree = self.edited(self.tree(head));
                self.commit(vec![head], tree);
            }
        }
    }

    fn merge(&mut self, swapped: bool) {
        let Some(side) = self.side.take() else { return };
        let head = self.world.head;
        let from = self.random.pick(&[head, side]);
        let mut tree = self.tree(from);
        if self.random.chance(50) {
            tree.packs.extend(self.tree(side).packs);
        }
        let parents = if swapped { vec![side, head] } else { vec![head, side] };
        self.commit(parents, tree);
    }

    fn gc(&mut self) {
        let mut kept: BTreeSet<usize> = self.kept().into_iter().collect();
        for tag in self.world.tags.values() {
            kept.extend(self.world.reachable(tag.commit));
        }
        self.log.push("gc".to_owned());
        self.repository.gc(|commit| kept.contains(&commit));
        self.world.pruned = (0..self.world.commits.len()).filter(|commit| !kept.contains(commit)).collect();
    }

    fn rename(&mut self) {
        let name = format!("main-{}", self.random.below(1000));
        self.log.push(format!("rename the branch to {name}"));
        self.repository.rename_branch(&name);
    }

    fn tag(&mut self) {
        if self.rewriting && self.random.chance(20) {
            let names: Vec<String> = self.world.tags.keys().cloned().collect();
            if !names.is_empty() {
                let name = names[self.random.below(names.len())].clone();
                self.log.push(format!("delete the tag {name}"));
                self.repository.delete_tag(&name);
                self.world.tags.remove(&name);
            }
            return;
        }
        let commit = if self.rewriting { self.random.pick(&self.kept()) } else { self.world.head };
        let Some((name, tag)) = self.drawn_tag(commit) else { return };
        if !self.rewriting && !self.is_next(&tag) {
            return;
        }
        let annotated = self.random.chance(40).then_some(self.objects);
        self.log.push(format!("tag {name} at {commit}, annotated: {}", annotated.is_some()));
        self.repository.tag(&name, commit, annotated);
        // A light tag is what it names.
        let object = annotated.map_or(commit, |number| 1_000_000 + number);
        self.objects += 1;
        self.world.tags.insert(name, Tag { object, ..tag });
    }

    /// A tag for a pack of the commit, mostly with its version.
    fn drawn_tag(&mut self, commit: usize) -> Option<(String, Tag)> {
        let packs: Vec<Content> = self.world.commits[commit].tree.packs.values().copied().collect();
        if packs.is_empty() {
            return None;
        }
        let pack = self.random.pick(&packs);
        let version = if self.random.chance(85) { pack.version } else { self.random.pick(&VERSIONS) };
        let (id, name) = match self.random.below(4) {
            0 => (None, format!("v{version}")),
            1 => (Some(pack.id), format!("{}-v{version}", pack.id)),
            2 => (Some(pack.id), format!("{}/v{version}", pack.id)),
            _ => (Some(pack.id), format!("{}@{version}", pack.id)),
        };
        Some((name, Tag { id, version, commit, object: 0 }))
    }

    /// Whether no tag has said this version or a higher one: then it does not matter when it is seen.
    fn is_next(&self, tag: &Tag) -> bool {
        let version = |tag: &Tag| tag.version.parse::<Version>().expect("a version");
        self.world.tags.values().all(|known| version(known) < version(tag))
    }
}

fn shown(tree: &Tree) -> String {
    let packs = tree.packs.iter().map(|(path, content)| {
        let Content { id, version, tier, wording, layout } = content;
        format!("{path}={id}@{version}/{tier}{wording}{layout}")
    });
    let yanks = tree.yanks.iter().map(|(id, version)| format!("yank {id}@{version}"));
    packs.chain(yanks).collect::<Vec<_>>().join(" ")
}

/// Runs one history: `often` scans now and then, `once` only at the end.
fn run(seed: u64, mode: Mode, rewriting: bool) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("packs");
    let mut history = History::new(seed, mode, rewriting, &path);
    let mut often = Registry::new(folder.path().join("often"), mode);
    for _ in 0..OPERATIONS {
        history.operate();
        if history.random.chance(20) {
            often.hurried = history.random.chance(30);
            history.log.push(format!("scan, hurried: {}", often.hurried));
            history.repository.flush();
            often.scan(&path, &history.world);
            often.check(&history.told());
        }
        match history.random.below(100) {
            0..8 => often.memory = Memory::default(),
            8..10 => {
                history.log.push("lose the derived state".to_owned());
                often.lose_derived_state();
            }
            _ => {}
        }
    }
    history.log.push("the last scan".to_owned());
    history.repository.flush();
    often.scan(&path, &history.world);
    often.check(&history.told());
    let mut once = Registry::new(folder.path().join("once"), mode);
    once.scan(&path, &history.world);
    once.check(&format!("{}\nscanned once", history.told()));
    if !rewriting {
        assert_eq!(often.releases(), once.releases(), "{}", history.told());
        assert_eq!(often.problems(), once.problems(), "{}", history.told());
    }
}

/// Runs as many histories as are asked for.
fn check(mode: Mode, rewriting: bool) {
    let factor = std::env::var("PACKHOUSE_ROUNDS").ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = HISTORIES * factor.unwrap_or(1).max(1);
    for seed in 0..seeds {
        run(seed, mode, rewriting);
    }
}

#[test]
fn a_branch_publishes_the_same_whenever_it_is_scanned() {
    check(Mode::Branch, false);
}

#[test]
fn a_rewritten_branch_publishes_what_was_seen_first() {
    check(Mode::Branch, true);
}

#[test]
fn tags_in_ascending_order_publish_the_same_whenever_they_are_scanned() {
    check(Mode::Tags, false);
}

#[test]
fn moved_and_deleted_tags_publish_what_was_seen_first() {
    check(Mode::Tags, true);
}
