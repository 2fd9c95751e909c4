//! Flags packs without a description.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-description",
    group: Group::Style,
    level: Level::Info,
    summary: "a pack without description",
    why: "The description is what people read in a catalogue before they choose a pack, and what a search finds.",
    fix: "Say in `description` what the pack is for.",
    example: r#"{ "id": "support", "name": "Support", "version": "1.0.0", … }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.pack.get("description").is_some() {
        return;
    }
    findings.report_pack(pack.pack, "the pack has no `description`").help("say what the pack is for");
}
