//! What a lint is, and what it finds.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use pack::json::{Document, Problem};
use pack::model::Pack;
use pack::span::splice;
use pack::template::Placeholder;
use pack::{Digest, LineIndex, Node, Pointer, Position, Span};
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::place::{Places, place};

/// How serious a finding is. `Off` is no level of a finding: such a lint runs only when a configuration says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Does not run.
    Off,
    /// Worth knowing.
    Info,
    /// Probably a defect.
    Warn,
    /// A certain defect: such a version is not published unless the operator says so.
    Error,
}

impl Level {
    /// All levels, as configurations write them.
    pub const NAMES: [&str; 4] = ["off", "info", "warn", "error"];

    /// The level as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is no level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoLevel;

impl FromStr for Level {
    type Err = NoLevel;

    fn from_str(text: &str) -> Result<Level, NoLevel> {
        match text {
            "off" => Ok(Level::Off),
            "info" => Ok(Level::Info),
            "warn" => Ok(Level::Warn),
            "error" => Ok(Level::Error),
            _ => Err(NoLevel),
        }
    }
}

/// The group of a lint; configurations can set a whole group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// The shape breaks the JSON Schema of the declared spec version.
    Schema,
    /// A reference or value that cannot work.
    Correctness,
    /// Works in some runtimes only.
    Portability,
    /// Hygiene.
    Style,
    /// A risk.
    Security,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 5] =
        [Group::Schema, Group::Correctness, Group::Portability, Group::Style, Group::Security];

    /// The group as configurations write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Schema => "schema",
            Group::Correctness => "correctness",
            Group::Portability => "portability",
            Group::Style => "style",
            Group::Security => "security",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One lint: what it says of itself, and the function that looks.
#[derive(Debug)]
pub struct Lint {
    /// Its permanent kebab-case id; it names the defect.
    pub id: &'static str,
    /// Its group.
    pub group: Group,
    /// The level it has when no configuration says otherwise.
    pub level: Level,
    /// The defect in a few words, lower case, without full stop.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// How to repair it.
    pub fix: &'static str,
    /// A small piece of a pack that the lint flags.
    pub example: &'static str,
    /// What looks for the defect.
    pub check: Check,
}

/// What a lint looks at.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The bytes, even where they are no JSON.
    Text(fn(&Text<'_>, &mut Findings<'_>)),
    /// The pack.
    Pack(fn(&Facts<'_>, &mut Findings<'_>)),
    /// Several packs, the repository or its configuration: the room `registry` reports it.
    Registry,
}

/// The bytes of a pack and what reading them as JSON gave.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The bytes as they stand in the file.
    pub bytes: &'a [u8],
    /// What reading them met.
    pub problems: &'a [Problem],
    /// The document, where the bytes are JSON.
    pub document: Option<&'a Document>,
}

/// What a lint says about one place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The id of the lint.
    pub rule: String,
    /// Its group.
    pub group: Group,
    /// How serious it is.
    pub level: Level,
    /// What is wrong, with the names that the pack uses.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The JSON Pointer of the place.
    pub pointer: Pointer,
    /// The bytes of the text that it concerns.
    #[serde(skip)]
    pub span: Span,
    /// Where these bytes start.
    pub start: Position,
    /// Where these bytes end (the position after the last one).
    pub end: Position,
    /// The pointer with names instead of array positions.
    pub place: String,
    /// Sixteen hexadecimal digits that survive reformatting and moving the file.
    pub fingerprint: String,
    /// Whether an `[[allow]]` entry accepts it.
    pub acknowledged: bool,
    /// A change of the text that repairs it.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

/// A change of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Whether `--fix` may apply it: the pack stays valid and no content is invented.
    pub safe: bool,
    /// The replacements, sorted and without overlap.
    pub edits: Vec<Edit>,
}

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub span: Span,
    /// What stands there afterwards.
    pub replacement: String,
}

/// Applies repairs to the text that they were made for.
///
/// Of repairs that touch the same bytes the first one counts; the others are for another run.
pub fn apply(text: &str, fixes: &[Fix]) -> String {
    let mut sorted: Vec<&Fix> = fixes.iter().collect();
    sorted.sort_by_key(|fix| fix.edits.first().map(|edit| edit.span));
    let mut edits: BTreeMap<Span, &str> = BTreeMap::new();
    for fix in sorted {
        if fix.edits.iter().all(|edit| is_free(text, &edits, edit)) {
            edits.extend(fix.edits.iter().map(|edit| (edit.span, edit.replacement.as_str())));
        }
    }
    splice(text, edits)
}

/// Whether the bytes of an edit are there and no accepted edit has them.
fn is_free(text: &str, accepted: &BTreeMap<Span, &str>, edit: &Edit) -> bool {
    let before = accepted.range(..=edit.span).next_back();
    let after = accepted.range(edit.span..).next();
    text.get(edit.span.range()).is_some()
        && before.is_none_or(|(span, _)| span.end <= edit.span.start && *span != edit.span)
        && after.is_none_or(|(span, _)| edit.span.end <= span.start && *span != edit.span)
}

impl Edit {
    /// Takes a member out of its object, or an item out of its array, together with the comma beside it. Of an array
    /// that loses several items the first one must stay, or the edits overlap.
    pub fn removal(node: Node<'_>) -> Edit {
        let start = |node: Node<'_>| node.key_span().unwrap_or(node.span()).start;
        let position = node.position();
        let sibling = |position: usize| node.parent().and_then(|parent| parent.child(position));
        let span = match position.checked_sub(1).and_then(sibling) {
            Some(previous) => Span { start: previous.span().end, end: node.span().end },
            None => {
                let end = sibling(position + 1).map_or(node.span().end, start);
                Span { start: start(node), end }
            }
        };
        Edit { span, replacement: String::new() }
    }
}

/// Collects the findings of one lint after the other.
#[derive(Debug)]
pub struct Findings<'a> {
    document: Option<&'a Document>,
    lint: Option<(&'static Lint, Level)>,
    found: Vec<Draft>,
}

/// A finding that still lacks what is computed only for what is reported.
#[derive(Debug, Clone)]
pub struct Draft {
    lint: &'static Lint,
    level: Level,
    pointer: Pointer,
    span: Span,
    message: String,
    help: Option<String>,
    fix: Option<Fix>,
}

impl Draft {
    /// Adds what to do about it.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Draft {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean" for a candidate, where there is one.
    pub fn suggest(&mut self, candidate: Option<&str>) -> &mut Draft {
        if let Some(candidate) = candidate {
            self.help = Some(format!("did you mean `{candidate}`?"));
        }
        self
    }

    /// Adds "did you mean", and the repair that writes the candidate in place of the string `node`.
    pub fn suggest_for(&mut self, node: Node<'_>, candidate: Option<&str>) -> &mut Draft {
        let Some(candidate) = candidate else { return self };
        let replacement = serde_json::Value::from(candidate).to_string();
        self.suggested_fix(vec![Edit { span: node.span(), replacement }]).suggest(Some(candidate))
    }

    /// Points at bytes of the document instead of the whole value.
    pub fn at(&mut self, span: Span) -> &mut Draft {
        self.span = span;
        self
    }

    /// Points at a part of the string `node`, counted in its unescaped text.
    pub fn within(&mut self, node: Node<'_>, inner: Span) -> &mut Draft {
        self.at(node.span_within(inner))
    }

    /// Adds a repair that `--fix` applies.
    pub fn safe_fix(&mut self, edits: Vec<Edit>) -> &mut Draft {
        self.fix = Some(Fix { safe: true, edits });
        self
    }

    /// Adds a repair that is only shown.
    pub fn suggested_fix(&mut self, edits: Vec<Edit>) -> &mut Draft {
        self.fix = Some(Fix { safe: false, edits });
        self
    }
}

impl<'a> Findings<'a> {
    pub(crate) fn new(document: Option<&'a Document>) -> Self {
        Findings { document, lint: None, found: Vec::new() }
    }

    pub(crate) fn begin(&mut self, lint: &'static Lint, level: Level) {
        self.lint = Some((lint, level));
    }

    /// Reports the value `node`.
    pub fn report(&mut self, node: Node<'_>, message: impl Into<String>) -> &mut Draft {
        self.push(node.pointer(), node.span(), message.into())
    }

    /// Reports the member `node` by its key: an unknown or repeated key, a name.
    pub fn report_key(&mut self, node: Node<'_>, message: impl Into<String>) -> &mut Draft {
        self.push(node.pointer(), node.key_span().unwrap_or(node.span()), message.into())
    }

    /// Reports `part` (counted in the unescaped text) of the string `node`.
    pub fn report_part(&mut self, node: Node<'_>, part: Span, message: impl Into<String>) -> &mut Draft {
        self.push(node.pointer(), node.span_within(part), message.into())
    }

    /// Reports a placeholder of the template `node`.
    pub fn report_placeholder(
        &mut self,
        node: Node<'_>,
        placeholder: &Placeholder<'_>,
        message: impl Into<String>,
    ) -> &mut Draft {
        self.report_part(node, placeholder.span, message)
    }

    /// Reports a place by its pointer; the whole text where there is no such place.
    pub fn report_at(&mut self, pointer: &Pointer, message: impl Into<String>) -> &mut Draft {
        let node = self.document.and_then(|document| document.at(pointer));
        let span = node.map_or(Span::new(0, 0), Node::span);
        self.push(pointer.clone(), span, message.into())
    }

    /// Reports the pack as a whole, at its name: a finding over the whole text would hide everything in it.
    pub fn report_pack(&mut self, pack: Pack<'_>, message: impl Into<String>) -> &mut Draft {
        let span = pack.get("name").map_or(Span::new(0, 0), |name| name.span());
        self.push(Pointer::root(), span, message.into())
    }

    /// Reports bytes of the text that has no document.
    pub fn report_span(&mut self, pointer: Pointer, span: Span, message: impl Into<String>) -> &mut Draft {
        self.push(pointer, span, message.into())
    }

    fn push(&mut self, pointer: Pointer, span: Span, message: String) -> &mut Draft {
        let (lint, level) = self.lint.expect("a lint runs while it reports");
        self.found.push(Draft { lint, level, pointer, span, message, help: None, fix: None });
        self.found.last_mut().expect("a finding was just added")
    }

    /// Leaves out drafts that `keep` refuses.
    pub(crate) fn retain(&mut self, keep: impl Fn(&'static Lint, &Pointer) -> bool) {
        self.found.retain(|draft| keep(draft.lint, &draft.pointer));
    }

    /// Completes the findings, sorted by place, then rule. `text` is the text of the pack.
    pub(crate) fn finish(self, text: &str, pack: &str) -> Vec<Finding> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let lines = LineIndex::new(text);
        let mut identities = Identities { document: self.document, pack, ..Identities::default() };
        let complete = |draft: Draft| {
            let Identity { place, fingerprint } = identities.of(draft.lint.id, &draft.pointer);
            Finding {
                rule: draft.lint.id.to_owned(),
                group: draft.lint.group,
                level: draft.level,
                message: draft.message,
                help: draft.help,
                pointer: draft.pointer,
                span: draft.span,
                start: lines.position(text, draft.span.start),
                end: lines.position(text, draft.span.end),
                place,
                fingerprint,
                acknowledged: false,
                fix: draft.fix,
            }
        };
        let mut findings: Vec<Finding> = self.found.into_iter().map(complete).collect();
        findings.sort_by(|a, b| {
            (a.span, &a.pointer, &a.rule, &a.message).cmp(&(b.span, &b.pointer, &b.rule, &b.message))
        });
        findings.dedup();
        findings
    }
}

/// What tells the findings of one pack apart; computed once for each rule and place.
#[derive(Default)]
struct Identities<'a> {
    document: Option<&'a Document>,
    pack: &'a str,
    places: Places<'a>,
    known: HashMap<(&'static str, Pointer), Identity>,
}

#[derive(Clone)]
struct Identity {
    place: String,
    fingerprint: String,
}

impl Identities<'_> {
    fn of(&mut self, rule: &'static str, pointer: &Pointer) -> Identity {
        let key = (rule, pointer.clone());
        if let Some(identity) = self.known.get(&key) {
            return identity.clone();
        }
        let node = self.document.and_then(|document| document.at(pointer));
        let place = match (node, self.document) {
            (Some(node), _) => self.places.of(node).to_string(),
            (None, Some(document)) => place(document, pointer),
            (None, None) => pointer.to_string(),
        };
        let value = pack::digest::canonical(&node.map(Node::to_value).unwrap_or_default());
        let parts = [self.pack, rule, &place, &value];
        let fingerprint = Digest::of_parts(parts.map(str::as_bytes)).hex()[..16].to_owned();
        let identity = Identity { place, fingerprint };
        self.known.insert(key, identity.clone());
        identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fixes: &[&[(usize, usize, &str)]], expected: &str) {
        let edit = |&(start, end, text): &(usize, usize, &str)| Edit {
            span: Span::new(start, end),
            replacement: text.to_owned(),
        };
        let fix =
            |edits: &&[(usize, usize, &str)]| Fix { safe: true, edits: edits.iter().map(edit).collect() };
        assert_eq!(apply("0123456789é", &fixes.iter().map(fix).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn repairs_are_applied_whole_or_not_at_all() {
        check(&[], "0123456789é");
        check(&[&[(8, 9, "")], &[(0, 2, "x"), (2, 3, "y")]], "xy345679é");
        check(&[&[(0, 3, "")], &[(2, 4, ""), (8, 9, "")]], "3456789é");
        check(&[&[(1, 1, "a")], &[(1, 1, "b")]], "0a123456789é");
        check(&[&[(11, 12, "")], &[(90, 91, "")], &[(4, 4, "-")]], "0123-456789é");
    }

    fn check_removal(pointer: &str, expected: &str) {
        let text = r#"{"a": 1, "b": [ 1, 2 , 3 ], "c": {"d": 4}}"#;
        let (document, _) = Document::parse(text.as_bytes());
        let document = document.expect("JSON");
        let edit = Edit::removal(document.at(&Pointer::parse(pointer)).expect("a place"));
        let mut rest = text.to_owned();
        rest.replace_range(edit.span.range(), &edit.replacement);
        assert_eq!(rest, expected);
    }

    #[test]
    fn a_removal_takes_one_comma() {
        check_removal("/a", r#"{"b": [ 1, 2 , 3 ], "c": {"d": 4}}"#);
        check_removal("/b", r#"{"a": 1, "c": {"d": 4}}"#);
        check_removal("/c", r#"{"a": 1, "b": [ 1, 2 , 3 ]}"#);
        check_removal("/b/0", r#"{"a": 1, "b": [ 2 , 3 ], "c": {"d": 4}}"#);
        check_removal("/b/1", r#"{"a": 1, "b": [ 1 , 3 ], "c": {"d": 4}}"#);
        check_removal("/b/2", r#"{"a": 1, "b": [ 1, 2 ], "c": {"d": 4}}"#);
        check_removal("/c/d", r#"{"a": 1, "b": [ 1, 2 , 3 ], "c": {}}"#);
    }
}
