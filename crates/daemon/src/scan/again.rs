//! What is judged again although its source did not move: packs that wait for a package of another source, and
//! everything that stands at the heads after the rules or the settings changed.

use std::collections::BTreeSet;

use git::{Change, Changes, ObjectId, SourceRepository};
use pack::Digest;
use registry::discover::BranchState;
use registry::problem::ProblemCode;
use registry::settings::SourceSettings;
use store::SourceState;

use super::packages::Neighbours;
use super::{Run, ScanError, Scanner};

/// What a scan judges again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Nothing: only what moved.
    Nothing,
    /// What was refused for a package whose source has moved since.
    Waiting,
    /// Whatever stands at the head or at a tag.
    Everything,
}

/// Problems that another source can solve.
const WAITING: [ProblemCode; 2] = [ProblemCode::UnresolvedSkill, ProblemCode::SkillSourceRestricted];

/// Puts a source back to where nothing of it was walked. The names of the tags stay: one that was moved is known as
/// such.
pub(super) fn begin_anew(state: &mut SourceState) {
    state.head = None;
    forget_objects(state);
}

fn forget_objects(state: &mut SourceState) {
    state.tags.values_mut().for_each(String::clear);
}

impl Scanner<'_> {
    pub(super) fn again(&self, state: &SourceState, neighbours: &Neighbours<'_>) -> Again {
        if self.anew {
            return Again::Everything;
        }
        let was_scanned = state.head.is_some() || !state.tags.is_empty();
        if was_scanned && state.judged_by != self.judged_by() {
            return Again::Everything;
        }
        if neighbours.have_moved(&state.awaits) { Again::Waiting } else { Again::Nothing }
    }

    /// Tells apart the rules and settings by which candidates are found and judged.
    pub(super) fn judged_by(&self) -> String {
        let source = SourceSettings { poll_ms: 0, ..self.source.clone() };
        let settings = format!("{:?} {:?} {source:?}", self.settings.policy, self.settings.limits);
        Digest::of_parts([registry::judge::rule_set().as_bytes(), settings.as_bytes()]).hex()[..16].to_owned()
    }
}

impl Run<'_> {
    /// Notes by what this scan judges; what waits says so again when it is judged.
    pub(super) fn begin_again(&mut self) {
        self.state.judged_by = self.scanner.judged_by();
        if self.again != Again::Nothing {
            self.state.awaits.clear();
        }
    }

    /// Notes the sources that a refused candidate waits for.
    pub(super) fn await_packages(&mut self, code: ProblemCode, asked: Vec<String>) {
        if !WAITING.contains(&code) {
            return;
        }
        for source in asked {
            let stands = self.neighbours.fingerprint(&source);
            self.state.awaits.insert(source, stands);
        }
    }

    fn is_waiting(&self, problem: &registry::ProblemState) -> bool {
        problem.current && (self.again == Again::Everything || WAITING.contains(&problem.code))
    }

    /// Judges the packs at the head of the branch that have to be judged again.
    pub(super) fn branch_again(
        &mut self,
        repository: &SourceRepository,
        name: &str,
        head: ObjectId,
        state: &mut BranchState,
    ) -> Result<(), ScanError> {
        let waiting = self.state.problems.iter().filter(|problem| self.is_waiting(problem));
        let mut paths: BTreeSet<String> = waiting.filter_map(|problem| problem.path.clone()).collect();
        match self.again {
            Again::Nothing => return Ok(()),
            Again::Waiting => {}
            Again::Everything => {
                let files = self.files_at(repository, name, head)?.unwrap_or_default();
                paths.extend(files.files.into_iter().map(|file| file.path));
            }
        }
        let tree = repository.tree(head)?;
        let change = |path: String| {
            let new = tree.entry(&path)?;
            Ok(Change { path, old: None, new })
        };
        let changes: Result<Vec<Change>, git::GitError> = paths.into_iter().map(change).collect();
        let changes = Changes { changes: changes?, unreadable: Vec::new() };
        self.step(repository, name, head, &changes, (state, false))
    }

    /// Forgets the tags that have to be judged again, so that they are news.
    pub(super) fn forget_tags(&mut self) {
        if self.again == Again::Everything {
            return forget_objects(&mut self.state);
        }
        let waiting = self.state.problems.iter().filter(|problem| self.is_waiting(problem));
        let tags: Vec<String> = waiting.filter_map(|problem| problem.reference.clone()).collect();
        if self.again == Again::Waiting {
            self.state.tags.retain(|tag, _| !tags.contains(tag));
        }
    }
}
