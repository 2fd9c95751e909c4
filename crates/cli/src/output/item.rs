//! Findings and changes in the one shape that every format is made from.

use std::collections::BTreeMap;

use pack::{Document, Pointer, Position};
use registry::acceptance::allow_entry;
use registry::gate::find_gate_rule;
use registry::report::{CheckReport, CheckStatus, CheckedPack, DiffReport, FindingView, LintReport};
use rules::Level;

use super::{NOT_EVERYTHING, printable};
use crate::excerpt::{Excerpt, SourceText};

/// Everything that a run of `lint`, `diff` or `check` has to show.
#[derive(Debug)]
pub struct Run {
    /// The report, as the JSON format writes it.
    pub shown: Shown,
    /// The files that were judged, as they were named.
    pub files: Vec<String>,
    /// Findings and changes in the order in which they are shown.
    pub sections: Vec<Section>,
    /// The level from which on a finding fails the run.
    pub fail_on: Level,
}

/// The report of a command.
#[derive(Debug)]
pub enum Shown {
    /// Of `lint`.
    Lint(LintReport),
    /// Of `diff`.
    Diff(Box<DiffReport>),
    /// Of `check`.
    Check(CheckReport),
}

/// What belongs to one pack, or to the run itself.
#[derive(Debug, Default)]
pub struct Section {
    /// The position of the pack in a check; none for a run without packs and for the run's own findings.
    pub pack: Option<usize>,
    /// Findings first, then changes.
    pub items: Vec<Item>,
    /// Whether the pack was compared with nothing although it may have an older version.
    pub uncompared: bool,
}

/// One finding or change.
#[derive(Debug, Clone)]
pub struct Item {
    /// The id of the rule.
    pub rule: String,
    /// How serious it is.
    pub level: Level,
    /// What is wrong, or what changed.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it stands.
    pub spot: Spot,
    /// The pack's id; empty where it is unknown.
    pub pack: String,
    /// The pointer with names instead of positions.
    pub place: String,
    /// What identifies it.
    pub fingerprint: String,
    /// Whether an `[[allow]]` entry accepts it.
    pub acknowledged: bool,
    /// Why the entry accepts it, where that is known.
    pub accepted_because: Option<String>,
    /// What only a change has.
    pub change: Option<Box<Change>>,
}

/// What only a change has.
#[derive(Debug, Clone)]
pub struct Change {
    /// The change itself.
    pub report: rules::Change,
    /// Where the older version has it.
    pub old: Option<Spot>,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The path as it was named.
    pub path: String,
    /// The path from the root of the repository, for services that know only that.
    pub uri: String,
    /// Where it starts.
    pub start: Position,
    /// The position after its last character.
    pub end: Position,
    /// The line, where the text is at hand.
    pub excerpt: Option<Excerpt>,
}

/// The texts of one run by shown path, each with its path from the root of the repository.
#[derive(Debug, Default)]
pub struct Texts {
    texts: BTreeMap<String, (String, SourceText)>,
}

impl Run {
    /// Everything that is shown, in order.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.sections.iter().flat_map(|section| &section.items)
    }

    /// Whether a check fails without anything that fails it: not everything could be checked.
    pub fn is_incomplete(&self) -> bool {
        let Shown::Check(report) = &self.shown else { return false };
        !report.passed && !self.counting().any(|item| item.level == Level::Error)
    }

    /// What an incomplete run says in formats that are read without the rest.
    pub fn incomplete(&self) -> Option<String> {
        let why =
            || self.notes().iter().fold(NOT_EVERYTHING.to_owned(), |text, note| format!("{text}; {note}"));
        self.is_incomplete().then(why)
    }

    /// Remarks on the run.
    pub fn notes(&self) -> &[String] {
        match &self.shown {
            Shown::Check(report) => &report.notes,
            _ => &[],
        }
    }

    /// What counts: everything that is not acknowledged.
    pub fn counting(&self) -> impl Iterator<Item = &Item> {
        self.items().filter(|item| !item.acknowledged)
    }
}

impl Section {
    /// How the pack stands, in a word.
    pub fn status(&self, pack: &CheckedPack) -> &'static str {
        match pack.status {
            CheckStatus::New if self.uncompared => "not compared",
            CheckStatus::New => "new",
            CheckStatus::Changed => "changed",
            CheckStatus::Unchanged => "unchanged",
            CheckStatus::Removed => "removed",
        }
    }

    /// Whether it holds a change, accepted or not.
    pub fn has_changes(&self) -> bool {
        self.items.iter().any(|item| item.change.is_some())
    }
}

impl Texts {
    /// Adds a text.
    pub fn insert(&mut self, shown: &str, uri: &str, text: SourceText) {
        self.texts.insert(shown.to_owned(), (uri.to_owned(), text));
    }

    /// The text at a shown path.
    pub fn get(&self, shown: &str) -> Option<&SourceText> {
        self.texts.get(shown).map(|(_, text)| text)
    }

    fn spot(&self, path: &str, start: Position, end: Position) -> Spot {
        let known = self.texts.get(path);
        Spot {
            path: path.to_owned(),
            uri: known.map_or_else(|| path.to_owned(), |(uri, _)| uri.clone()),
            start,
            end,
            excerpt: known.map(|(_, text)| text.excerpt(start, end)),
        }
    }

    /// The item of a finding.
    pub fn finding(&self, finding: &FindingView) -> Item {
        let start = Position { line: finding.line, column: finding.column };
        let end = Position { line: finding.end_line, column: finding.end_column };
        Item {
            rule: finding.rule.clone(),
            level: finding.level,
            message: finding.message.clone(),
            help: finding.help.clone(),
            spot: self.spot(&finding.path, start, end),
            pack: finding.pack.clone(),
            place: finding.place.clone(),
            fingerprint: finding.fingerprint.clone(),
            acknowledged: finding.acknowledged,
            accepted_because: None,
            change: None,
        }
    }

    /// The item of a change between the files at two shown paths.
    pub fn change(
        &self,
        change: &rules::Change,
        pack: &str,
        old: (&str, Option<&Document>),
        new: (&str, Option<&Document>),
    ) -> Item {
        let at = |(path, document): (&str, Option<&Document>), pointer: &Pointer, start: Position| {
            let text = self.get(path);
            let end = document
                .zip(text)
                .and_then(|(document, text)| Some((document.at(pointer)?, text)))
                .filter(|(node, text)| text.position(node.span().start) == start)
                .map_or(start, |(node, text)| text.position(node.span().end));
            self.spot(path, start, end)
        };
        let side = |side: &rules::change::Side| Position { line: side.line, column: side.column };
        let spot = match &change.new {
            Some(new_side) => at(new, &new_side.pointer, side(new_side)),
            None => at(new, &change.anchor, change.anchor_position),
        };
        // What counts since an earlier release has its old side there, in a text that is not at hand.
        let in_base = change.old.as_ref().filter(|_| change.since.is_none());
        let old_spot = in_base.map(|old_side| at(old, &old_side.pointer, side(old_side)));
        Item {
            rule: change.rule.clone(),
            level: change.level,
            message: change.message.clone(),
            help: None,
            spot,
            pack: pack.to_owned(),
            place: change.place.clone(),
            fingerprint: change.fingerprint.clone(),
            acknowledged: change.acknowledged,
            accepted_because: None,
            change: Some(Box::new(Change { report: change.clone(), old: old_spot })),
        }
    }
}

impl Change {
    /// An input that shows the difference, and what becomes of it on either side: `variables {}: old: ok; new: …`.
    pub fn proof(&self) -> Option<String> {
        let witness = self.report.witness.as_ref()?;
        let (input, old, new) = (witness.shown_input(), &witness.old_result, &witness.new_result);
        Some(format!("{} {input}: old: {old}; new: {new}", witness.kind))
    }
}

impl Item {
    /// The change rule or lint as it documents itself: why it matters and how to repair it.
    pub fn documentation(&self) -> (&'static str, &'static str, &'static str) {
        let lint = rules::find_lint(&self.rule).map(|lint| (lint.summary, lint.why, lint.fix));
        let change = || rules::find_change(&self.rule).map(|rule| (rule.summary, rule.why, rule.fix));
        let gate = || find_gate_rule(&self.rule).map(|rule| (rule.summary, rule.why, rule.fix));
        lint.or_else(change).or_else(gate).unwrap_or_default()
    }

    /// The message, and for a change the bump that it requires.
    pub fn told(&self) -> String {
        match &self.change {
            Some(change) => format!("{} ({})", self.message, change.report.bump),
            None => self.message.clone(),
        }
    }

    /// `path:line:col: level[rule] message`, whatever path and message hold.
    pub fn line(&self) -> String {
        let told = self.told();
        let (path, message) = (printable(&self.spot.path), printable(&told));
        let Position { line, column } = self.spot.start;
        format!("{path}:{line}:{column}: {}[{}] {message}", self.level, self.rule)
    }

    /// What the message of a finding or change is followed by: what to do, or the proof.
    pub fn remark(&self) -> Option<String> {
        self.help.clone().or_else(|| Some(format!("proof: {}", self.change.as_ref()?.proof()?)))
    }

    /// Everything that is said below the message, each on a line of its own with a line break before it: what to do
    /// about a finding; the proof of a change, why it matters and what to do.
    pub fn remarks(&self) -> String {
        let (_, why, fix) = self.documentation();
        let documented = self.change.iter().flat_map(|_| [("why", why), ("fix", fix)]);
        let documented = documented.filter(|(_, text)| !text.is_empty());
        let lines = self.remark().into_iter().chain(documented.map(|(name, text)| format!("{name}: {text}")));
        lines.map(|line| format!("\n{}", printable(&line))).collect()
    }

    /// The `[[allow]]` entry that accepts it.
    pub fn allow_entry(&self) -> String {
        allow_entry(&self.rule, &self.fingerprint, &self.pack)
    }
}

/// The id of a pack for people.
pub fn id_shown(id: &str) -> &str {
    if id.is_empty() { "(no id)" } else { id }
}

/// The version of a pack for people.
pub fn version_shown(version: &str) -> &str {
    if version.is_empty() { "(no version)" } else { version }
}
