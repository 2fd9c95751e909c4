//! Flags parts of media examples that hold no content, or two.

use super::parts;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "invalid-content-part",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a part of a media example has no content of its type",
    why: "The example cannot be shown to a model.",
    fix: "Give a text part `text`, and every other part `media` with exactly one of `file_path`, `url` and `base64`.",
    example: r#"{ "type": "image", "media": { "mime_type": "image/png" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for part in parts(pack) {
        let Some(kind) = part.kind else { continue };
        if kind == "text" && part.node.get("text").is_none() {
            findings.report(part.node, "the part is a text but has no `text`").help("add `text`");
        }
        match part.media {
            Some(media) => check_media(media, findings),
            None if kind != "text" && part.node.get("media").is_none() => {
                findings
                    .report(part.node, format!("the part is of type `{kind}` but has no `media`"))
                    .help("add `media`");
            }
            None => {}
        }
    }
}

fn check_media(media: Node<'_>, findings: &mut Findings<'_>) {
    const SOURCES: [&str; 3] = ["file_path", "url", "base64"];
    let present: Vec<Node<'_>> = SOURCES.iter().filter_map(|key| media.get(key)).collect();
    match present[..] {
        [] => {
            findings
                .report(media, "the media has no content")
                .help("add one of `file_path`, `url` and `base64`");
        }
        [_] => {}
        [first, second, ..] => {
            let (first, name) = (first.key().unwrap_or_default(), second.key().unwrap_or_default());
            findings
                .report_key(second, format!("the media has both `{first}` and `{name}`"))
                .help("keep one of them");
        }
    }
    let Some(data) = media.get("base64") else { return };
    if let Some(text) = data.as_str().filter(|text| !is_base64(text)) {
        let help = if text.starts_with("data:") {
            "write the data alone, without `data:…;base64,`"
        } else {
            "encode with the standard alphabet and padding"
        };
        findings.report(data, "the text does not decode as base64").help(help);
    }
}

/// Whether the text is base64 of RFC 4648, section 4; line breaks may stand in it.
fn is_base64(text: &str) -> bool {
    let bytes = || text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    let padding = bytes().rev().take_while(|byte| *byte == b'=').count();
    let length = bytes().count();
    let data = bytes().take(length - padding);
    length % 4 == 0
        && padding <= 2
        && data.into_iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}
