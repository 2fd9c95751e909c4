//! Flags schemas that stand behind a URL.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "remote-reference",
    group: Group::Security,
    level: Level::Warn,
    summary: "a schema that stands behind a URL",
    why: "Nothing is ever fetched here, so that part of the pack stays unchecked; a runtime that fetches it checks \
          against whatever the URL gives on that day.",
    fix: "Keep the schema in the repository and name it by a relative path, or put it into the pack under \
          `$defs`.",
    example: r#""properties": { "address": { "$ref": "https://schemas.acme.com/address.json" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for node in pack.pack.schema_references() {
        if node.as_str().is_some_and(is_url) {
            report(node, findings);
        }
    }
    for schema in schemas(pack) {
        check_schema(schema, findings);
    }
}

/// The schemas that stand in the pack: of tools, and in the settings of checks.
fn schemas<'a>(pack: &Facts<'a>) -> impl Iterator<Item = Node<'a>> {
    let tools = pack.pack.tools().filter_map(|tool| tool.parameters());
    let validators = pack.pack.prompts().flat_map(|prompt| prompt.validators()).map(|validator| *validator);
    let evals =
        pack.pack.prompts().flat_map(|prompt| prompt.evals()).chain(pack.pack.evals()).map(|eval| *eval);
    tools.chain(validators.chain(evals).filter_map(|check| check.get("params")))
}

fn check_schema(schema: Node<'_>, findings: &mut Findings<'_>) {
    let mut ids = BTreeSet::new();
    let mut references = Vec::new();
    let mut open = vec![schema];
    while let Some(node) = open.pop() {
        ids.extend(node.text("$id"));
        references.extend(["$ref", "$dynamicRef"].iter().filter_map(|key| node.get(key)));
        open.extend(node.children());
    }
    for node in references {
        let Some(text) = node.as_str().filter(|text| is_url(text)) else { continue };
        // A schema may call itself by a URL.
        let target = text.split('#').next().unwrap_or_default();
        if !ids.iter().any(|id| id.trim_end_matches('#') == target) {
            report(node, findings);
        }
    }
}

fn is_url(text: &str) -> bool {
    text.contains("://") || text.starts_with("//")
}

fn report(node: Node<'_>, findings: &mut Findings<'_>) {
    let url = quoted(node.as_str().unwrap_or_default());
    findings
        .report(node, format!("the schema {url} stands behind a URL, which is never fetched"))
        .help("keep it in the repository and name it by a relative path, or put it under `$defs`");
}
