//! Code frames for people, as compilers print them.

use annotate_snippets::{AnnotationKind, Element, Group, Level as Label, Origin, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use registry::acceptance::Acceptance;
use registry::report::{CheckStatus, CheckedPack, DiffReport};
use registry::topic::missing_topic;
use rules::{Bump, Level};

use crate::commands::word;

use super::acceptance::{self, helps};
use super::{
    Change, Item, NOT_EVERYTHING, Run, Section, Shown, Spot, below_topics, counted, id_shown, printable,
    remarks, version_shown,
};

const BOLD: Style = Style::new().bold();
const GREEN: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const RED: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// Renders a run.
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    match &run.shown {
        Shown::Lint(report) => {
            for item in run.counting() {
                text.push_str(&finding(item));
                text.push('\n');
            }
            let accepted = run.items().filter(|item| item.acknowledged).count();
            let packs = counted(report.files, "pack");
            let summary = report.summary;
            text.push_str(&totals(&packs, counts([summary.error, summary.warn, summary.info]), accepted));
        }
        Shown::Diff(report) => {
            text.push_str(&heading(report));
            for section in &run.sections {
                text.push_str(&changes(section));
            }
            text.push_str(&verdict(report));
            text.push('\n');
            let acceptance = Acceptance::of_diff(report);
            let acceptances = run.sections.iter().map(|section| (&acceptance, section));
            text.push_str(&how_to_accept(&acceptances.collect::<Vec<_>>()));
            text.push_str(&notes(&report.notes));
        }
        Shown::Check(report) => {
            for section in &run.sections {
                let pack = section.pack.and_then(|at| report.packs.get(at));
                text.push_str(&checked(section, pack));
            }
            let pack = |section: &Section| section.pack.and_then(|at| report.packs.get(at));
            let of_section = |section| (acceptance::of_pack(section, pack(section)), section);
            let acceptances: Vec<(Acceptance, &Section)> = run.sections.iter().map(of_section).collect();
            let acceptances = acceptances.iter().map(|(acceptance, section)| (acceptance, *section));
            text.push_str(&how_to_accept(&acceptances.collect::<Vec<_>>()));
            text.push_str(&notes(&report.notes));
            text.push_str(&check_summary(report, run));
        }
    }
    text
}

fn checked(section: &Section, pack: Option<&CheckedPack>) -> String {
    let mut text = String::new();
    let counting = section.items.iter().filter(|item| !item.acknowledged).count();
    if let Some(pack) = pack.filter(|pack| !pack.passed || counting > 0 || section.has_changes()) {
        text.push_str(&pack_heading(pack, section.status(pack)));
    }
    for item in section.items.iter().filter(|item| item.change.is_none() && !item.acknowledged) {
        text.push_str(&finding(item));
        text.push('\n');
    }
    text.push_str(&changes(section));
    text
}

fn pack_heading(pack: &CheckedPack, status: &str) -> String {
    let versions = match &pack.diff {
        Some(diff) if pack.status == CheckStatus::Changed => {
            format!(" {} → {}", version_shown(&diff.old.version), version_shown(&diff.new.version))
        }
        Some(diff) => format!(" {}", version_shown(&diff.old.version)),
        None => String::new(),
    };
    let (style, verdict) = if pack.passed { (GREEN, "passes") } else { (RED, "fails") };
    let id = printable(id_shown(&pack.pack));
    let (versions, path) = (printable(&versions), printable(&pack.path));
    format!("{BOLD}{id}{versions}{BOLD:#} ({path}): {status}, {style}{verdict}{style:#}\n\n")
}

fn check_summary(report: &registry::CheckReport, run: &Run) -> String {
    let status = |section: &Section| Some(section.status(report.packs.get(section.pack?)?));
    let statuses: Vec<&str> = run.sections.iter().filter_map(status).collect();
    let count = |word: &str| statuses.iter().filter(|status| **status == word).count();
    let parts: Vec<String> = ["not compared", "new", "changed", "unchanged", "removed"]
        .into_iter()
        .filter(|word| count(word) > 0)
        .map(|word| format!("{} {word}", count(word)))
        .collect();
    let packs = format!("{} against {}", counted(report.packs.len(), "pack"), printable(&report.against));
    let packs = if parts.is_empty() { packs } else { format!("{packs} ({})", parts.join(", ")) };
    let of = |level| run.counting().filter(|item| item.change.is_none() && item.level == level).count();
    let accepted = run.items().filter(|item| item.acknowledged).count();
    let (style, verdict) = if report.passed { (GREEN, "passed") } else { (RED, "failed") };
    let levels = [of(Level::Error), of(Level::Warn), of(Level::Info)];
    let failing = run.counting().filter(|item| item.change.is_some() && item.level == Level::Error).count();
    let mut parts = counts(levels);
    if failing > 0 {
        parts.push(counted(failing, "failing change"));
    }
    if run.is_incomplete() {
        parts.push(NOT_EVERYTHING.to_owned());
    }
    format!("{style}{verdict}{style:#}: {}", totals(&packs, parts, accepted))
}

/// `3 packs: 1 error, 2 warnings`
fn totals(packs: &str, mut parts: Vec<String>, accepted: usize) -> String {
    if parts.is_empty() {
        parts.push("no findings".to_owned());
    }
    if accepted > 0 {
        parts.push(format!("{accepted} accepted"));
    }
    format!("{packs}: {}\n", parts.join(", "))
}

/// `1 error`, `2 warnings`; nothing of a level without findings.
fn counts([error, warn, info]: [usize; 3]) -> Vec<String> {
    let counts = [(error, "error"), (warn, "warning"), (info, "info")];
    counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| counted(count, word)).collect()
}

fn finding(item: &Item) -> String {
    let label = match item.level {
        Level::Error => Label::ERROR,
        Level::Warn => Label::WARNING.with_name("warn"),
        Level::Info | Level::Off => Label::INFO,
    };
    let mut elements = frame(&item.spot);
    elements.extend(item.help.as_ref().map(|help| Label::HELP.message(printable(help)).into()));
    report(label, item, elements)
}

fn report<'a>(label: Label<'a>, item: &'a Item, elements: Vec<Element<'a>>) -> String {
    let title = label.primary_title(printable(&item.message)).id(item.rule.as_str());
    let group = Group::with_title(title).elements(elements);
    let text = Renderer::styled().render(&[group]);
    // The place is given apart from the snippet, since a cut line would give a wrong column; the renderer then
    // announces the snippet with a line of its own, which says nothing.
    let is_announcement = |line: &&str| anstream::adapter::strip_str(line).to_string().trim() == ":::";
    text.lines().filter(|line| !is_announcement(line)).map(|line| format!("{line}\n")).collect()
}

fn frame(spot: &Spot) -> Vec<Element<'_>> {
    let line = spot.start.line as usize;
    let origin = Origin::path(printable(&spot.path)).line(line).char_column(spot.start.column as usize);
    let mut elements: Vec<Element<'_>> = vec![origin.into()];
    if let Some(excerpt) = &spot.excerpt {
        let annotation = AnnotationKind::Primary.span(excerpt.marked.clone());
        elements.push(Snippet::source(excerpt.text.as_str()).line_start(line).annotation(annotation).into());
    }
    elements
}

fn heading(diff: &DiffReport) -> String {
    let DiffReport { pack, old, new, profile, .. } = diff;
    let shown = [id_shown(pack), version_shown(&old.version), version_shown(&new.version)];
    let [pack, old, new] = shown.map(printable);
    format!("{BOLD}{pack} {old} → {new}{BOLD:#} (profile {profile})\n\n")
}

/// What breaks with a frame each, then the rest as lists.
fn changes(section: &Section) -> String {
    let mut text = String::new();
    let mut rest: Vec<(&Item, &Change)> = Vec::new();
    for item in &section.items {
        let Some(change) = &item.change else { continue };
        let is_large = change.report.bump == Bump::Major || item.level > Level::Info;
        if is_large && !item.acknowledged {
            text.push_str(&large_change(item, change));
            text.push('\n');
        } else {
            rest.push((item, change));
        }
    }
    text + &small_changes(rest)
}

fn small_changes(changes: Vec<(&Item, &Change)>) -> String {
    let heading = |topic: &str| format!("{BOLD}{}{BOLD:#}\n", printable(topic));
    below_topics(changes, heading, |item, change, is_below| {
        let (guard, accepted) = remarks(item, change);
        let (indent, bump) = (if is_below { "  " } else { "" }, change.report.bump.as_str());
        format!(
            "{indent}{bump:<5}  {}{guard}  [{}]{}\n",
            printable(&item.message),
            item.rule,
            printable(&accepted)
        )
    })
}

fn large_change(item: &Item, change: &Change) -> String {
    let report_of = &change.report;
    let label = match item.level {
        Level::Error => Label::ERROR,
        Level::Warn => Label::WARNING,
        Level::Info | Level::Off => Label::INFO,
    };
    let spot = match (&report_of.new, &change.old) {
        (None, Some(old)) => old,
        _ => &item.spot,
    };
    let mut elements = frame(spot);
    let mut lines = Vec::new();
    lines.extend(missing_topic(report_of).map(|topic| ("in", topic)));
    lines.push(("affects", affected(report_of)));
    lines.extend(change.proof().map(|proof| ("proof", proof)));
    let (_, why, fix) = item.documentation();
    for (name, text) in [("why", why), ("fix", fix)] {
        if !text.is_empty() {
            lines.push((name, text.to_owned()));
        }
    }
    elements.extend(lines.into_iter().map(note));
    report(label.with_name(report_of.bump.as_str()), item, elements)
}

fn note<'a>((name, text): (&'static str, String)) -> Element<'a> {
    Label::NOTE.with_name(name).message(printable(&text).into_owned()).into()
}

/// `caller, runtime (proven)`
fn affected(change: &rules::Change) -> String {
    let names: Vec<String> = change.affected.iter().map(word).collect();
    let certainty = word(&change.certainty);
    let reason = change.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let guard = if change.safety { "; a guard gets weaker" } else { "" };
    format!("{} ({certainty}{reason}){guard}", names.join(", "))
}

fn verdict(diff: &DiffReport) -> String {
    if diff.changes.is_empty() {
        let verdict =
            if diff.sufficient { "no changes" } else { "no changes, and a version that is too low" };
        return format!("{verdict}\n");
    }
    let suggested = match diff.suggested_bump > diff.required_bump {
        true => format!(" ({} suggested)", diff.suggested_bump),
        false => String::new(),
    };
    let (style, word) = if diff.sufficient { (GREEN, "sufficient") } else { (RED, "insufficient") };
    format!(
        "{}: required {}{suggested}, declared {}: {style}{word}{style:#}\n",
        counted(diff.changes.len(), "change"),
        diff.required_bump,
        diff.declared_bump
    )
}

/// The entries that accept what fails, ready to be pasted, where that helps.
fn how_to_accept(sections: &[(&Acceptance, &Section)]) -> String {
    const WAYS: [(bool, bool, &str); 3] = [
        (false, false, "to accept what fails, add to packhouse.toml"),
        (
            true,
            false,
            "instead of raising the version, you can accept what asks for more: add to packhouse.toml",
        ),
        (
            true,
            true,
            "instead of raising the version so far, you can accept what asks for more and raise it by a patch: add \
             to packhouse.toml",
        ),
    ];
    let mut text = String::new();
    for (fails, needs_patch, heading) in WAYS {
        let is_this =
            |acceptance: &Acceptance| (acceptance.fails, acceptance.needs_patch) == (fails, needs_patch);
        let sections = sections.iter().filter(|(acceptance, _)| is_this(acceptance));
        let helped = sections.flat_map(|(acceptance, section)| {
            section.items.iter().filter(|item| helps(acceptance, item)).map(Item::allow_entry)
        });
        let entries: Vec<String> = helped.collect();
        if !entries.is_empty() {
            text.push_str(&format!("{heading}:\n\n{}\n", entries.join("\n")));
        }
    }
    text
}

fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {}\n", printable(note))).collect()
}
