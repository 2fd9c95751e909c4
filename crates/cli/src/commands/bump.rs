//! `packhouse bump [PATH…] --against BASE`: the version that the changes require.

use std::path::{Path, PathBuf};

use clap::Args;
use registry::report::FindingView;
use rules::Bump;
use semver::Version;
use serde_json::json;

use super::check::AgainstOptions;
use super::check::examine::{ExaminedPack, Request, examine};
use super::check::raised::{Raise, version_node, with_versions, written_like};
use crate::args::DataFormat;
use crate::complaint::{self, Complaint};
use crate::exit::Verdict;
use crate::files::replace;
use crate::output::{print, printable};

/// Print the versions that changes require, or write them into the packs
///
/// Compares as `packhouse check` does, and names for every changed pack whose version is too low the lowest one that
/// will do; under a prerelease that is a prerelease, such as 2.0.0-rc.2 after 2.0.0-rc.1. `--prompts` does the same for
/// the versions of the prompts. `--write` changes nothing in a file but these numbers. Exits with 1 where a version
/// cannot be read.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse bump packs/ --against merge-base:main --write")]
pub struct Arguments {
    /// Files and folders; none is the current folder
    paths: Vec<PathBuf>,
    /// What to compare with
    #[command(flatten)]
    against: AgainstOptions,
    /// Raise the versions of the prompts that changed too
    #[arg(long)]
    prompts: bool,
    /// Write the versions into the files
    #[arg(long)]
    write: bool,
    /// How to print them: text, json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: DataFormat,
}

/// The version of one pack and the one that it needs, which is the same where only prompts need others.
struct Needed {
    pack: String,
    path: String,
    old: String,
    new: String,
    bump: Bump,
    prompts: Vec<NeededByPrompt>,
}

/// The version of one prompt and the one that it needs.
struct NeededByPrompt {
    prompt: String,
    old: String,
    new: String,
}

/// Runs the command.
///
/// # Errors
/// What kept the whole run from happening; a single file that cannot be read is only said.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let examined = examine(&Request {
        paths: &arguments.paths,
        against: arguments.against.against.as_deref(),
        profile: arguments.against.profile,
        policy_from_base: false,
        transitive: false,
        fetch: arguments.against.fetch,
        allow_broken_base: arguments.against.allow_broken_base,
        raise_prompts: arguments.prompts,
        registry: &arguments.against.registry,
    })?;
    examined.notes.iter().for_each(|note| complaint::say(&format!("note: {note}")));
    let (mut all, mut unreadable) = (Vec::new(), false);
    for pack in &examined.packs {
        if let Some(complaint) = hopeless_version(pack) {
            complaint::print(&complaint.into());
            unreadable = true;
            continue;
        }
        let Some(needed) = needed(pack, arguments.prompts) else { continue };
        if arguments.write {
            write(pack, &needed)?;
        }
        all.push(needed);
    }
    match arguments.format {
        DataFormat::Json => print(&(serde_json::to_string_pretty(&document(&all, arguments.write))? + "\n"))?,
        DataFormat::Text => print(&list(&all, unreadable || !examined.complete))?,
    }
    let verdict = Verdict::of_findings(unreadable);
    Ok(if examined.complete { verdict } else { verdict.and(Verdict::Incomplete) })
}

fn document(all: &[Needed], written: bool) -> serde_json::Value {
    let of_prompt = |of: &NeededByPrompt| json!({ "prompt": of.prompt, "old": of.old, "new": of.new });
    let entry = |needed: &Needed| {
        json!({
            "pack": needed.pack, "path": needed.path, "old": needed.old, "new": needed.new, "bump": needed.bump,
            "prompts": needed.prompts.iter().map(of_prompt).collect::<Vec<_>>(), "written": written,
        })
    };
    json!({ "version": 1, "packs": all.iter().map(entry).collect::<Vec<_>>() })
}

/// A pack whose version nobody can compare or raise, or whose base has such a version: which it needs cannot be said.
fn hopeless_version(pack: &ExaminedPack) -> Option<Complaint> {
    let head = pack.head.as_ref()?;
    let path = &pack.report.path;
    if let Some(version) = &head.evaluated.version {
        if is_too_low(pack)
            && pack.enough.as_ref().is_none_or(|enough| enough.cmp_precedence(version).is_le())
        {
            return Some(
                Complaint::new(format!("{path}: {version} is too low, and no version above it is left"))
                    .help(
                        "write a lower one that was never published, or accept the changes with `[[allow]]`",
                    ),
            );
        }
        let mut findings = pack.report.findings.iter();
        let of_base =
            findings.find(|finding| finding.rule == "version-unreadable" && !finding.acknowledged)?;
        let complaint = Complaint::new(format!("{path}: {}", of_base.message));
        return Some(of_base.help.iter().fold(complaint, |complaint, help| complaint.help(help)));
    }
    Some(match &head.evaluated.version_text {
        Some(text) => Complaint::new(format!("{path}: the version `{text}` is not semantic"))
            .help("write it as MAJOR.MINOR.PATCH"),
        None => Complaint::new(format!("{path}: there is no version that could be raised"))
            .help("`packhouse lint` shows what is wrong with the pack"),
    })
}

fn list(all: &[Needed], incomplete: bool) -> String {
    if all.is_empty() && incomplete {
        return String::new();
    }
    if all.is_empty() {
        return "every version is high enough\n".to_owned();
    }
    all.iter().flat_map(lines).map(|line| printable(&line).into_owned() + "\n").collect()
}

/// `support 1.0.0 -> 1.1.0  (minor, packs/support.pack.json)`, and a line for each prompt.
fn lines(needed: &Needed) -> Vec<String> {
    let Needed { pack, path, old, new, bump, prompts } = needed;
    let own = (old != new).then(|| format!("{pack} {old} -> {new}  ({bump}, {path})"));
    let of_prompt = |of: &NeededByPrompt| {
        let NeededByPrompt { prompt, old, new } = of;
        format!("{pack}, prompt {prompt} {old} -> {new}  ({path})")
    };
    own.into_iter().chain(prompts.iter().map(of_prompt)).collect()
}

/// The versions that a pack and, where they are asked for, its prompts need; none where their own will do.
fn needed(pack: &ExaminedPack, with_prompts: bool) -> Option<Needed> {
    let old = pack.head.as_ref()?.evaluated.version_text.clone()?;
    let own = own_version(pack).map(|new| written_like(&old, new));
    let prompts = if with_prompts { of_prompts(pack) } else { Vec::new() };
    if own.is_none() && prompts.is_empty() {
        return None;
    }
    Some(Needed {
        pack: pack.report.pack.clone(),
        path: pack.report.path.clone(),
        new: own.unwrap_or_else(|| old.clone()),
        old,
        bump: pack.required,
        prompts,
    })
}

/// The version that the pack itself needs; none where its own will do.
fn own_version(pack: &ExaminedPack) -> Option<&Version> {
    is_too_low(pack).then_some(pack.enough.as_ref())?
}

fn is_too_low(pack: &ExaminedPack) -> bool {
    const TOO_LOW: [&str; 5] = [
        "version-not-bumped",
        "version-bump-too-small",
        "version-build-only",
        "version-reused",
        "version-decreased",
    ];
    let is_too_low =
        |finding: &FindingView| TOO_LOW.contains(&finding.rule.as_str()) && !finding.acknowledged;
    pack.report.findings.iter().any(is_too_low)
}

fn of_prompts(pack: &ExaminedPack) -> Vec<NeededByPrompt> {
    let Some(document) = pack.head.as_ref().and_then(|head| head.evaluated.document.as_ref()) else {
        return Vec::new();
    };
    let needed = pack.prompts.iter().filter_map(|verdict| {
        let old = version_node(document, Some(&verdict.prompt))?.as_str()?.to_owned();
        let new = written_like(&old, verdict.enough.as_ref()?);
        Some(NeededByPrompt { prompt: verdict.prompt.clone(), old, new })
    });
    needed.collect()
}

/// Replaces the numbers in the text of the pack, and nothing else.
fn write(pack: &ExaminedPack, needed: &Needed) -> anyhow::Result<()> {
    let Some(head) = &pack.head else { return Ok(()) };
    let Some(document) = &head.evaluated.document else { return Ok(()) };
    let of_prompts = needed.prompts.iter().map(|of| (Some(of.prompt.as_str()), of.new.clone()));
    let raises: Vec<Raise<'_>> = std::iter::once((None, needed.new.clone())).chain(of_prompts).collect();
    replace(Path::new(&head.file.shown), &with_versions(&head.file.bytes, document, &raises))
}
