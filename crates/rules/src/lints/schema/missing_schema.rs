//! Flags packs that do not say by which version of the specification they are written.

use pack::spec::schema_url;
use pack::{Node, Span, SpecVersion};

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-schema",
    group: Group::Style,
    level: Level::Info,
    summary: "a pack without `$schema`",
    why: "Editors complete and check a pack by it, and without it every tool judges the pack by whatever version it knows best.",
    fix: "Name the version that the pack is written for.",
    example: r#"{ "id": "support", "name": "Support", "version": "1.0.0", … }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.pack.get("$schema").is_some() {
        return;
    }
    let url = schema_url(SpecVersion::NEWEST);
    let draft = findings.report_pack(pack.pack, "the pack has no `$schema`");
    draft.help(format!("add `\"$schema\": \"{url}\"`"));
    draft.suggested_fix(first_member(*pack.pack, &format!("\"$schema\": \"{url}\"")));
}

/// An edit that writes `member` before the first one, laid out like it.
fn first_member(object: Node<'_>, member: &str) -> Vec<Edit> {
    let Some(key) = object.children().next().and_then(Node::key_span) else { return Vec::new() };
    let start = object.span().start + 1;
    let layout = &object.document().text()[Span { start, end: key.start }.range()];
    vec![Edit { span: Span { start, end: start }, replacement: format!("{layout}{member},") }]
}
