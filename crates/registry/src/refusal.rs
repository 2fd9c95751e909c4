//! Refusals: what was pushed and not published, told once for each thing that stands there.
//!
//! They are no facts of the ledger and have numbers of their own, which a rebuild of derived state begins anew.

use std::collections::BTreeSet;

use jiff::Timestamp;
use pack::Digest;
use rules::Level;
use serde::{Deserialize, Serialize};

use crate::problem::{ProblemCode, ProblemState};

/// The most bytes of a message that are told.
const LONGEST_MESSAGE: usize = 2000;

/// One refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// When it was found.
    pub at: Timestamp,
    /// The source that shows it.
    pub source: String,
    /// The code of its problem.
    pub code: ProblemCode,
    /// The pack's id, where one is known.
    pub pack: Option<String>,
    /// The pack's version, where one is known.
    pub version: Option<String>,
    /// The path of the file from the root of the repository.
    pub path: Option<String>,
    /// The branch or tag that shows it.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The commit that shows it.
    pub commit: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// What stands refused in a source: marks that tell one refusal from another.
pub type Standing = BTreeSet<String>;

/// What stands refused among the problems of a source, and the refusals among it that are not in `told`.
///
/// A problem of the source as a whole refuses nothing, and one that is no error only warns.
pub fn refusals(
    source: &str,
    problems: &[ProblemState],
    told: &Standing,
    now: Timestamp,
) -> (Standing, Vec<Refusal>) {
    let refuses = |problem: &&ProblemState| {
        problem.current
            && problem.level == Level::Error
            && (problem.path.is_some() || problem.reference.is_some())
    };
    let (mut standing, mut news) = (Standing::new(), Vec::new());
    for problem in problems.iter().filter(refuses) {
        let mark = mark(problem);
        if !told.contains(&mark) {
            news.push(refusal(source, problem, now));
        }
        standing.insert(mark);
    }
    (standing, news)
}

/// The same file in another commit is another refusal: somebody tried again.
fn mark(problem: &ProblemState) -> String {
    let parts = [&problem.pack, &problem.version, &problem.path, &problem.reference, &problem.commit];
    let parts = parts.map(|part| part.as_deref().unwrap_or_default().as_bytes());
    let own = [problem.code.as_str().as_bytes(), problem.message.as_bytes()];
    Digest::of_parts(own.into_iter().chain(parts)).hex()[..16].to_owned()
}

fn refusal(source: &str, problem: &ProblemState, now: Timestamp) -> Refusal {
    let end = problem.message.floor_char_boundary(LONGEST_MESSAGE);
    Refusal {
        at: now,
        source: source.to_owned(),
        code: problem.code,
        pack: problem.pack.clone(),
        version: problem.version.clone(),
        path: problem.path.clone(),
        reference: problem.reference.clone(),
        commit: problem.commit.clone(),
        message: problem.message[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    fn state(code: ProblemCode, commit: &str, path: Option<&str>) -> ProblemState {
        let mut problem = Problem::new(code, "wrong").at_commit(commit);
        problem.path = path.map(str::to_owned);
        ProblemState::begin(&problem, Timestamp::UNIX_EPOCH)
    }

    /// How many refusals are news, and what stands afterwards.
    fn news(problems: &[ProblemState], told: &Standing) -> (usize, Standing) {
        let (standing, news) = refusals("packs", problems, told, Timestamp::UNIX_EPOCH);
        (news.len(), standing)
    }

    #[test]
    fn a_refusal_is_told_once_and_again_when_somebody_tried_again() {
        let first = [state(ProblemCode::InvalidPack, "a", Some("p.json"))];
        let (count, standing) = news(&first, &Standing::new());
        assert_eq!(count, 1);
        assert_eq!(news(&first, &standing), (0, standing.clone()));
        let again = [state(ProblemCode::InvalidPack, "b", Some("p.json"))];
        assert_eq!(news(&again, &standing).0, 1);
        let mut over = first.clone();
        over[0].current = false;
        assert_eq!(news(&over, &standing), (0, Standing::new()));
        assert_eq!(news(&first, &Standing::new()).0, 1, "what comes back is told again");
    }

    #[test]
    fn warnings_and_sources_that_cannot_be_read_refuse_nothing() {
        let problems = [
            state(ProblemCode::Unreachable, "a", None),
            state(ProblemCode::VersionDecreased, "a", Some("p.json")),
        ];
        assert_eq!(news(&problems, &Standing::new()), (0, Standing::new()));
    }

    #[test]
    fn a_long_message_is_cut_between_letters() {
        let mut problem = state(ProblemCode::InvalidPack, "a", Some("p.json"));
        problem.message = "ä".repeat(LONGEST_MESSAGE);
        problem.message.insert(0, 'x');
        let (_, told) = refusals("packs", &[problem], &Standing::new(), Timestamp::UNIX_EPOCH);
        assert_eq!(told[0].message.len(), LONGEST_MESSAGE - 1);
    }
}
