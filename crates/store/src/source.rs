//! What is remembered of a source between scans. All of it can be rebuilt by scanning again.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use registry::problem::{Problem, ProblemState};
use registry::refusal::Standing;
use serde::{Deserialize, Serialize};

/// The state of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceState {
    /// The commit up to which the branch is scanned.
    pub head: Option<String>,
    /// The branch that was scanned.
    pub branch: Option<String>,
    /// Tags that were judged: name to the object that they named.
    pub tags: BTreeMap<String, String>,
    /// Sources whose packages could not be used, and how they stood then: when they move, the packs are judged again.
    pub awaits: BTreeMap<String, String>,
    /// A digest of the rules and settings that judged what stands at the heads.
    pub judged_by: String,
    /// When a scan last began.
    pub last_attempt: Option<Timestamp>,
    /// When a scan last ended well.
    pub last_success: Option<Timestamp>,
    /// Why the last scan failed; none when it did not.
    pub error: Option<String>,
    /// What the last scan that found something new did.
    pub last_scan: Option<ScanSummary>,
    /// Everything seen and not published, or published with reservations.
    pub problems: Vec<ProblemState>,
    /// What stood refused when webhooks were last told; none where that is not known, as after a rebuild.
    pub told: Option<Standing>,
}

/// What one scan did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScanSummary {
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u64,
    /// How many commits (or tags) it walked.
    pub commits: usize,
    /// How many candidates it judged.
    pub candidates: usize,
    /// How many releases it published.
    pub published: usize,
}

/// The most problems that are remembered for one source; the oldest ones that are not current go first.
const MOST_PROBLEMS: usize = 2000;

impl SourceState {
    /// Takes back that the problems of these files are current.
    pub fn clear_paths(&mut self, paths: &BTreeSet<String>) {
        self.retract(|problem| problem.path.as_ref().is_some_and(|path| paths.contains(path)));
    }

    /// Takes back that the problems of any file are current: nothing is known any more of what stood there.
    pub fn clear_all_paths(&mut self) {
        self.retract(|problem| problem.path.is_some());
    }

    /// Takes back that the problems of a tag are current.
    pub fn clear_tag(&mut self, tag: &str) {
        self.retract(|problem| problem.reference.as_deref() == Some(tag));
    }

    /// Takes back that the problems that `concerns` picks are current.
    pub fn retract(&mut self, concerns: impl Fn(&ProblemState) -> bool) {
        for problem in self.problems.iter_mut().filter(|problem| concerns(problem)) {
            problem.current = false;
        }
    }

    /// Notes a problem: a new state, or one that was seen once more.
    pub fn see(&mut self, problem: &Problem, now: Timestamp) {
        match self.problems.iter_mut().find(|state| state.is_of(problem)) {
            Some(state) => state.see(problem, now),
            None => {
                let mut state = ProblemState::begin(problem, now);
                state.see(problem, now);
                self.problems.push(state);
                self.forget_oldest();
            }
        }
    }

    /// Takes back that problems with these codes are current.
    pub fn settle(&mut self, codes: &[registry::ProblemCode]) {
        self.retract(|problem| codes.contains(&problem.code));
    }

    fn forget_oldest(&mut self) {
        while self.problems.len() > MOST_PROBLEMS {
            let past = self.problems.iter().enumerate().filter(|(_, problem)| !problem.current);
            let oldest = past.min_by_key(|(_, problem)| problem.last).map_or(0, |(at, _)| at);
            self.problems.remove(oldest);
        }
    }
}
