//! Flags texts for people that hold nothing but whitespace.

use std::collections::BTreeMap;

use pack::{Node, Span};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::{item, quoted};

pub(super) const LINT: Lint = Lint {
    id: "blank-text",
    group: Group::Style,
    level: Level::Warn,
    summary: "a name, description or tag of nothing but whitespace",
    why: "A blank text passes every check for presence and tells a reader, or a model that chooses a tool by it, nothing.",
    fix: "Write the text, or remove the field.",
    example: r#""description": " ""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let described = pack.described().iter().map(|described| described.node).filter(|node| is_label(*node));
    let parameters = pack.pack.tools().flat_map(|tool| tool.schemas());
    let parameters = parameters.filter_map(|schema| schema.get("description"));
    let skills = pack.pack.skills().filter_map(|skill| skill.get("instructions"));
    let governance = pack.pack.governances().flat_map(|governance| governance_texts(*governance));
    let all = described.chain(parameters).chain(skills).chain(governance);
    let blank = all.filter(|node| node.as_str().is_some_and(|text| text.trim().is_empty()));
    let blank: BTreeMap<Span, Node<'_>> = blank.map(|node| (node.span(), node)).collect();
    for node in blank.into_values() {
        let what = match node.key() {
            Some(key) => format!("{} holds", quoted(key)),
            None => format!("{} holds", item(node)),
        };
        findings.report(node, format!("{what} no text")).help("write the text, or remove it");
    }
}

/// Whether a value is a name or description, or an item of tags or groups.
fn is_label(node: Node<'_>) -> bool {
    match node.key() {
        Some(key) => matches!(key, "name" | "description"),
        None => matches!(node.parent().and_then(Node::key), Some("tags" | "groups")),
    }
}

fn governance_texts(governance: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let members = governance.members().filter(|(key, _)| *key != "extensions");
    members.flat_map(|(_, member)| member.descendants())
}
