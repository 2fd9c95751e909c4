//! Branch mode: walks the first-parent line from the last scanned head.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use git::{Change, Changes, EntryKind, Files, ObjectId, RefSnapshot, SourceRepository, TreeEntry};
use registry::discover::{BranchState, ChangedFile, CommitStep};
use registry::problem::{Problem, ProblemCode};
use registry::settings::{FILE_NAME, RepositorySettings, is_settings_file};

use super::statuses::head_versions;
use super::{Memory, Run, ScanError};

/// The most files of one commit that are looked at.
pub(super) const MOST_FILES: usize = 500_000;

/// The most files with unreadable names that are named one by one.
const MOST_NAMED: usize = 50;

impl Run<'_> {
    pub(super) fn branch(
        &mut self,
        repository: &SourceRepository,
        refs: &RefSnapshot,
        memory: &mut Memory,
    ) -> Result<(), ScanError> {
        let Some((name, head)) = self.target(refs)? else {
            // An empty repository: nothing to say yet.
            return Ok(());
        };
        let from = self.known_head(&name, refs);
        let mut state = match memory.branch.take() {
            Some((commit, state)) if Some(commit) == from => state,
            _ => self.state_at(repository, &name, from)?,
        };
        self.head = Some(head);
        let mut at = head;
        if from != Some(head) {
            at = self.follow(repository, &name, (from, head), &mut state)?;
        }
        self.branch_again(repository, &name, at, &mut state)?;
        self.read_what_was_too_much(repository, &name, at, &mut state)?;
        self.note_unreadable(repository, &name, at)?;
        self.state.head = Some(at.to_string());
        self.state.branch = Some(name);
        self.head_versions = Some(head_versions(&state));
        memory.branch = Some((at, state));
        Ok(())
    }

    /// Judges whatever stands at the head once its files can be listed again, where a commit changed too many to be
    /// read.
    fn read_what_was_too_much(
        &mut self,
        repository: &SourceRepository,
        name: &str,
        head: ObjectId,
        state: &mut BranchState,
    ) -> Result<(), ScanError> {
        let is_of_it = |problem: &registry::ProblemState| problem.code == ProblemCode::TooManyFiles;
        if !self.state.problems.iter().any(|problem| problem.current && is_of_it(problem)) {
            return Ok(());
        }
        let Some(files) = self.files_at(repository, name, head)? else { return Ok(()) };
        self.state.settle(&[ProblemCode::TooManyFiles]);
        let changes = files.files.into_iter().map(|file| Change {
            path: file.path,
            old: None,
            new: Some(TreeEntry { id: file.id, kind: file.kind }),
        });
        let changes = Changes { changes: changes.collect(), unreadable: files.unreadable };
        self.step(repository, name, head, &changes, (state, false))
    }

    /// The files of a commit of the branch; none, and a problem, where there are too many.
    pub(super) fn files_at(
        &mut self,
        repository: &SourceRepository,
        branch: &str,
        commit: ObjectId,
    ) -> Result<Option<Files>, ScanError> {
        match repository.tree(commit)?.walk_files(MOST_FILES) {
            Err(error @ git::GitError::TooManyFiles { .. }) => {
                self.see_too_many(branch, commit, &error);
                Ok(None)
            }
            files => Ok(Some(files?)),
        }
    }

    fn see_too_many(&mut self, branch: &str, commit: ObjectId, error: &git::GitError) {
        let problem = Problem::new(ProblemCode::TooManyFiles, super::with_causes(error));
        self.see(&problem.at_commit(commit.to_string()).at_reference(Some(branch)));
    }

    /// Names at the head that cannot be read; looked for only where a commit brought or took one.
    fn note_unreadable(
        &mut self,
        repository: &SourceRepository,
        name: &str,
        head: ObjectId,
    ) -> Result<(), ScanError> {
        if !self.unreadable {
            return Ok(());
        }
        // Those with control characters can be read, and stay with their paths.
        let is_printed = |path: &String| !path.contains(char::is_control);
        self.state.retract(|problem| {
            problem.code == ProblemCode::UnreadableName && problem.path.as_ref().is_none_or(is_printed)
        });
        let Some(files) = self.files_at(repository, name, head)? else { return Ok(()) };
        self.see_unreadable(&files.unreadable, name, head);
        Ok(())
    }

    /// Names the first files that cannot be read and may be packs, and counts the others.
    pub(super) fn see_unreadable(&mut self, unreadable: &[String], reference: &str, commit: ObjectId) {
        let problem = |message: String| {
            let problem = Problem::new(ProblemCode::UnreadableName, message);
            problem.at_commit(commit.to_string()).at_reference(Some(reference))
        };
        let mut names = unreadable.iter().filter(|path| path.ends_with(".json"));
        for path in names.by_ref().take(MOST_NAMED) {
            let message = "a file that may be a pack has a name that cannot be read".to_owned();
            self.see(&problem(message).at_path(path.as_str()));
        }
        let others = names.count();
        if others > 0 {
            self.see(&problem(format!(
                "{others} more files that may be packs have names that cannot be read"
            )));
        }
    }

    /// Goes from one head of the branch towards the next, whatever happened to the branch in between; gives the commit
    /// that it came to.
    fn follow(
        &mut self,
        repository: &SourceRepository,
        name: &str,
        (from, head): (Option<ObjectId>, ObjectId),
        state: &mut BranchState,
    ) -> Result<ObjectId, ScanError> {
        let history = repository.history(from, head)?;
        let rivals = state.rivals().clone();
        self.state.settle(&[ProblemCode::BranchRewritten]);
        if history.rewritten {
            let message = format!("`{name}` no longer contains the commit that was scanned before");
            let problem = Problem::new(ProblemCode::BranchRewritten, message).at_reference(Some(name));
            self.see(&problem.at_commit(head.to_string()));
        }
        let old = from.filter(|from| repository.commit(*from).is_ok());
        if old.is_none() {
            self.state.clear_all_paths();
        }
        // What is new is seen from the commit on that it grew from; mostly that is the old head.
        let base = match history.commits.first() {
            Some(first) => repository.first_parent(*first)?,
            None => Some(head),
        };
        if base != from {
            *state = self.state_at(repository, name, base)?;
        }
        match base {
            Some(base) => {
                let tree = repository.tree(base)?;
                self.fold_root(&tree, &base.to_string());
                // What is recorded was lifted at the head that was scanned before.
                if from != Some(base) {
                    self.fold_lifted(&tree, self.time_of(repository, base)?);
                }
            }
            None => {
                self.archive.fold(RepositorySettings::default());
                self.archive.fold_lifted(BTreeMap::new(), self.now);
            }
        }
        let grown_from = old.filter(|old| base != Some(*old));
        let (at, walked) = self.walk(repository, name, &history.commits, (state, grown_from.is_none()))?;
        if let Some(old) = grown_from {
            let mut changes = self.changes_since(repository, name, (old, head), rivals)?;
            changes.changes.retain(|change| !walked.contains(&change.path));
            self.step(repository, name, head, &changes, (state, false))?;
        }
        Ok(at.unwrap_or(head))
    }

    /// What stands otherwise at the head than at the old one, whether or not a walked commit brought it: the new line
    /// grew from an older commit, or a merge chose between its parents. Files that were rivals may have none now.
    fn changes_since(
        &mut self,
        repository: &SourceRepository,
        name: &str,
        (old, head): (ObjectId, ObjectId),
        rivals: BTreeSet<String>,
    ) -> Result<Changes, ScanError> {
        let mut changes = match repository.changes_between(Some(old), head) {
            Err(error @ git::GitError::TooManyFiles { .. }) => {
                self.see_too_many(name, head, &error);
                return Ok(Changes::default());
            }
            changes => changes?,
        };
        let tree = repository.tree(head)?;
        for path in rivals {
            if changes.changes.iter().all(|change| change.path != path) {
                let new = tree.entry(&path)?;
                changes.changes.push(Change { path, old: None, new });
            }
        }
        Ok(changes)
    }

    /// The branch to read and its head; none for an empty repository.
    fn target(&self, refs: &RefSnapshot) -> Result<Option<(String, ObjectId)>, ScanError> {
        let Some(branch) = &self.scanner.source.branch else {
            let name = refs.head.branch.clone().unwrap_or_else(|| "HEAD".to_owned());
            return match refs.head.commit {
                Some(commit) => Ok(Some((name, commit))),
                None if refs.branches.is_empty() => Ok(None),
                None => {
                    Err(ScanError::NoBranch(format!("HEAD names the branch `{name}`, which is not there")))
                }
            };
        };
        match refs.branch(branch) {
            Some(found) => Ok(Some((branch.clone(), found.commit))),
            None if refs.branches.is_empty() => Ok(None),
            None => Err(ScanError::NoBranch(format!("the repository has no branch `{branch}`"))),
        }
    }

    /// The commit up to which this branch was scanned, perhaps under the name that it had before. Another branch
    /// starts anew, and finds what it knows.
    fn known_head(&self, branch: &str, refs: &RefSnapshot) -> Option<ObjectId> {
        let known = self.state.branch.as_deref()?;
        let same = known == branch || refs.branch(known).is_none();
        self.state.head.as_deref().filter(|_| same)?.parse().ok()
    }

    /// The packs that stand at a commit; none before the first one, or where it holds too many files.
    fn state_at(
        &mut self,
        repository: &SourceRepository,
        branch: &str,
        commit: Option<ObjectId>,
    ) -> Result<BranchState, ScanError> {
        let Some(commit) = commit else { return Ok(BranchState::default()) };
        let tree = match repository.tree(commit) {
            Ok(tree) => tree.with_limit(self.read_limit()),
            // A rewritten branch may have lost the commit; then nothing is known of what stood there.
            Err(git::GitError::MissingObject { .. }) => return Ok(BranchState::default()),
            Err(error) => return Err(error.into()),
        };
        let Some(files) = self.files_at(repository, branch, commit)? else {
            return Ok(BranchState::default());
        };
        let changed = |file: git::FileEntry| ChangedFile {
            path: file.path,
            now: Some((file.kind, file.id.to_string())),
        };
        let files: Vec<ChangedFile> = files.files.into_iter().map(changed).collect();
        Ok(BranchState::of_tree(&files, &tree, &self.selection))
    }

    /// Takes commits in, oldest first; gives the last one and the paths that they changed. Where it `may_pause`, it
    /// ends with its budget, after one commit at least.
    fn walk(
        &mut self,
        repository: &SourceRepository,
        branch: &str,
        commits: &[ObjectId],
        (state, may_pause): (&mut BranchState, bool),
    ) -> Result<(Option<ObjectId>, BTreeSet<String>), ScanError> {
        let first_head = self.first_head();
        // Without a record this is the first scan: everything stood there before it.
        let mut old = match &first_head {
            None => true,
            Some(first) => commits.iter().any(|commit| commit.to_string() == *first),
        };
        let (mut at, mut walked) = (None, BTreeSet::new());
        for commit in commits {
            if may_pause && at.is_some() && Instant::now() >= self.deadline {
                self.more = true;
                break;
            }
            at = Some(*commit);
            self.summary.commits += 1;
            let changes = match repository.changes(*commit) {
                Err(error @ git::GitError::TooManyFiles { .. }) => {
                    self.see_too_many(branch, *commit, &error);
                    continue;
                }
                changes => changes?,
            };
            self.step(repository, branch, *commit, &changes, (state, old))?;
            walked.extend(changes.changes.into_iter().map(|change| change.path));
            old &= first_head.as_deref() != Some(commit.to_string().as_str());
        }
        Ok((at, walked))
    }

    /// Takes in what changed at one commit; `old` says that it stood there before the first scan.
    pub(super) fn step(
        &mut self,
        repository: &SourceRepository,
        branch: &str,
        commit: ObjectId,
        changes: &git::Changes,
        (state, old): (&mut BranchState, bool),
    ) -> Result<(), ScanError> {
        let step = CommitStep {
            commit: commit.to_string(),
            at: self.time_of(repository, commit)?,
            branch: branch.to_owned(),
            changes: changes.changes.iter().map(changed_file).collect(),
        };
        self.unreadable |= !changes.unreadable.is_empty();
        if step.changes.is_empty() {
            return Ok(());
        }
        let tree = repository.tree(commit)?.with_limit(self.read_limit());
        let settings = step.changes.iter().filter(|change| is_settings_file(&change.path));
        self.state.clear_paths(&settings.map(|change| change.path.clone()).collect());
        if step.changes.iter().any(|change| change.path == FILE_NAME) {
            self.fold_root(&tree, &step.commit);
        }
        if step.changes.iter().any(|change| is_settings_file(&change.path)) {
            self.fold_lifted(&tree, step.at);
        }
        let sight = state.advance(&step, &tree, &self.selection);
        self.take_in(sight, &tree, old);
        Ok(())
    }
}

fn changed_file(change: &git::Change) -> ChangedFile {
    let now = change.new.as_ref().filter(|entry| entry.kind != EntryKind::Folder);
    ChangedFile { path: change.path.clone(), now: now.map(|entry| (entry.kind, entry.id.to_string())) }
}
