//! Branch mode: walks the first-parent line from the last scanned head.

use git::{EntryKind, ObjectId, RefSnapshot, SourceRepository};
use jiff::Timestamp;
use registry::discover::{BranchState, ChangedFile, CommitStep};
use registry::problem::{Problem, ProblemCode};

use super::{Memory, Run, ScanError, head_versions};

/// The most files of one commit that are looked at.
const MOST_FILES: usize = 500_000;

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
        let from = self.known_head(&name);
        let (mut at, mut state) = match memory.branch.take() {
            Some((commit, state)) if Some(commit) == from => (Some(commit), state),
            _ => (from, self.state_at(repository, from)?),
        };
        if at != Some(head) {
            let history = repository.history(from, head)?;
            self.state.settle(&[ProblemCode::BranchRewritten]);
            if history.rewritten {
                let message = format!("`{name}` no longer contains the commit that was scanned before");
                let problem = Problem::new(ProblemCode::BranchRewritten, message).at_reference(Some(&name));
                self.see(&problem.at_commit(head.to_string()));
                // What the new line holds is seen from its own first new commit on.
                state = self.state_before(repository, history.commits.first().copied())?;
            }
            self.walk(repository, &name, &history.commits, &mut state)?;
            at = Some(head);
        }
        self.state.head = at.map(|commit| commit.to_string());
        self.state.branch = Some(name);
        self.head_versions = Some(head_versions(&state));
        memory.branch = at.map(|commit| (commit, state));
        Ok(())
    }

    /// The branch to read and its head; none for an empty repository.
    fn target(&self, refs: &RefSnapshot) -> Result<Option<(String, ObjectId)>, ScanError> {
        let Some(branch) = &self.scanner.source.branch else {
            let name = refs.head.branch.clone().unwrap_or_else(|| "HEAD".to_owned());
            return Ok(refs.head.commit.map(|commit| (name, commit)));
        };
        match refs.branch(branch) {
            Some(found) => Ok(Some((branch.clone(), found.commit))),
            None if refs.branches.is_empty() => Ok(None),
            None => Err(ScanError::Settings(format!("the repository has no branch `{branch}`"))),
        }
    }

    /// The commit up to which this branch was scanned; another branch starts anew, and finds what it knows.
    fn known_head(&self, branch: &str) -> Option<ObjectId> {
        let same = self.state.branch.as_deref() == Some(branch);
        self.state.head.as_deref().filter(|_| same)?.parse().ok()
    }

    /// The packs that stand at a commit; none stand before the first one.
    fn state_at(
        &self,
        repository: &SourceRepository,
        commit: Option<ObjectId>,
    ) -> Result<BranchState, ScanError> {
        let Some(commit) = commit else { return Ok(BranchState::default()) };
        let tree = match repository.tree(commit) {
            Ok(tree) => tree.with_limit(self.read_limit()),
            // A rewritten branch may have lost the commit; then nothing is known of what stood there.
            Err(git::GitError::MissingObject { .. }) => return Ok(BranchState::default()),
            Err(error) => return Err(error.into()),
        };
        let files = tree.walk_files(MOST_FILES)?;
        let files: Vec<ChangedFile> = files
            .files
            .into_iter()
            .map(|file| ChangedFile { path: file.path, now: Some((file.kind, file.id.to_string())) })
            .collect();
        Ok(BranchState::of_tree(&files, &tree, &self.selection))
    }

    fn state_before(
        &self,
        repository: &SourceRepository,
        commit: Option<ObjectId>,
    ) -> Result<BranchState, ScanError> {
        let parent = match commit {
            Some(commit) => repository.first_parent(commit)?,
            None => None,
        };
        self.state_at(repository, parent)
    }

    fn walk(
        &mut self,
        repository: &SourceRepository,
        branch: &str,
        commits: &[ObjectId],
        state: &mut BranchState,
    ) -> Result<(), ScanError> {
        let first_head = self.first_head();
        // Without a record this is the first scan: everything stood there before it.
        let mut old = match &first_head {
            None => true,
            Some(first) => commits.iter().any(|commit| commit.to_string() == *first),
        };
        for commit in commits {
            let info = repository.commit(*commit)?;
            let changes = repository.changes(*commit)?;
            let step = CommitStep {
                commit: commit.to_string(),
                at: Timestamp::from_second(info.time).unwrap_or(self.now),
                branch: branch.to_owned(),
                changes: changes.changes.iter().map(changed_file).collect(),
            };
            self.summary.commits += 1;
            for name in changes.unreadable.iter().filter(|name| name.ends_with(".json")) {
                let message = "a file that may be a pack has a name that cannot be read";
                let problem = Problem::new(ProblemCode::UnreadableName, message).at_path(name.as_str());
                self.see(&problem.at_commit(step.commit.clone()).at_reference(Some(branch)));
            }
            if step.changes.is_empty() {
                continue;
            }
            let tree = repository.tree(*commit)?.with_limit(self.read_limit());
            let sight = state.advance(&step, &tree, &self.selection);
            self.take_in(sight, &tree, old);
            if first_head.as_deref() == Some(step.commit.as_str()) {
                old = false;
            }
        }
        Ok(())
    }
}

fn changed_file(change: &git::Change) -> ChangedFile {
    let now = change.new.as_ref().filter(|entry| entry.kind != EntryKind::Folder);
    ChangedFile { path: change.path.clone(), now: now.map(|entry| (entry.kind, entry.id.to_string())) }
}
