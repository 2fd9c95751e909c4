//! Flags texts that are no MIME type where one belongs.

use super::parts;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-mime-type",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a text is no MIME type",
    why: "Runtimes and agent cards compare MIME types; a bare word matches nothing.",
    fix: "Write `type/subtype`, such as `text/plain` or `image/*`.",
    example: r#""output_modes": ["json"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let media = parts(pack).into_iter().filter_map(|part| part.media?.get("mime_type"));
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    let artifacts = states.flat_map(|state| state.map("artifacts"));
    let artifacts = artifacts.filter_map(|(_, artifact)| artifact.get("type"));
    let agents = pack.pack.agents().into_iter().flat_map(|agents| agents.members());
    let modes = agents.flat_map(|agent| agent.list("input_modes").chain(agent.list("output_modes")));
    for node in media.chain(artifacts).chain(modes) {
        if let Some(text) = node.as_str().filter(|text| !is_mime_type(text)) {
            findings
                .report(node, format!("`{text}` is no MIME type"))
                .help("write `type/subtype`, such as `text/plain`")
                .suggest_for(node, meant(text));
        }
    }
}

fn is_mime_type(text: &str) -> bool {
    let mut parts = text.split(';');
    let Some((family, subtype)) = parts.next().and_then(|name| name.trim_end().split_once('/')) else {
        return false;
    };
    let is_parameter = |parameter: &str| {
        let parameter = parameter.trim();
        parameter.split_once('=').is_some_and(|(name, value)| is_token(name) && !value.is_empty())
    };
    let subtype_fits = is_token(subtype) || subtype == "*";
    (is_token(family) && subtype_fits || family == "*" && subtype == "*") && parts.all(is_parameter)
}

fn is_token(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
}

/// The MIME type that a bare word stands for.
fn meant(word: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 19] = [
        ("text", "text/plain"),
        ("plain", "text/plain"),
        ("txt", "text/plain"),
        ("markdown", "text/markdown"),
        ("md", "text/markdown"),
        ("html", "text/html"),
        ("csv", "text/csv"),
        ("json", "application/json"),
        ("xml", "application/xml"),
        ("yaml", "application/yaml"),
        ("pdf", "application/pdf"),
        ("png", "image/png"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("image", "image/*"),
        ("mp3", "audio/mpeg"),
        ("audio", "audio/*"),
        ("mp4", "video/mp4"),
        ("video", "video/*"),
    ];
    let word = word.trim().trim_start_matches('.').to_ascii_lowercase();
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, meant)| *meant)
}
