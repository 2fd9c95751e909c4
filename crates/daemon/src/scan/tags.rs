//! Tags mode: each tag that is new or names something else is judged, in ascending version order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use git::{CommitTree, ObjectId, RefSnapshot, SourceRepository, Tag};
use registry::discover::{ChangedFile, TagPatterns, TagStep, tagged, version_of};
use registry::problem::{Problem, ProblemCode};
use registry::settings::HistoryPolicy;
use rules::Level;

use super::branch::MOST_FILES;
use super::{Run, ScanError};

impl Run<'_> {
    pub(super) fn tags(
        &mut self,
        repository: &SourceRepository,
        refs: &RefSnapshot,
    ) -> Result<(), ScanError> {
        let patterns = TagPatterns::new(&self.scanner.source.tags);
        self.head = refs.head.commit;
        self.note_deleted(refs, &patterns);
        self.forget_tags();
        // Those of files name their tag without `refs/`, and stay with it.
        let is_full = |name: &String| name.starts_with("refs/");
        self.state.retract(|problem| {
            problem.code == ProblemCode::UnreadableName && problem.reference.as_ref().is_some_and(is_full)
        });
        for name in &refs.unreadable {
            let message = "a ref has a name or a target that cannot be read";
            self.see(&Problem::new(ProblemCode::UnreadableName, message).at_reference(Some(name)));
        }
        let head = match refs.head.commit {
            Some(head) => Some((repository.tree(head)?, self.time_of(repository, head)?)),
            None => None,
        };
        if let (Some((tree, at)), Some(head)) = (&head, refs.head.commit) {
            self.fold_root(tree, &head.to_string());
            self.fold_lifted(tree, *at);
        }
        let mut news: Vec<&Tag> = refs
            .tags
            .iter()
            .filter(|tag| self.state.tags.get(&tag.name) != Some(&tag.object.to_string()))
            .collect();
        news.sort_by(|a, b| by_version(&patterns, &a.name, &b.name));
        let (mut listed, mut flagged) = (Listed::new(), false);
        for (at, tag) in news.into_iter().enumerate() {
            if at > 0 && Instant::now() >= self.deadline {
                self.more = true;
                break;
            }
            self.summary.commits += 1;
            self.tag(repository, tag, &patterns, &mut listed)?;
            // The head may accept what the tagged commit did not yet.
            if let Some((tree, at)) = &head {
                flagged |= self.lift_added(tree, *at);
            }
            self.state.tags.insert(tag.name.clone(), tag.object.to_string());
        }
        // A lower version that was tagged late may be the baseline of higher ones now.
        if let Some((tree, at)) = head.filter(|_| flagged) {
            self.fold_lifted(&tree, at);
        }
        self.state.head = refs.head.commit.map(|commit| commit.to_string());
        self.state.branch.clone_from(&refs.head.branch);
        Ok(())
    }

    fn tag(
        &mut self,
        repository: &SourceRepository,
        tag: &Tag,
        patterns: &TagPatterns,
        listed: &mut Listed,
    ) -> Result<(), ScanError> {
        self.state.clear_tag(&tag.name);
        let problem = |code, message: String| Problem::new(code, message).at_reference(Some(&tag.name));
        let is_version = version_of(patterns, &tag.name).is_some();
        let Some(commit) = tag.commit else {
            if is_version {
                let message = format!("the tag `{}` names no commit", tag.name);
                self.see(&problem(ProblemCode::TagMismatch, message));
            }
            return Ok(());
        };
        let tree = repository.tree(commit)?.with_limit(self.read_limit());
        let mut files = Vec::new();
        if is_version {
            match files_of(&tree, commit, listed) {
                Err(error @ git::GitError::TooManyFiles { .. }) => {
                    let message = super::with_causes(&error);
                    self.see(&problem(ProblemCode::TooManyFiles, message).at_commit(commit.to_string()));
                    return Ok(());
                }
                found => files = found?,
            }
            if let Some((_, unreadable)) = listed.get(&commit) {
                self.see_unreadable(unreadable, &tag.name, commit);
            }
        }
        let at = self.time_of(repository, commit)?;
        let object = (tag.object != commit).then(|| tag.object.to_string());
        let step = TagStep { tag: tag.name.clone(), object, commit: commit.to_string(), at, files };
        let sight = tagged(&step, &tree, &self.selection, patterns);
        let old = self.stood_before(repository, commit)?;
        self.take_in(sight, &tree, old);
        Ok(())
    }

    /// Whether a commit stood in the source before its first scan; asked only where that makes a difference.
    fn stood_before(&self, repository: &SourceRepository, commit: ObjectId) -> Result<bool, ScanError> {
        if self.scanner.source.history == HistoryPolicy::Refuse {
            return Ok(false);
        }
        let first = match self.first_head() {
            Some(first) => first.parse().ok(),
            None => self.head,
        };
        let known = first.filter(|first| repository.commit(*first).is_ok());
        Ok(known.map(|first| repository.is_ancestor(commit, first)).transpose()?.unwrap_or(false))
    }

    fn note_deleted(&mut self, refs: &RefSnapshot, patterns: &TagPatterns) {
        let present: BTreeSet<&str> = refs.tags.iter().map(|tag| tag.name.as_str()).collect();
        let gone: BTreeSet<String> =
            self.state.tags.keys().filter(|tag| !present.contains(tag.as_str())).cloned().collect();
        for tag in &gone {
            self.summary.commits += 1;
            // One that was refused leaves nothing behind, and its end repairs it.
            let refused = self.state.problems.iter().any(|problem| {
                let is_of_tag = problem.current && problem.reference.as_deref() == Some(tag);
                is_of_tag && problem.level == Level::Error && problem.code != ProblemCode::TagMoved
            });
            self.state.tags.remove(tag);
            self.state.clear_tag(tag);
            if !refused && version_of(patterns, tag).is_some() {
                let message = format!("the tag `{tag}` was deleted; what it released stays");
                self.see(&Problem::new(ProblemCode::TagDeleted, message).at_reference(Some(tag)));
            }
        }
    }
}

/// The files of a few commits, and their names that cannot be read.
type Listed = BTreeMap<ObjectId, (Vec<ChangedFile>, Vec<String>)>;

/// The files of a commit. Tags of one monorepo often share a commit; the last few lists are worth keeping.
fn files_of(
    tree: &CommitTree<'_>,
    commit: ObjectId,
    listed: &mut Listed,
) -> Result<Vec<ChangedFile>, git::GitError> {
    if !listed.contains_key(&commit) {
        let found = tree.walk_files(MOST_FILES)?;
        let changed = |file: git::FileEntry| ChangedFile {
            path: file.path,
            now: Some((file.kind, file.id.to_string())),
        };
        let mut unreadable = found.unreadable;
        unreadable.retain(|name| name.ends_with(".json"));
        if listed.len() >= 8 {
            listed.clear();
        }
        listed.insert(commit, (found.files.into_iter().map(changed).collect(), unreadable));
    }
    Ok(listed.get(&commit).map(|(files, _)| files.clone()).unwrap_or_default())
}

fn by_version(patterns: &TagPatterns, a: &str, b: &str) -> std::cmp::Ordering {
    let key = |tag: &str| version_of(patterns, tag);
    match (key(a), key(b)) {
        (Some(x), Some(y)) => x.cmp_precedence(&y).then_with(|| a.cmp(b)),
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, None) => a.cmp(b),
    }
}
