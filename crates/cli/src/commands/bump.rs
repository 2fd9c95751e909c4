//! `packhouse bump [PATH…] --against BASE`: the version that the changes require.

use std::path::{Path, PathBuf};

use clap::Args;
use pack::Node;
use rules::Bump;
use semver::Version;
use serde_json::json;

use super::check::AgainstOptions;
use super::check::examine::{ExaminedPack, Request, examine};
use crate::args::DataFormat;
use crate::complaint::{self, Complaint};
use crate::exit::Verdict;
use crate::files::replace;
use crate::output::{print, printable};

/// Print the versions that changes require, or write them into the packs
///
/// Compares as `packhouse check` does, and names for every changed pack whose version is too low the lowest one that
/// will do; under a prerelease that is a prerelease, such as 2.0.0-rc.2 after 2.0.0-rc.1. `--write` changes nothing in
/// a file but that number. Exits with 1 where a version cannot be read.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse bump packs/ --against merge-base:main --write")]
pub struct Arguments {
    /// Files and folders; none is the current folder
    paths: Vec<PathBuf>,
    /// What to compare with
    #[command(flatten)]
    against: AgainstOptions,
    /// Write the versions into the files
    #[arg(long)]
    write: bool,
    /// How to print them: text, json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", hide_possible_values = true)]
    format: DataFormat,
}

/// The version of one pack and the one that it needs.
struct Needed {
    pack: String,
    path: String,
    old: String,
    new: String,
    bump: Bump,
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
        registry: &arguments.against.registry,
    })?;
    examined.notes.iter().for_each(|note| complaint::say(&format!("note: {note}")));
    let (mut all, mut unreadable) = (Vec::new(), false);
    for pack in &examined.packs {
        if let Some(complaint) = unreadable_version(pack) {
            complaint::print(&complaint.into());
            unreadable = true;
        }
        let Some(needed) = needed(pack) else { continue };
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
    let entry = |needed: &Needed| {
        json!({
            "pack": needed.pack, "path": needed.path, "old": needed.old, "new": needed.new, "bump": needed.bump,
            "written": written,
        })
    };
    json!({ "version": 1, "packs": all.iter().map(entry).collect::<Vec<_>>() })
}

/// A pack whose version nobody can compare, or whose base has such a version: which it needs cannot be said.
fn unreadable_version(pack: &ExaminedPack) -> Option<Complaint> {
    let head = pack.head.as_ref()?;
    let path = &pack.report.path;
    if head.evaluated.version.is_some() {
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
    let line = |needed: &Needed| {
        let Needed { pack, path, old, new, bump } = needed;
        printable(&format!("{pack} {old} -> {new}  ({bump}, {path})")).into_owned() + "\n"
    };
    all.iter().map(line).collect()
}

/// The version that a pack needs; none where its own will do.
fn needed(pack: &ExaminedPack) -> Option<Needed> {
    let head = pack.head.as_ref()?;
    let has =
        |rule: &str| pack.report.findings.iter().any(|finding| finding.rule == rule && !finding.acknowledged);
    let old = head.evaluated.version_text.clone()?;
    const TOO_LOW: [&str; 5] = [
        "version-not-bumped",
        "version-bump-too-small",
        "version-build-only",
        "version-reused",
        "version-decreased",
    ];
    if !TOO_LOW.into_iter().any(has) {
        return None;
    }
    let new = pack.enough.clone()?;
    let new = written_like(&old, &new);
    Some(Needed {
        pack: pack.report.pack.clone(),
        path: pack.report.path.clone(),
        old,
        new,
        bump: pack.required,
    })
}

/// A version with a leading `v` where the pack writes one.
fn written_like(old: &str, new: &Version) -> String {
    if old.starts_with('v') { format!("v{new}") } else { new.to_string() }
}

/// Replaces the number in the text of the pack, and nothing else.
fn write(pack: &ExaminedPack, needed: &Needed) -> anyhow::Result<()> {
    let Some(head) = &pack.head else { return Ok(()) };
    let node = head.evaluated.document.as_ref().and_then(|document| document.root().get("version"));
    let Some(span) = node.map(Node::span) else { return Ok(()) };
    let bytes = &head.file.bytes;
    let mut text = bytes.get(..span.range().start).unwrap_or_default().to_vec();
    text.extend_from_slice(json!(needed.new).to_string().as_bytes());
    text.extend_from_slice(bytes.get(span.range().end..).unwrap_or_default());
    replace(Path::new(&head.file.shown), &text)
}
