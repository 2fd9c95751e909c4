//! References of steps to values: `${input.field}`, `${step.output.field}` (catalogue 2.3).

use pack::model::Step;
use pack::{Node, Span};

use super::predicates;

/// A text in which a runtime looks for references.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) node: Node<'a>,
    pub(super) text: &'a str,
    pub(super) kind: SiteKind,
}

/// Where such a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteKind {
    /// The whole `input` of a step.
    Input,
    /// A value inside `input` or `args`.
    Value,
    /// The `path` of a predicate, which is one whole reference.
    PredicatePath,
}

/// One `${…}` of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// Where it stands in the text, delimiters included.
    pub(super) span: Span,
    /// What is written, delimiters included.
    pub(super) text: &'a str,
    /// What it names; none where it breaks the grammar.
    pub(super) path: Option<ValuePath<'a>>,
}

/// A root and the names behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValuePath<'a> {
    pub(super) root: &'a str,
    pub(super) parts: Vec<&'a str>,
}

impl<'a> ValuePath<'a> {
    /// Reads `root.part.part`; none for any other text.
    pub(super) fn parse(text: &'a str) -> Option<ValuePath<'a>> {
        let mut names = text.split('.');
        let root = names.next().filter(|root| !root.starts_with(|c: char| c.is_ascii_digit()))?;
        let parts: Vec<&str> = names.collect();
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (is_name(root) && parts.iter().all(|part| is_name(part))).then_some(ValuePath { root, parts })
    }

    /// The step whose output is named, and the names inside that output; none for the input and for malformed paths.
    pub(super) fn step_output(&self) -> Option<(&'a str, &[&'a str])> {
        match self.parts.split_first() {
            Some((&"output", rest)) if self.root != "input" => Some((self.root, rest)),
            _ => None,
        }
    }
}

/// The references of a text, in order.
pub(super) fn references(text: &str) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("${").map(|offset| at + offset) {
        let inner = start + 2;
        let line = text[inner..].split('\n').next().unwrap_or_default();
        let (end, path) = match line.find('}') {
            Some(length) => (inner + length + 1, ValuePath::parse(line[..length].trim())),
            None => (inner + line.trim_end().len(), None),
        };
        found.push(Reference { span: Span::new(start, end), text: &text[start..end], path });
        at = end;
    }
    found
}

/// The texts of a step that may hold references, in order.
pub(super) fn sites(step: Step<'_>) -> Vec<Site<'_>> {
    match step.kind() {
        Some("prompt" | "agent") => match step.get("input") {
            Some(input) if input.as_str().is_some() => texts_below(input, SiteKind::Input),
            Some(input) => texts_below(input, SiteKind::Value),
            None => Vec::new(),
        },
        Some("tool") => step.get("args").map_or_else(Vec::new, |args| texts_below(args, SiteKind::Value)),
        Some("branch") => {
            let paths = predicates(step).into_iter().filter_map(|predicate| predicate.get("path"));
            paths.flat_map(|path| texts_below(path, SiteKind::PredicatePath)).collect()
        }
        _ => Vec::new(),
    }
}

/// The strings at and below a value, in order.
fn texts_below(value: Node<'_>, kind: SiteKind) -> Vec<Site<'_>> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        found.extend(node.as_str().map(|text| Site { node, text, kind }));
        open.extend(node.children().rev());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = references(text)
            .iter()
            .map(|reference| match &reference.path {
                Some(path) => format!("{} = {} {}", reference.text, path.root, path.parts.join(" ")),
                None => format!("{} malformed", reference.text),
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn references_follow_the_grammar() {
        check("${input}", &["${input} = input "]);
        check("Dear ${ a.output.name }, $5", &["${ a.output.name } = a output name"]);
        check("${a.output[0]} ${a-b.output}", &["${a.output[0]} malformed", "${a-b.output} malformed"]);
        check("${} ${a..b} ${1.x}", &["${} malformed", "${a..b} malformed", "${1.x} malformed"]);
        check("open ${a.output", &["${a.output malformed"]);
    }
}
