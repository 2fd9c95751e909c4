//! Flags `$schema` addresses that name no known version of the specification.

use pack::SpecVersion;
use pack::spec::{Declared, DeclaredBy, schema_url};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unknown-schema",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a `$schema` that names no known version of the specification",
    why: "Nothing is ever fetched, so the pack is judged by the newest version known here, which may not be the one that its author means.",
    fix: "Name a published version, such as `https://promptpack.org/schema/v1.9.0/promptpack.schema.json`.",
    example: r#""$schema": "https://example.com/pack.schema.json""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some((node, url)) = pack.pack.get("$schema").and_then(|node| Some((node, node.as_str()?))) else {
        return;
    };
    let newest = SpecVersion::NEWEST;
    let (message, version) = match Declared::by_url(Some(url)).by {
        DeclaredBy::UnknownVersion(folder) => {
            let message = format!("`$schema` names {}, and no such version is known here", quoted(&folder));
            (message, SpecVersion::parse(&folder).unwrap_or(newest))
        }
        DeclaredBy::Foreign => {
            (format!("`$schema` is no address of the specification: {}", quoted(url)), newest)
        }
        DeclaredBy::Absent | DeclaredBy::Published | DeclaredBy::Override => return,
    };
    findings.report(node, message).suggest_for(node, Some(&schema_url(version)));
}
