//! Security and text (catalogue 3.16).

use pack::json::Document;
use pack::{Node, Span};
use regex::Regex;

use crate::lint::{Draft, Findings, Lint};

mod confusable_identifier;
mod embedded_secret;
mod hidden_character;
mod remote_reference;
mod slow_pattern;
mod unsafe_url;

mod hosts;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &embedded_secret::LINT,
    &hidden_character::LINT,
    &confusable_identifier::LINT,
    &unsafe_url::LINT,
    &slow_pattern::LINT,
    &remote_reference::LINT,
];

/// A string of a document: a value, or the key of one.
#[derive(Clone, Copy)]
struct Text<'a> {
    node: Node<'a>,
    text: &'a str,
    is_key: bool,
}

/// Every key and every string value of a document, in order.
fn texts(document: &Document) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        found.extend(node.key().map(|text| Text { node, text, is_key: true }));
        found.extend(node.as_str().map(|text| Text { node, text, is_key: false }));
        open.extend(node.children().rev());
    }
    found
}

/// Whether a key or string may hold a match of `hint`, which names letters and punctuation but no escapes.
fn may_match(document: &Document, hint: &Regex) -> bool {
    document.is_respelled() || hint.is_match(document.text())
}

/// Reports a part of a value, or the whole key.
fn report<'f>(text: Text<'_>, part: Span, message: String, findings: &'f mut Findings<'_>) -> &'f mut Draft {
    if text.is_key {
        findings.report_key(text.node, message)
    } else {
        findings.report_part(text.node, part, message)
    }
}
