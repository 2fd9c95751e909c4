//! Flags media URLs that are not encrypted or lead into an inner network.

use super::hosts::{inner_kind, scheme_and_host};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unsafe-url",
    group: Group::Security,
    level: Level::Warn,
    summary: "a media URL on plain http or to an inner host",
    why: "What comes over plain http can be replaced on its way, and a URL to a loopback, private or link-local \
          address makes the runtime call a service of its own network.",
    fix: "Serve the file over https from a public host, or keep it in the repository and name it by \
          `file_path`.",
    example: r#""media": { "mime_type": "image/png", "url": "http://10.0.0.7/receipt.png" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for media in pack.pack.prompts().flat_map(|prompt| prompt.media_references()) {
        let Some(node) = media.get("url") else { continue };
        let Some((scheme, host)) = node.as_str().and_then(scheme_and_host) else { continue };
        let url = quoted(node.as_str().unwrap_or_default());
        let message = match inner_kind(&host) {
            Some(kind) => format!("media URL {url} leads to a {kind} host"),
            None if scheme == "http" => format!("media URL {url} is not encrypted"),
            None => continue,
        };
        findings.report(node, message).help(
            "serve the file over https from a public host, or name a file of the repository by `file_path`",
        );
    }
}
