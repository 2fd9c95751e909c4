//! `packhouse diff OLD NEW`: the changes between two versions of a pack.

use clap::{Args, ValueEnum};
use registry::settings::FoundSettings;
use registry::{DiffReport, compare};
use rules::{Bump, Level, Profile};

use super::registry_client;
use crate::args::RegistryOptions;
use crate::complaint::Complaint;
use crate::configuration::{Conditions, settings_in};
use crate::excerpt::SourceText;
use crate::exit::Verdict;
use crate::input::{Here, Side, side};
use crate::output::{self, Item, OutputOptions, Run, Section, Shown, Texts};

mod external;

/// Show what changed between two versions of a pack, and which bump that needs
///
/// Each side is a file, REV:PATH in the repository that you stand in, or id@version of a registry. Exits with 0
/// whatever changed, unless `--fail-on` says otherwise. What `packhouse.toml` beside NEW says counts.
///
/// With `--git-external` it is an external diff driver of Git: `git config diff.packhouse.command
/// "packhouse diff --git-external"` and `*.pack.json diff=packhouse` in .gitattributes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  packhouse diff old.pack.json new.pack.json\n  \
    packhouse diff HEAD~1:packs/support.pack.json packs/support.pack.json --fail-on insufficient\n  \
    packhouse diff support@1.0.0 support@latest --registry http://127.0.0.1:7420")]
pub struct Arguments {
    /// The older version
    #[arg(required_unless_present = "git_external")]
    old: Option<String>,
    /// The newer version
    #[arg(required_unless_present = "git_external")]
    new: Option<String>,
    /// Exit with 1 from a required bump on (major, minor, patch), or when the newer version is too low (insufficient)
    #[arg(long, value_enum, value_name = "LIMIT", hide_possible_values = true)]
    fail_on: Option<FailOn>,
    /// How strictly changes are weighed: wire, contract, strict; otherwise what packhouse.toml says
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    profile: Option<Profile>,
    /// Take the arguments of an external diff driver of Git
    #[arg(long, conflicts_with = "fail_on")]
    git_external: bool,
    /// Further arguments of an external diff driver
    #[arg(hide = true, requires = "git_external")]
    more: Vec<String>,
    /// The registry.
    #[command(flatten)]
    registry: RegistryOptions,
    /// Formats and files.
    #[command(flatten)]
    output: OutputOptions,
}

/// What makes a diff fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A major bump is required
    Major,
    /// A minor bump at least is required
    Minor,
    /// A patch at least is required
    Patch,
    /// The newer version is lower than its changes require
    Insufficient,
}

/// Reads `--profile`.
///
/// # Errors
/// Names the profiles that there are.
pub fn profile(text: &str) -> Result<Profile, String> {
    text.parse().map_err(|_| format!("there is no such profile; there are {}", Profile::NAMES.join(", ")))
}

/// Runs the command.
///
/// # Errors
/// When a side cannot be found or is no pack.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let (Some(old), Some(new)) = (&arguments.old, &arguments.new) else {
        return external::run(arguments);
    };
    if arguments.git_external {
        return external::run(arguments);
    }
    let here = if old.contains(':') || new.contains(':') { Here::open()? } else { None };
    let old = side(old, here.as_ref(), &arguments.registry)?;
    let new = side(new, here.as_ref(), &arguments.registry)?;
    let report = match arguments.profile {
        None => by_registry(&old, &new, &arguments.registry)?,
        Some(_) => None,
    };
    let report = match report {
        Some(report) => report,
        None => compared(&old, &new, &settings(&new, arguments.profile)?)?,
    };
    let verdict = Verdict::of_findings(arguments.fail_on.is_some_and(|limit| fails(&report, limit)));
    output::write(&run_of(report, (&old, &new)), &arguments.output)?;
    Ok(verdict)
}

/// Two releases of one pack as their registry compares them: it knows what the source of the pack says.
fn by_registry(
    old: &Side<'_>,
    new: &Side<'_>,
    registry: &RegistryOptions,
) -> anyhow::Result<Option<DiffReport>> {
    let release = |side: &Side<'_>| {
        let (id, version) = side.shown.rsplit_once('@').filter(|_| side.of_registry)?;
        Some((id.to_owned(), version.to_owned()))
    };
    match release(old).zip(release(new)) {
        Some(((id, old), (other, new))) if id == other => {
            Ok(Some(registry_client(registry)?.compare(&id, &old, &new)?))
        }
        _ => Ok(None),
    }
}

fn compared(old: &Side<'_>, new: &Side<'_>, settings: &FoundSettings) -> anyhow::Result<DiffReport> {
    let conditions = Conditions::today(None);
    let under = conditions.settings(settings);
    let report = compare(old.input(), new.input(), under);
    let mut report =
        report.ok_or_else(|| Complaint::new(format!("{}: the two sides cannot be compared", new.shown)))?;
    if new.of_registry {
        let note = "judged by the defaults: what the source of the pack says did not come with it; the registry's own \
                    comparison takes it into account";
        report.notes.push(note.to_owned());
    }
    Ok(report)
}

/// The settings beside the newer side, with the profile that was asked for.
fn settings(new: &Side<'_>, profile: Option<Profile>) -> anyhow::Result<FoundSettings> {
    let mut found = settings_in(new.tree.as_ref(), &new.path, "")?;
    if let Some(profile) = profile {
        found.settings.changes.profile = profile;
    }
    Ok(found)
}

fn fails(report: &DiffReport, limit: FailOn) -> bool {
    match limit {
        FailOn::Major => report.required_bump >= Bump::Major,
        FailOn::Minor => report.required_bump >= Bump::Minor,
        FailOn::Patch => report.required_bump >= Bump::Patch,
        FailOn::Insufficient => !report.sufficient,
    }
}

fn run_of(report: DiffReport, (old, new): (&Side<'_>, &Side<'_>)) -> Run {
    let mut texts = Texts::default();
    for side in [old, new] {
        texts.insert(&side.shown, &side.path, SourceText::new(Some(&side.document), &side.bytes));
    }
    let (old, new) = ((old.shown.as_str(), Some(&old.document)), (new.shown.as_str(), Some(&new.document)));
    let item = |change| {
        let item = texts.change(change, &report.pack, old, new);
        Item { accepted_because: report.accepted.get(&item.fingerprint).cloned(), ..item }
    };
    let items = report.changes.iter().map(item).collect();
    Run {
        shown: Shown::Diff(Box::new(report)),
        files: vec![new.0.to_owned()],
        sections: vec![Section { items, ..Section::default() }],
        fail_on: Level::Error,
    }
}
