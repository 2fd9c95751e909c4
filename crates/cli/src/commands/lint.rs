//! `packhouse lint [PATH…]`: lints packs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pack::SpecVersion;
use registry::report::{FindingView, LintReport, count};
use rules::Level;

use crate::complaint::{self, Complaint};
use crate::configuration::Conditions;
use crate::exit::Verdict;
use crate::judging::{self, JudgedFile};
use crate::output::{self, OutputOptions, Run, Section, Shown, Texts};
use crate::packs;

mod allow;
mod explain_config;
mod fix;

/// Lint packs
///
/// A path is a file or a folder, which is walked; files that Git ignores and `node_modules` are passed over. A JSON
/// file counts as a pack when it is named, ends in `.pack.json`, or has three of `id`, `version`, `prompts` and
/// `template_engine`. Levels and accepted findings come from the nearest `packhouse.toml` above each pack.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  packhouse lint packs/\n  packhouse lint --format sarif support.pack.json\n  \
    packhouse lint --stdin-filename packs/support.pack.json - < draft.json"
)]
pub struct Arguments {
    /// Files and folders; `-` reads standard input; none is the current folder
    paths: Vec<PathBuf>,
    /// The name that standard input goes by, for its settings and the files around it
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// Apply the safe fixes
    #[arg(long)]
    fix: bool,
    /// Judge by this spec version instead of the one that `$schema` names
    #[arg(long, value_name = "VERSION", value_parser = judging::spec_version)]
    spec: Option<SpecVersion>,
    /// The level from which on a finding fails the run: error, warn, info
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", hide_possible_values = true)]
    fail_on: FailOn,
    /// Accept today's findings: add an `[[allow]]` entry for each to packhouse.toml
    #[arg(long, conflicts_with_all = ["fix", "explain_config"])]
    write_allow: bool,
    /// The reason that the new entries give; otherwise they name the day
    #[arg(long, value_name = "TEXT", requires = "write_allow")]
    reason: Option<String>,
    /// Say which level each lint has for the paths, and where that comes from; lints nothing
    #[arg(long, conflicts_with_all = ["fix", "write_allow"])]
    explain_config: bool,
    /// Formats and files.
    #[command(flatten)]
    output: OutputOptions,
}

/// A level that a run can fail on.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum FailOn {
    /// Certain defects
    #[default]
    Error,
    /// Probable defects too
    Warn,
    /// Everything
    Info,
}

impl FailOn {
    fn level(self) -> Level {
        match self {
            FailOn::Error => Level::Error,
            FailOn::Warn => Level::Warn,
            FailOn::Info => Level::Info,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// What kept the whole run from happening; single files that cannot be read are only said.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let conditions = Conditions::today(arguments.spec);
    if arguments.explain_config {
        return explain_config::run(&arguments.paths, &conditions);
    }
    let reads_stdin = arguments.paths.iter().any(|path| path.as_os_str() == "-");
    if arguments.stdin_filename.is_some() && !reads_stdin {
        return Err(Complaint::new("`--stdin-filename` names standard input, which is not read")
            .help("add the path `-`")
            .into());
    }
    if arguments.fix && reads_stdin {
        return Err(Complaint::new("`--fix` cannot write to standard input")
            .help("name the file instead")
            .into());
    }
    judging::warm_up();
    let found = packs::find(&arguments.paths, arguments.stdin_filename.as_deref())?;
    let (mut judged, configured) = judging::lint(found.packs, &conditions);
    let mut complete = found.complete && configured;
    if arguments.fix {
        complete &= fix::apply(&mut judged, &conditions);
    }
    if arguments.write_allow {
        allow::write(&judged, arguments.reason.as_deref(), &conditions)?;
        return Ok(if complete { Verdict::Pass } else { Verdict::Incomplete });
    }
    let run = report(&judged, &found.folders, &conditions, arguments.fail_on.level());
    if !judged.is_empty() || complete {
        output::write(&run, &arguments.output)?;
    }
    let fails = run.counting().any(|item| item.level >= run.fail_on);
    let verdict = Verdict::of_findings(fails);
    // The process ends here, and with it all its memory: to give it back pack by pack would only take time.
    std::mem::forget((run, judged));
    Ok(if complete { verdict } else { verdict.and(Verdict::Incomplete) })
}

fn report(
    judged: &[JudgedFile],
    folders: &[(std::sync::Arc<crate::worktree::WorkTree>, String)],
    conditions: &Conditions,
    fail_on: Level,
) -> Run {
    let mut texts = Texts::default();
    let mut findings: Vec<FindingView> = judged.iter().flat_map(JudgedFile::findings).collect();
    findings.extend(judging::duplicates(judged, conditions));
    let quoted: BTreeSet<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
    let quoted = judged.iter().filter(|file| quoted.contains(file.file.shown.as_str()));
    quoted.for_each(|file| file.add_text(&mut texts));
    findings.extend(judging::settings_entries(judged, folders, &BTreeMap::new(), conditions, &mut texts));
    // The sort is stable: the findings of one file keep their order, which is by place.
    findings.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
    let items = findings.iter().map(|finding| texts.finding(finding)).collect();
    let report = LintReport { version: 1, files: judged.len(), summary: count(&findings), findings };
    let files = judged.iter().map(|file| file.file.shown.clone()).collect();
    Run {
        shown: Shown::Lint(report),
        files,
        sections: vec![Section { items, ..Section::default() }],
        fail_on,
    }
}

/// Says on standard error what was done.
fn say(message: &str) {
    complaint::say(message);
}
