//! Markdown that can be posted as a comment on a pull request: what breaks, for whom, the proof, what to do, how to
//! accept it.

use registry::acceptance::Acceptance;
use registry::report::{CheckReport, CheckStatus, CheckedPack, DiffReport};
use registry::topic::missing_topic;
use rules::{Bump, Level};

use super::acceptance::{self, helps};
use super::{
    Change, Item, NOT_EVERYTHING, Run, Section, Shown, below_topics, counted, id_shown, printable, remarks,
    version_shown,
};
use crate::commands::word;

/// How much of a comment services take; findings beyond that are counted only.
const MOST_ITEMS: usize = 50;

/// Renders a run.
pub fn render(run: &Run) -> String {
    match &run.shown {
        Shown::Lint(report) => {
            let title = format!("### packhouse: {}\n\n", counted(report.files, "pack"));
            title + &findings(&run.counting().collect::<Vec<_>>())
        }
        Shown::Diff(report) => diff(report, &run.sections),
        Shown::Check(report) => check(report, run),
    }
}

fn check(report: &CheckReport, run: &Run) -> String {
    let verdict = if report.passed { "✅ packhouse check passed" } else { "❌ packhouse check failed" };
    let mut text = format!(
        "### {verdict}\n\n{} against {}\n\n",
        counted(report.packs.len(), "pack"),
        code(&report.against)
    );
    if run.is_incomplete() {
        text.push_str(&format!("{NOT_EVERYTHING}\n\n"));
    }
    text.push_str(&overview(report, run));
    for section in &run.sections {
        let pack = section.pack.and_then(|at| report.packs.get(at));
        text.push_str(&of_section(section, pack));
    }
    for note in &report.notes {
        text.push_str(&format!("> {}\n", escaped(note)));
    }
    text
}

/// A row for every pack that is not unchanged and clean.
fn overview(report: &CheckReport, run: &Run) -> String {
    let of_pack = |section: &Section| {
        let pack = report.packs.get(section.pack?)?;
        let is_shown = pack.status != CheckStatus::Unchanged || !pack.passed;
        is_shown.then(|| row(pack, section.status(pack)))
    };
    let rows: Vec<String> = run.sections.iter().filter_map(of_pack).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("| | pack | status | version | needed |\n|-|-|-|-|-|\n{}\n", rows.concat())
}

fn row(pack: &CheckedPack, status: &str) -> String {
    let mark = if pack.passed { "✅" } else { "❌" };
    let version = match &pack.diff {
        Some(diff) if pack.status == CheckStatus::Changed => {
            format!("{} → {}", version_shown(&diff.old.version), version_shown(&diff.new.version))
        }
        Some(diff) => version_shown(&diff.old.version).to_owned(),
        None => String::new(),
    };
    let needed = match &pack.baseline {
        Some(base) => format!("{} since {}", base.required_bump, base.version),
        None => String::new(),
    };
    format!(
        "| {mark} | {} | {} | {} | {} |\n",
        in_cell(&code(id_shown(&pack.pack))),
        status,
        cell(&version),
        cell(&needed)
    )
}

fn of_section(section: &Section, pack: Option<&CheckedPack>) -> String {
    let shown: Vec<&Item> =
        section.items.iter().filter(|item| item.change.is_none() && !item.acknowledged).collect();
    let changes: Vec<(&Item, &Change)> =
        section.items.iter().filter_map(|item| Some((item, item.change.as_deref()?))).collect();
    if shown.is_empty() && changes.is_empty() {
        return String::new();
    }
    let title = pack.map_or("the run".to_owned(), |pack| {
        format!("{} ({})", code(id_shown(&pack.pack)), escaped(&pack.path))
    });
    let mut text = format!("#### {title}\n\n");
    if !shown.is_empty() {
        text.push_str(&findings(&shown));
    }
    text.push_str(&of_changes(&changes, &acceptance::of_pack(section, pack)));
    text
}

fn diff(report: &DiffReport, sections: &[Section]) -> String {
    let changes: Vec<(&Item, &Change)> = sections
        .iter()
        .flat_map(|section| &section.items)
        .filter_map(|item| Some((item, item.change.as_deref()?)))
        .collect();
    let word = if report.sufficient { "sufficient" } else { "**insufficient**" };
    format!(
        "### {} {} → {}\n\nrequired {}, declared {}: {word}\n\n{}",
        code(id_shown(&report.pack)),
        escaped(version_shown(&report.old.version)),
        escaped(version_shown(&report.new.version)),
        report.required_bump,
        report.declared_bump,
        of_changes(&changes, &Acceptance::of_diff(report))
    )
}

/// What breaks in full, the rest in a list that can be folded out.
fn of_changes(changes: &[(&Item, &Change)], acceptance: &Acceptance) -> String {
    let is_large = |item: &Item, change: &Change| {
        !item.acknowledged && (change.report.bump == Bump::Major || item.level > Level::Info)
    };
    let mut text = String::new();
    let (large, rest): (Vec<(&Item, &Change)>, Vec<_>) =
        changes.iter().copied().partition(|(item, change)| is_large(item, change));
    for (item, change) in large.iter().take(MOST_ITEMS) {
        text.push_str(&large_change(item, change, acceptance));
    }
    let beyond = large.len().saturating_sub(MOST_ITEMS);
    if beyond > 0 {
        text.push_str(&format!("{} left out here.\n\n", counted(beyond, "more such change")));
    }
    match (large.is_empty(), rest.len()) {
        (_, 0) => {}
        // What is all there is to say needs no click.
        (true, 1..=MOST_ITEMS) => text.push_str(&small_changes(rest)),
        (_, count) => {
            let title = counted(count, if large.is_empty() { "change" } else { "other change" });
            let list = small_changes(rest);
            text.push_str(&format!("<details><summary>{title}</summary>\n\n{list}</details>\n\n"));
        }
    }
    text
}

fn small_changes(changes: Vec<(&Item, &Change)>) -> String {
    let heading = |topic: &str| format!("**{}**\n\n", escaped(topic));
    below_topics(changes, heading, |item, change, _| {
        let (guard, accepted) = remarks(item, change);
        let (bump, message) = (change.report.bump, escaped(&item.message));
        format!("- {bump}: {message}{guard} ({}){}\n", code(&item.rule), escaped(&accepted))
    })
}

fn large_change(item: &Item, change: &Change, acceptance: &Acceptance) -> String {
    let report = &change.report;
    let who: Vec<String> = report.affected.iter().map(word).collect();
    let (_, why, fix) = item.documentation();
    let spot = match (&report.new, &change.old) {
        (None, Some(old)) => old,
        _ => &item.spot,
    };
    let mut place = code(&format!("{}:{}", spot.path, spot.start.line));
    if let Some(topic) = missing_topic(report) {
        place.push_str(&format!(", {}", escaped(&topic)));
    }
    let mut text = format!(
        "**{}** {} ({})\n\n- where: {place}\n- for whom: {} ({})\n",
        report.bump,
        escaped(&item.message),
        code(&item.rule),
        who.join(", "),
        word(&report.certainty),
    );
    if let Some(witness) = &report.witness {
        text.push_str(&format!(
            "- proof: {} {}: before {}, now {}\n",
            escaped(&witness.kind),
            code(&witness.shown_input()),
            escaped(&witness.old_result),
            escaped(&witness.new_result)
        ));
    }
    for (name, words) in [("why", why), ("what to do", fix)] {
        if !words.is_empty() {
            text.push_str(&format!("- {name}: {}\n", escaped(words)));
        }
    }
    if helps(acceptance, item) {
        let entry = item.allow_entry();
        let besides = if acceptance.needs_patch { ", and raise the version by a patch" } else { "" };
        text.push_str(&format!(
            "\n<details><summary>accept it in packhouse.toml{besides}</summary>\n\n```toml\n{entry}```\n\n</details>\n"
        ));
    }
    text + "\n"
}

fn findings(items: &[&Item]) -> String {
    if items.is_empty() {
        return "no findings\n\n".to_owned();
    }
    let mut text = "| level | where | finding |\n|-|-|-|\n".to_owned();
    for item in items.iter().take(MOST_ITEMS) {
        let spot = &item.spot;
        let place = in_cell(&code(&format!("{}:{}:{}", spot.path, spot.start.line, spot.start.column)));
        let help = item.help.as_ref().map(|help| format!("<br>{}", cell(help))).unwrap_or_default();
        let (message, rule) = (cell(&item.message), code(&item.rule));
        text.push_str(&format!("| {} | {place} | {message} ({rule}){help} |\n", item.level));
    }
    let beyond = items.len().saturating_sub(MOST_ITEMS);
    if beyond > 0 {
        text.push_str(&format!("\n{beyond} more findings are left out here.\n"));
    }
    text + "\n"
}

/// Text in which nothing is markup, code in backticks excepted: messages quote names with them.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let text = printable(text);
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            // Two backticks side by side would open a longer piece of code.
            escaped.push_str(&if part.is_empty() { "\\`\\`".to_owned() } else { code(part) });
            continue;
        }
        for word in part.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            if becomes_link(bare) {
                escaped.push_str(&code(bare));
                escaped.push_str(&word[bare.len()..]);
            } else {
                escape_into(&mut escaped, word);
            }
        }
    }
    escaped
}

fn escape_into(escaped: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '\\' | '*' | '_' | '[' | ']' | '#' | '>' | '~' | '@' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
    }
}

/// Whether hosts turn a word into a link or call somebody by it, which no backslash prevents everywhere.
fn becomes_link(word: &str) -> bool {
    let calls = |(before, after): (&str, &str)| {
        !before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)
    };
    word.contains("://") || word.contains("www.") || word.split_once('@').is_some_and(calls)
}

fn cell(text: &str) -> String {
    in_cell(&escaped(text))
}

/// Markdown as a cell of a table takes it; anywhere else, a bar in code would show its backslash.
fn in_cell(markdown: &str) -> String {
    markdown.replace('|', "\\|")
}

fn code(text: &str) -> String {
    let text = printable(text);
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
