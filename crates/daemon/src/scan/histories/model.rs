//! The rules of publishing once more, as small as they can be: trees are maps, commits are numbers, nothing is Git.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use serde_json::json;

/// What one pack file holds. Two contents are the same when nothing but `layout` differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Content {
    pub(super) id: &'static str,
    pub(super) version: &'static str,
    /// Which variable callers have to send: another one is a break.
    pub(super) tier: u8,
    /// The words of the prompt: other ones need a patch.
    pub(super) wording: u8,
    /// How the same JSON is written.
    pub(super) layout: u8,
}

impl Content {
    fn same(self, other: Content) -> bool {
        Content { layout: 0, ..self } == Content { layout: 0, ..other }
    }

    fn number(self) -> Version {
        self.version.parse().expect("a version")
    }

    pub(super) fn text(self) -> String {
        let Content { id, version, tier, wording, .. } = self;
        let tier = format!("tier_{tier}");
        let variable = |name: &str| json!({"name": name, "type": "string", "required": true});
        let pack = json!({
            "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
            "id": id, "name": "Greeter", "version": version, "description": "Greets people.",
            "template_engine": {"version": "v1", "syntax": "{{variable}}"},
            "prompts": {"hello": {
                "id": "hello", "name": "Hello", "version": "1.0.0",
                "system_template": format!("Greet {{{{name}}}} of {{{{{tier}}}}} in the style {wording}."),
                "variables": [variable("name"), variable(&tier)]
            }},
        });
        let text = if self.layout == 0 { pack.to_string() } else { format!("{pack:#}") };
        text + &"\n".repeat(self.layout.into())
    }
}

/// The files of one commit.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tree {
    pub(super) packs: BTreeMap<&'static str, Content>,
    /// Versions that the root `packhouse.toml` yanks.
    pub(super) yanks: BTreeSet<(&'static str, &'static str)>,
}

impl Tree {
    /// Paths that claim the id and version of another one with other content.
    fn duplicates(&self) -> BTreeSet<&'static str> {
        let claims = |a: &Content, b: &Content| (a.id, a.version) == (b.id, b.version) && !a.same(*b);
        let doubled = |content: &Content| self.packs.values().any(|other| claims(content, other));
        let claimed: BTreeSet<(&str, &str)> =
            self.packs.values().filter(|content| doubled(content)).map(|c| (c.id, c.version)).collect();
        let files = self.packs.iter().filter(|(_, content)| claimed.contains(&(content.id, content.version)));
        files.map(|(path, _)| *path).collect()
    }
}

/// One commit; parents are positions in the list of commits.
#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub(super) parents: Vec<usize>,
    pub(super) tree: Tree,
}

/// A tag and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tag {
    /// The pack that it names; none for a plain `v1.0.0`.
    pub(super) id: Option<&'static str>,
    pub(super) version: &'static str,
    pub(super) commit: usize,
    /// Tells the objects apart that a ref of this name pointed at.
    pub(super) object: usize,
}

/// What a source is at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub(super) commits: Vec<Commit>,
    pub(super) head: usize,
    pub(super) tags: BTreeMap<String, Tag>,
    /// Commits that a gc removed.
    pub(super) pruned: BTreeSet<usize>,
}

impl World {
    pub(super) fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(commit) = open.pop() {
            if seen.insert(commit) {
                open.extend(&self.commits[commit].parents);
            }
        }
        seen
    }

    /// The commits of the first-parent line that `known` does not reach, oldest first.
    fn line(&self, known: Option<usize>) -> Vec<usize> {
        let seen = known.map(|known| self.reachable(known)).unwrap_or_default();
        let mut line = Vec::new();
        let mut at = Some(self.head);
        while let Some(commit) = at.filter(|commit| !seen.contains(commit)) {
            line.push(commit);
            at = self.commits[commit].parents.first().copied();
        }
        line.reverse();
        line
    }
}

/// What a registry has published of a source and says of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    /// By id and version: the first content, and whether ranges skip it.
    pub(super) releases: BTreeMap<(&'static str, Version), (Content, bool)>,
    /// The tags that brought releases, and what they named then.
    origins: BTreeMap<(&'static str, Version), (String, usize)>,
    pub(super) yanks: BTreeSet<(&'static str, &'static str)>,
    /// Code and place of what is current.
    pub(super) problems: BTreeSet<(&'static str, String)>,
    head: Option<usize>,
    tags: BTreeMap<String, Tag>,
}

impl Model {
    /// Forgets what a registry may forget: where it was.
    pub(super) fn lose_derived_state(&mut self) {
        self.head = None;
        self.tags.clear();
        self.problems.clear();
    }

    fn accept(&mut self, content: Content) {
        let version = content.number();
        if self.releases.contains_key(&(content.id, version.clone())) {
            return;
        }
        let may_be_baseline = |known: &Version, flagged: bool| {
            let yanked = self.yanks.iter().any(|(id, v)| *id == content.id && *v == known.to_string());
            known.pre.is_empty() && *known < version && !flagged && !yanked
        };
        let earlier = self.releases.iter().filter(|((id, _), _)| *id == content.id);
        let baseline = earlier
            .filter(|((_, known), (_, flagged))| may_be_baseline(known, *flagged))
            .max_by_key(|((_, known), _)| known.clone());
        let flagged = baseline.is_some_and(|((_, known), (before, _))| {
            before.tier != content.tier && known.major == version.major
        });
        self.releases.insert((content.id, version), (content, flagged));
    }

    fn is_reused(&self, content: Content) -> bool {
        self.releases.get(&(content.id, content.number())).is_some_and(|(first, _)| !first.same(content))
    }

    /// Whether the owner has to do something for a release: ranges skip it, and take no higher one.
    fn is_held_back(&self, id: &'static str, version: &Version) -> bool {
        let is_yanked = |version: &Version| self.yanks.contains(&(id, version.to_string().as_str()));
        let mut higher = self.releases.iter().filter(|((other, known), _)| *other == id && known > version);
        let flagged = self.releases.get(&(id, version.clone())).is_some_and(|(_, flagged)| *flagged);
        flagged
            && !is_yanked(version)
            && !higher.any(|((_, known), (_, flagged))| known.pre.is_empty() && !flagged && !is_yanked(known))
    }

    pub(super) fn scan_branch(&mut self, world: &World) {
        let known = self.head.filter(|head| !world.pruned.contains(head));
        for commit in world.line(known) {
            let Commit { parents, tree } = &world.commits[commit];
            let before =
                parents.first().map(|parent| world.commits[*parent].tree.clone()).unwrap_or_default();
            self.yanks.clone_from(&tree.yanks);
            let (duplicates, were) = (tree.duplicates(), before.duplicates());
            for (path, content) in &tree.packs {
                let changed = before.packs.get(path) != Some(content) || before.yanks != tree.yanks;
                if (changed || were.contains(path)) && !duplicates.contains(path) {
                    self.accept(*content);
                }
            }
        }
        // Whatever stands at the head is judged, however the branch came there.
        let tree = &world.commits[world.head].tree;
        self.yanks.clone_from(&tree.yanks);
        let duplicates = tree.duplicates();
        for (_, content) in tree.packs.iter().filter(|(path, _)| !duplicates.contains(*path)) {
            self.accept(*content);
        }
        self.head = Some(world.head);
        self.problems = self.problems_at(tree);
    }

    fn problems_at(&self, tree: &Tree) -> BTreeSet<(&'static str, String)> {
        let mut problems = BTreeSet::new();
        let duplicates = tree.duplicates();
        for (path, content) in &tree.packs {
            if duplicates.contains(path) {
                problems.insert(("duplicate-pack", (*path).to_owned()));
            } else if self.is_reused(*content) {
                problems.insert(("version-reused", (*path).to_owned()));
            } else if self.is_held_back(content.id, &content.number()) {
                problems.insert(("insufficient-bump", (*path).to_owned()));
            }
            let of_id = tree.packs.values().filter(|other| other.id == content.id);
            let highest = of_id.map(|other| other.number()).max();
            let is_left = |version: &Version| {
                version.pre.is_empty() && !self.yanks.contains(&(content.id, version.to_string().as_str()))
            };
            let left = self.releases.keys().filter(|(id, version)| *id == content.id && is_left(version));
            if left.map(|(_, version)| version.clone()).max() > highest {
                problems.insert(("version-decreased", (*path).to_owned()));
            }
        }
        problems
    }

    pub(super) fn scan_tags(&mut self, world: &World) {
        self.yanks.clone_from(&world.commits[world.head].tree.yanks);
        let known = std::mem::replace(&mut self.tags, world.tags.clone());
        for name in known.keys().filter(|name| !world.tags.contains_key(*name)) {
            let refusals = ["tag-mismatch", "duplicate-pack", "version-reused"];
            let refused = self.problems.iter().any(|(code, place)| place == name && refusals.contains(code));
            self.problems.retain(|(_, place)| place != name);
            if !refused {
                self.problems.insert(("tag-deleted", name.clone()));
            }
        }
        let mut news: Vec<(&String, &Tag)> =
            world.tags.iter().filter(|(name, tag)| known.get(*name) != Some(tag)).collect();
        let version = |tag: &Tag| tag.version.parse::<Version>().expect("a version");
        news.sort_by(|a, b| version(a.1).cmp(&version(b.1)).then(a.0.cmp(b.0)));
        for (name, tag) in news {
            self.problems.retain(|(_, place)| place != name);
            match tagged(tag, &world.commits[tag.commit].tree) {
                Err(code) => {
                    self.problems.insert((code, name.clone()));
                }
                Ok(content) if self.is_reused(content) => {
                    let code = if known.contains_key(name) { "tag-moved" } else { "version-reused" };
                    self.problems.insert((code, name.clone()));
                }
                Ok(content) => {
                    let release = (content.id, content.number());
                    if !self.releases.contains_key(&release) {
                        self.origins.insert(release, (name.clone(), tag.object));
                    }
                    self.accept(content);
                }
            }
        }
        self.problems.retain(|(code, _)| *code != "insufficient-bump");
        for ((id, version), (name, object)) in &self.origins {
            let shown = world.tags.get(name).is_some_and(|tag| tag.object == *object);
            if shown && self.is_held_back(id, version) {
                self.problems.insert(("insufficient-bump", name.clone()));
            }
        }
    }
}

/// The content that a tag releases, or what is wrong with it.
fn tagged(tag: &Tag, tree: &Tree) -> Result<Content, &'static str> {
    let named = tree.packs.values().filter(|content| tag.id.is_none_or(|id| id == content.id));
    let fitting: Vec<&Content> = named.filter(|content| content.version == tag.version).collect();
    match (&fitting[..], tag.id) {
        ([], _) => Err("tag-mismatch"),
        (_, None) if tree.packs.len() > 1 => Err("tag-mismatch"),
        ([first, others @ ..], _) if others.iter().any(|other| !other.same(**first)) => Err("duplicate-pack"),
        ([first, ..], _) => Ok(**first),
    }
}
