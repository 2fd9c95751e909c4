//! Candidates of a scan: judged one by one, so that the trouble of one stays its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pack::tree::Tree;
use registry::candidate::{Candidate, Outcome, Terms};
use registry::discover::Sight;
use registry::judge;
use registry::problem::{Problem, ProblemCode, ProblemState};
use registry::settings::{FoundSettings, HistoryPolicy, find_settings};
use store::with_causes;

use super::Run;
use super::packages::Mapped;

impl Run<'_> {
    /// Takes in what a commit or tag brought.
    pub(super) fn take_in(&mut self, sight: Sight, tree: &dyn Tree, gentle: bool) {
        self.state.clear_paths(&sight.touched);
        if let Some(tag) = &sight.tag {
            self.state.clear_tag(tag);
        }
        for problem in &sight.problems {
            self.see(problem);
        }
        for candidate in &sight.candidates {
            self.judge(candidate, tree, gentle);
        }
    }

    pub(super) fn see(&mut self, problem: &Problem) {
        let is_told = |told: &ProblemState| told.is_of(problem) && told.message == problem.message;
        if !self.told.iter().any(is_told) {
            tracing::warn!(
                source.name = %self.scanner.source.name,
                problem.code = %problem.code,
                path = problem.path.as_deref().unwrap_or_default(),
                ref_name = problem.reference.as_deref().unwrap_or_default(),
                pack.id = problem.pack.as_deref().unwrap_or_default(),
                release.version = problem.version.as_deref().unwrap_or_default(),
                "{}", problem.message
            );
        }
        self.state.see(problem, self.now);
    }

    /// Sees what every pack of a commit meets: it is one problem.
    pub(super) fn see_once(&mut self, problem: &Problem) {
        let mut current = self.state.problems.iter().filter(|state| state.current);
        if !current.any(|state| state.is_of(problem) && state.commit == problem.commit) {
            self.see(problem);
        }
    }

    fn judge(&mut self, candidate: &Candidate, tree: &dyn Tree, gentle: bool) {
        self.summary.candidates += 1;
        let about = |code, message: String| {
            let problem = Problem::new(code, message).at_path(&candidate.path).at_commit(&candidate.commit);
            problem.at_reference(candidate.tag.as_deref())
        };
        let found = match find_settings(tree, &candidate.path) {
            Ok(found) => found,
            Err((path, error)) => {
                let problem =
                    Problem::new(ProblemCode::InvalidConfiguration, error.to_string()).at_path(path);
                let problem = problem.at_commit(&candidate.commit).at_reference(candidate.tag.as_deref());
                return self.see_once(&problem);
            }
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.outcome(candidate, tree, &found, gentle)));
        match outcome {
            Ok((Outcome::Publish(release), _)) => match unkept_path(&release) {
                None => self.archive.add(*release),
                Some(why) => self.see(&about(ProblemCode::InvalidPack, why)),
            },
            Ok((Outcome::Known { .. }, _)) => {}
            Ok((Outcome::Refused(problem), asked)) => {
                self.refused += 1;
                self.await_packages(problem.code, asked);
                let problem = self.renamed_to_tag_moved(candidate, problem);
                self.see(&problem);
            }
            Err(_) => self.see(&about(ProblemCode::Internal, "judging the pack failed".to_owned())),
        }
    }

    fn outcome(
        &self,
        candidate: &Candidate,
        tree: &dyn Tree,
        found: &FoundSettings,
        gentle: bool,
    ) -> (Outcome, Vec<String>) {
        let settings = registry::Settings {
            repository: &found.settings,
            base: &found.base,
            policy: &self.scanner.settings.policy,
            today: jiff::tz::Offset::UTC.to_datetime(candidate.committed_at).date(),
            spec: None,
        };
        // Packages count in the root settings of the commit.
        let root = match found.base.as_str() {
            "" => None,
            _ => Some(find_settings(tree, "").unwrap_or_default()),
        };
        let packages = Mapped {
            neighbours: &self.neighbours,
            packages: &root.as_ref().unwrap_or(found).settings.skill_packages,
            asked: RefCell::default(),
        };
        let terms = Terms {
            source: &self.scanner.source.name,
            ids: &self.scanner.source.ids,
            settings,
            limits: self.scanner.settings.limits,
            gentle: gentle && self.scanner.source.history == HistoryPolicy::PublishFlagged,
            packages: &packages,
        };
        let outcome = judge(candidate, tree, &self.archive, terms);
        (outcome, packages.asked.into_inner())
    }

    /// Other content under a version whose release came from this very tag: the tag was moved.
    fn renamed_to_tag_moved(&self, candidate: &Candidate, mut problem: Problem) -> Problem {
        let (ProblemCode::VersionReused, Some(tag)) = (problem.code, &candidate.tag) else { return problem };
        if self.state.tags.contains_key(tag) {
            problem.code = ProblemCode::TagMoved;
            problem.message = format!("the tag `{tag}` was moved: {}", problem.message);
        }
        problem
    }
}

/// Why a file of a release has a path that the ledger cannot hold; none where all can be held.
fn unkept_path(release: &registry::NewRelease) -> Option<String> {
    let folder = release.release.folder();
    let paths = release.files.keys().map(|path| format!("{folder}/{path}"));
    let refused = |path: String| git::Ledger::check_path(&path).err().map(|error| with_causes(&error));
    paths.into_iter().find_map(refused)
}
