//! Branch mode: every commit on the first-parent line of a branch may bring new versions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use pack::json::Document;
use pack::tree::{EntryKind, Tree, folder};

use super::{Look, PackFile, Selection, look, named_files};
use crate::candidate::Candidate;
use crate::problem::{Problem, ProblemCode};
use crate::settings::is_settings_file;

/// The packs that stand at the last scanned commit, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BranchState {
    /// Path to pack file.
    pub packs: BTreeMap<String, PackFile>,
    /// Paths that claim the id and version of another one with other content: none of them is judged.
    rivals: BTreeSet<String>,
}

/// One path that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path from the root of the repository.
    pub path: String,
    /// What stands there now: kind and object id; none where nothing does.
    pub now: Option<(EntryKind, String)>,
}

/// One commit of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStep {
    /// Its id.
    pub commit: String,
    /// When it was made.
    pub at: Timestamp,
    /// The branch, for problems.
    pub branch: String,
    /// What it changed against its first parent, sorted by path.
    pub changes: Vec<ChangedFile>,
}

/// What a commit or tag brought.
#[derive(Debug, Default)]
pub struct Sight {
    /// Versions to judge, sorted by path.
    pub candidates: Vec<Candidate>,
    /// What looked like a pack and is none.
    pub problems: Vec<Problem>,
    /// Paths whose earlier problems no longer say anything: they changed, or are judged anew.
    pub touched: BTreeSet<String>,
    /// The tag that is judged; its earlier problems no longer say anything.
    pub tag: Option<String>,
}

impl BranchState {
    /// Notes the packs of a whole tree without judging them: what a restarted scan stands on.
    pub fn of_tree(files: &[ChangedFile], tree: &dyn Tree, selection: &Selection) -> BranchState {
        BranchState::survey(files, tree, selection).0
    }

    /// As [`BranchState::of_tree`], with what looked like a pack and is none.
    pub fn survey(
        files: &[ChangedFile],
        tree: &dyn Tree,
        selection: &Selection,
    ) -> (BranchState, Vec<Problem>) {
        let (mut state, mut problems) = (BranchState::default(), Vec::new());
        for file in files {
            let Some((EntryKind::File { .. }, blob)) = &file.now else { continue };
            if !selection.matches(&file.path) {
                continue;
            }
            match look(&file.path, blob, tree, selection.limits) {
                Look::Pack(pack, _) => _ = state.packs.insert(file.path.clone(), pack),
                Look::Broken(problem) => problems.push(*problem),
                Look::NotAPack => {}
            }
        }
        let rivals = state.rivalries(tree).into_iter().flat_map(|rivalry| rivalry.paths);
        state.rivals = rivals.collect();
        (state, problems)
    }

    /// Paths that claim the id and version of another one with other content.
    pub fn rivals(&self) -> &BTreeSet<String> {
        &self.rivals
    }

    /// Takes one commit in: which versions are to be judged, and what is a problem.
    pub fn advance(&mut self, step: &CommitStep, tree: &dyn Tree, selection: &Selection) -> Sight {
        let mut sight = Sight::default();
        let mut bytes = BTreeMap::new();
        for change in &step.changes {
            self.take_in(change, tree, selection, &mut sight, &mut bytes);
        }
        for path in self.named_by_packs(&step.changes) {
            if let std::collections::btree_map::Entry::Vacant(slot) = bytes.entry(path)
                && let Ok(read) = tree.read(slot.key())
            {
                sight.touched.insert(slot.key().clone());
                // A schema file that changed may lead to others.
                if let (Some(pack), Some(document)) =
                    (self.packs.get_mut(slot.key()), Document::parse(&read).0)
                {
                    pack.named = named_files(&document, slot.key(), tree);
                }
                slot.insert(read);
            }
        }
        self.limit_packs(selection, &mut sight, &mut bytes);
        if !sight.touched.is_empty() {
            self.refuse_duplicates(tree, &mut sight, &mut bytes);
        }
        for problem in &mut sight.problems {
            problem.commit = Some(step.commit.clone());
            problem.reference = Some(step.branch.clone());
        }
        sight.candidates.extend(bytes.into_iter().map(|(path, bytes)| Candidate {
            bytes,
            path,
            commit: step.commit.clone(),
            tag: None,
            tag_object: None,
            committed_at: step.at,
        }));
        sight
    }

    fn take_in(
        &mut self,
        change: &ChangedFile,
        tree: &dyn Tree,
        selection: &Selection,
        sight: &mut Sight,
        bytes: &mut BTreeMap<String, Vec<u8>>,
    ) {
        if !selection.matches(&change.path) {
            return;
        }
        sight.touched.insert(change.path.clone());
        self.packs.remove(&change.path);
        let Some((kind, blob)) = &change.now else { return };
        let is_candidate = matches!(kind, EntryKind::File { .. }) || super::is_named_as_pack(&change.path);
        if !is_candidate {
            return;
        }
        match look(&change.path, blob, tree, selection.limits) {
            Look::NotAPack => {}
            Look::Broken(problem) => sight.problems.push(*problem),
            Look::Pack(pack, content) => {
                self.packs.insert(change.path.clone(), pack);
                bytes.insert(change.path.clone(), content);
            }
        }
    }

    /// Packs whose skills, schema files or settings changed although they did not.
    fn named_by_packs(&self, changes: &[ChangedFile]) -> Vec<String> {
        let is_within = |path: &str, outer: &str| {
            outer.is_empty()
                || path == outer
                || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        };
        let concerns = |path: &str, pack: &PackFile| {
            changes.iter().any(|change| {
                let settings = is_settings_file(&change.path);
                settings && is_within(path, folder(&change.path))
                    || pack.named.iter().any(|named| is_within(&change.path, named))
            })
        };
        self.packs.iter().filter(|(path, pack)| concerns(path, pack)).map(|(path, _)| path.clone()).collect()
    }

    fn limit_packs(
        &mut self,
        selection: &Selection,
        sight: &mut Sight,
        bytes: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let limit = selection.limits.packs_per_tree;
        if self.packs.len() <= limit {
            return;
        }
        let count = self.packs.len();
        let beyond: Vec<String> = self.packs.keys().skip(limit).cloned().collect();
        for path in &beyond {
            self.packs.remove(path);
            bytes.remove(path);
        }
        let message =
            format!("the commit holds {count} packs, and {limit} are read; {} was left out first", beyond[0]);
        sight.problems.push(Problem::new(ProblemCode::TooManyPacks, message).at_path(beyond[0].clone()));
    }

    /// Two files that claim one id and version with different contents: neither is judged, until one of them goes.
    fn refuse_duplicates(
        &mut self,
        tree: &dyn Tree,
        sight: &mut Sight,
        bytes: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let mut rivals = BTreeSet::new();
        for rivalry in self.rivalries(tree) {
            if rivalry.paths.iter().any(|path| bytes.contains_key(path)) {
                sight.problems.extend(rivalry.problems());
                sight.touched.extend(rivalry.paths.iter().cloned());
            }
            for path in &rivalry.paths {
                bytes.remove(path);
            }
            rivals.extend(rivalry.paths);
        }
        let before = std::mem::replace(&mut self.rivals, rivals);
        for path in before.difference(&self.rivals).filter(|path| self.packs.contains_key(*path)) {
            if let (false, Ok(read)) = (bytes.contains_key(path), tree.read(path)) {
                sight.touched.insert(path.clone());
                bytes.insert(path.clone(), read);
            }
        }
    }

    fn rivalries(&self, tree: &dyn Tree) -> Vec<Rivalry> {
        let mut claims: BTreeMap<(&str, &str), Vec<(&String, &PackFile)>> = BTreeMap::new();
        for (path, pack) in &self.packs {
            if let (Some(id), Some(version)) = (&pack.id, &pack.version) {
                let version = version.strip_prefix('v').unwrap_or(version);
                claims.entry((id, version)).or_default().push((path, pack));
            }
        }
        let differ = |claimants: &[(&String, &PackFile)]| {
            claimants.iter().any(|(_, pack)| pack.blob != claimants[0].1.blob)
                && !same_json(claimants.iter().map(|(path, _)| path.as_str()), tree)
        };
        let rivals = claims.into_iter().filter(|(_, claimants)| differ(claimants));
        rivals
            .map(|((id, version), claimants)| Rivalry {
                id: id.to_owned(),
                version: version.to_owned(),
                paths: claimants.into_iter().map(|(path, _)| path.clone()).collect(),
            })
            .collect()
    }
}

/// Files that claim one id and version with different contents.
struct Rivalry {
    id: String,
    version: String,
    paths: Vec<String>,
}

impl Rivalry {
    fn problems(&self) -> impl Iterator<Item = Problem> {
        self.paths.iter().map(|path| {
            let other = self.paths.iter().find(|other| *other != path).map_or("", String::as_str);
            let message = format!("`{other}` claims {}@{} too, with other content", self.id, self.version);
            let problem = Problem::new(ProblemCode::DuplicatePack, message).at_path(path.as_str());
            problem.of(Some(&self.id), Some(&self.version))
        })
    }
}

/// Whether the files differ in their layout only.
pub(super) fn same_json<'p>(paths: impl Iterator<Item = &'p str>, tree: &dyn Tree) -> bool {
    let canonical = |path: &str| {
        let (document, _) = Document::parse(&tree.read(path).ok()?);
        Some(pack::digest::canonical_node(document?.root()))
    };
    let mut texts = paths.map(canonical);
    let first = texts.next().flatten();
    first.is_some() && texts.all(|text| text == first)
}

#[cfg(test)]
mod tests {
    use pack::tree::MemoryTree;

    use super::*;
    use crate::settings::{Limits, SourceSettings};

    fn pack(id: &str, version: &str, skills: &str) -> String {
        format!(
            r#"{{"id": "{id}", "version": "{version}", "template_engine": {{}}, "prompts": {{}}, "skills": {skills}}}"#
        )
    }

    /// Advances over one commit that writes `files` (none = delete); gives what it saw as lines.
    fn check(state: &mut BranchState, tree: &mut MemoryTree, files: &[(&str, &str)], expected: &[&str]) {
        for (path, text) in files {
            tree.insert(*path, *text);
        }
        let file = EntryKind::File { executable: false };
        let changes = files
            .iter()
            .map(|(path, text)| ChangedFile {
                path: (*path).to_owned(),
                now: Some((file, pack::Digest::of(text.as_bytes()).hex())),
            })
            .collect();
        let at = Timestamp::UNIX_EPOCH;
        let step = CommitStep { commit: "c".to_owned(), at, branch: "main".to_owned(), changes };
        let selection = Selection::new(&SourceSettings::local("s", "."), Limits::default())
            .expect("the default patterns");
        let sight = state.advance(&step, tree, &selection);
        let mut lines: Vec<String> = sight.candidates.iter().map(|found| found.path.clone()).collect();
        lines.extend(
            sight.problems.iter().map(|p| format!("{} {}", p.code, p.path.as_deref().unwrap_or_default())),
        );
        assert_eq!(lines, expected);
    }

    #[test]
    fn packs_are_found_by_content_and_everything_that_looked_like_one_is_told() {
        let (mut state, mut tree) = (BranchState::default(), MemoryTree::default());
        let a = pack("a", "1.0.0", r#"["skills/x"]"#);
        let files = [
            ("p/a.json", a.as_str()),
            ("package.json", r#"{"id": "x", "version": "1.0.0"}"#),
            ("tsconfig.json", "{ // comment\n}"),
            ("broken.pack.json", "{"),
            ("cut.json", r#"{"id": "cut", "prompts": {"#),
            ("notes.txt", "x"),
        ];
        check(&mut state, &mut tree, &files, &["p/a.json", "not-json broken.pack.json", "not-json cut.json"]);
        check(&mut state, &mut tree, &[("p/skills/x/SKILL.md", "text")], &["p/a.json"]);
        check(&mut state, &mut tree, &[("skills/other.md", "text")], &[]);
        check(&mut state, &mut tree, &[("packhouse.toml", "")], &["p/a.json"]);
        check(&mut state, &mut tree, &[("q/packhouse.toml", "")], &[]);
    }

    #[test]
    fn two_files_of_one_id_and_version_must_agree() {
        let (mut state, mut tree) = (BranchState::default(), MemoryTree::default());
        let (one, same, other) =
            (pack("a", "1.0.0", "[]"), pack("a", "1.0.0", "[ ]"), pack("a", "v1.0.0", "[1]"));
        check(&mut state, &mut tree, &[("1.json", &one), ("2.json", &same)], &["1.json", "2.json"]);
        check(
            &mut state,
            &mut tree,
            &[("3.json", &other)],
            &["duplicate-pack 1.json", "duplicate-pack 2.json", "duplicate-pack 3.json"],
        );
        check(&mut state, &mut tree, &[("notes.json", "{}")], &[]);
        let renamed = pack("b", "1.0.0", "[1]");
        check(&mut state, &mut tree, &[("3.json", &renamed)], &["1.json", "2.json", "3.json"]);
    }
}
