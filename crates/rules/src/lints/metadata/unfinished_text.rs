//! Flags marks that authors leave for later.

use std::sync::LazyLock;

use pack::Span;
use regex::Regex;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unfinished-text",
    group: Group::Style,
    level: Level::Info,
    summary: "a text with a mark that its author left for later",
    why: "The model reads the mark as part of its instructions, and users may see it.",
    fix: "Finish the text, or move the note out of the pack.",
    example: r#""system_template": "You help customers. TODO: refunds""#,
    check: Check::Pack(check),
};

static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:TODO|FIXME):|\bTODO\(|(?i:\blorem ipsum\b)").expect("a fixed pattern")
});

/// What every mark holds: nearly all packs are free of it.
static HINT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("TODO|FIXME|(?i:lorem)").expect("a fixed pattern"));

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let document = pack.pack.document();
    if !document.is_respelled() && !HINT.is_match(document.text()) {
        return;
    }
    for node in pack.pack.descendants() {
        for mark in MARKS.find_iter(node.as_str().unwrap_or_default()) {
            let message = format!("the text is unfinished: it says {}", quoted(mark.as_str()));
            findings.report_part(node, Span::new(mark.start(), mark.end()), message);
        }
    }
}
