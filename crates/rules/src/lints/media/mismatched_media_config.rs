//! Flags media types and settings that do not belong together.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::model::Media;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-media-config",
    group: Group::Correctness,
    level: Level::Info,
    summary: "a supported media type has no settings, or settings have no supported type",
    why: "Limits that readers see do not hold, or a type comes without any limit.",
    fix: "List the type in `supported_types`, or add or remove its block.",
    example: r#""media": { "enabled": true, "supported_types": ["image"], "audio": { "max_size_mb": 5 } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for media in pack.prompts().iter().filter_map(|prompt| prompt.prompt.media()) {
        if media.get("supported_types").is_some_and(Node::is_array) {
            check_types(media, &guesser, findings);
        }
    }
}

fn check_types(media: Media<'_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    const OTHER_FIELDS: [&str; 3] = ["enabled", "supported_types", "examples"];
    let listed: BTreeSet<&str> = media.texts("supported_types").map(|(name, _)| name).collect();
    let blocks = media.members().filter(|(key, _)| !OTHER_FIELDS.contains(key));
    let unlisted: Vec<(&str, Node<'_>)> = blocks.filter(|(key, _)| !listed.contains(key)).collect();
    let bare = || listed.iter().copied().filter(|name| *name != "text" && media.get(name).is_none());
    let mut meant = BTreeSet::new();
    for (name, block) in &unlisted {
        let near = guesser.closest(name, bare());
        meant.extend(near);
        findings
            .report_key(*block, format!("`{name}` is configured but not in `supported_types`"))
            .help("list it there, or remove the block")
            .suggest(near);
    }
    for (name, node) in media.texts("supported_types") {
        // Text has no settings, and a misspelled block has its own finding.
        if name != "text" && media.get(name).is_none() && !meant.contains(name) {
            findings
                .report(
                    node,
                    format!("`{name}` is supported, but there is no `{name}` block with its limits"),
                )
                .help(format!("add `{name}` beside `supported_types`"));
        }
    }
}
