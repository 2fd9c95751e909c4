//! The exit status: the same three for every command (contract section 1).

use std::io;
use std::process::ExitCode;

use crate::args::ExitOptions;
use crate::complaint;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// 0: everything was done, and nothing fails.
    Pass,
    /// 1: findings at or above the fail level, an insufficient bump, or something was not found.
    Findings,
    /// 2: the job could not be done completely. What is wrong was already said.
    Incomplete,
}

impl Verdict {
    /// `Findings` where something was found.
    pub fn of_findings(found: bool) -> Verdict {
        if found { Verdict::Findings } else { Verdict::Pass }
    }

    /// The worse of two.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        self.max(other)
    }
}

/// Says what went wrong, and gives the exit code of the process.
pub fn code(outcome: anyhow::Result<Verdict>, options: &ExitOptions) -> ExitCode {
    let verdict = outcome.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            // Whoever read the output has seen enough; the rest of the verdict is unknown.
            return Verdict::Incomplete;
        }
        complaint::print(&error);
        if complaint::is_not_found(&error) { Verdict::Findings } else { Verdict::Incomplete }
    });
    match verdict {
        Verdict::Pass => ExitCode::SUCCESS,
        Verdict::Findings if options.exit_zero => ExitCode::SUCCESS,
        Verdict::Findings => ExitCode::from(options.findings_exit_code.unwrap_or(1)),
        Verdict::Incomplete => ExitCode::from(2),
    }
}

/// Whether nobody reads the output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
