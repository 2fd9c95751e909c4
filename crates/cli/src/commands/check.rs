//! `packhouse check [PATH…] --against BASE`: the gate of a pull request.

use std::path::PathBuf;

use clap::Args;
use registry::report::CheckReport;
use rules::{Level, Profile};

use crate::args::RegistryOptions;
use crate::complaint;
use crate::exit::Verdict;
use crate::output::{self, Item, OutputOptions, Run, Section, Shown};

mod base;
pub mod examine;
mod idle;
mod judge;
mod pairing;
mod policy;
pub mod raised;
mod releases;
mod removed;
mod sides;
mod target;

use examine::{Examined, ExaminedPack, Request, examine};

/// Lint packs, compare them with a base, and judge their versions: the gate of a pull request
///
/// BASE is one of: `merge-base:REF` (where HEAD and a branch part), a revision or REV:PATH, `tag:GLOB` (the highest
/// version tag below each pack's version), `registry`, `registry:latest`, `registry:VERSION` (with `--registry`), a
/// file or folder, or `none`. Without `--against` it is the merge base with the branch that the CI says the change
/// goes to, else with the remote's default branch. On that branch itself, the last known release stands in.
///
/// A version is judged by the highest release below it that is neither yanked nor flagged; releases are found in the
/// history of the base as the registry would find them. Fails on findings of level error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  packhouse check packs/ --against merge-base:main\n  \
    packhouse check --against registry --registry https://packs.example.org\n  \
    packhouse check --format github --output sarif=packhouse.sarif")]
pub struct Arguments {
    /// Files and folders; none is the current folder
    paths: Vec<PathBuf>,
    /// What to compare with
    #[command(flatten)]
    against: AgainstOptions,
    /// Where settings and accepted findings come from: head, or base, so that a change cannot loosen its own gate
    #[arg(long, value_name = "SIDE", value_enum, default_value_t, hide_possible_values = true)]
    policy_from: PolicyFrom,
    /// Compare with every release of the pack's line, not only with the last one
    #[arg(long)]
    transitive: bool,
    /// Formats and files.
    #[command(flatten)]
    output: OutputOptions,
}

/// What to compare with; `check` and `bump` share it.
#[derive(Debug, Args)]
pub struct AgainstOptions {
    /// What to compare with; otherwise the merge base with the target branch
    #[arg(long, value_name = "BASE")]
    pub against: Option<String>,
    /// How strictly changes are weighed: wire, contract, strict; otherwise what packhouse.toml says
    #[arg(long, value_name = "PROFILE", value_parser = super::diff::profile)]
    pub profile: Option<Profile>,
    /// Fetch the base with Git where the clone lacks it
    #[arg(long)]
    pub fetch: bool,
    /// Pass over packs whose base cannot be read
    #[arg(long)]
    pub allow_broken_base: bool,
    /// The registry.
    #[command(flatten)]
    pub registry: RegistryOptions,
}

/// Where settings come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum PolicyFrom {
    /// The state that is checked
    #[default]
    Head,
    /// The state that it is compared with
    Base,
}

/// Runs the command.
///
/// # Errors
/// What kept the whole run from happening; a single file that cannot be read is only said.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let request = Request {
        paths: &arguments.paths,
        against: arguments.against.against.as_deref(),
        profile: arguments.against.profile,
        policy_from_base: arguments.policy_from == PolicyFrom::Base,
        transitive: arguments.transitive,
        fetch: arguments.against.fetch,
        allow_broken_base: arguments.against.allow_broken_base,
        raise_prompts: false,
        registry: &arguments.against.registry,
    };
    let examined = examine(&request).or_else(|error| without_base(&request, error))?;
    let complete = examined.complete;
    let run = run_of(examined);
    let passed = matches!(&run.shown, Shown::Check(report) if report.passed);
    output::write(&run, &arguments.output)?;
    let verdict = Verdict::of_findings(!passed);
    Ok(if complete { verdict } else { verdict.and(Verdict::Incomplete) })
}

/// What can be said of the packs although nothing can be compared: their own findings. The error is said first.
fn without_base(request: &Request<'_>, error: anyhow::Error) -> anyhow::Result<Examined> {
    let alone = Request { against: Some("none"), policy_from_base: false, ..*request };
    let Ok(mut examined) = examine(&alone) else { return Err(error) };
    complaint::print(&error);
    examined.complete = false;
    examined.against = format!("{} (not found)", request.against.unwrap_or("the default base"));
    examined.notes = vec![format!("nothing was compared: {error}")];
    examined.packs.iter_mut().for_each(|pack| pack.report.passed = false);
    Ok(examined)
}

fn run_of(examined: Examined) -> Run {
    let Examined { against, packs, findings, notes, complete, texts } = examined;
    let of_run: Vec<Item> = findings.iter().map(|finding| texts.finding(finding)).collect();
    let mut sections = vec![Section { items: of_run, ..Section::default() }];
    for (at, pack) in packs.iter().enumerate() {
        let ExaminedPack { report, head, base, base_shown, reasons, .. } = pack;
        let mut items: Vec<Item> = report.findings.iter().map(|finding| texts.finding(finding)).collect();
        let new = head.as_ref().and_then(|head| head.evaluated.document.as_ref());
        let old = base.as_ref().map(|base| base.document.as_ref());
        for change in report.diff.iter().flat_map(|diff| &diff.changes) {
            let mut item = texts.change(change, &report.pack, (base_shown, old), (&report.path, new));
            item.accepted_because = reasons.get(&item.fingerprint).cloned();
            items.push(item);
        }
        sections.push(Section { pack: Some(at), items, uncompared: pack.uncompared });
    }
    let is_error =
        |finding: &registry::report::FindingView| finding.level == Level::Error && !finding.acknowledged;
    let passed = complete && !findings.iter().any(is_error) && packs.iter().all(|pack| pack.report.passed);
    let files = packs.iter().map(|pack| pack.report.path.clone()).collect();
    let packs = packs.into_iter().map(|pack| pack.report).collect();
    let report = CheckReport { version: 1, against, passed, findings, packs, notes };
    Run { shown: Shown::Check(report), files, sections, fail_on: Level::Error }
}
