//! Flags packs that no cluster object can hold.

use pack::{Pointer, Span};

use crate::lint::{Check, Findings, Group, Level, Lint, Text};

pub(super) const LINT: Lint = Lint {
    id: "oversized-pack",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a pack of more than 1 MiB",
    why: "Hosts that keep packs in cluster objects (a ConfigMap holds 1 MiB) cannot deploy it.",
    fix: "Move long texts into skills, or split the pack.",
    example: "a file of 1,048,577 bytes",
    check: Check::Text(check),
};

const LIMIT: usize = 1 << 20;

fn check(text: &Text<'_>, findings: &mut Findings<'_>) {
    let size = text.bytes.len();
    if size > LIMIT {
        let message = format!("the pack has {size} bytes, {} more than a cluster object holds", size - LIMIT);
        findings
            .report_span(Pointer::root(), Span::new(0, 0), message)
            .help("move long texts into skills, or split it");
    }
}
