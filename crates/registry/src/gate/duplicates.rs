//! Two files of one tree that claim one id and version with different contents.

use std::collections::BTreeMap;

use pack::{Document, LineIndex};
use rules::Level;
use semver::Version;

use super::Draft;
use crate::judge::Settings;
use crate::report::FindingView;

/// One file and the identity that it claims.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The path of the file, as it is shown.
    pub path: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The id that it claims.
    pub id: &'a str,
    /// The version that it claims.
    pub version: &'a Version,
    /// What its authors say.
    pub settings: Settings<'a>,
}

/// The findings on files that share id and version, sorted by path; files that differ in their layout only agree.
pub fn duplicate_packs(claims: &[Claim<'_>]) -> Vec<FindingView> {
    let mut owners: BTreeMap<(&str, &Version), Vec<&Claim<'_>>> = BTreeMap::new();
    for claim in claims {
        owners.entry((claim.id, claim.version)).or_default().push(claim);
    }
    let mut findings = Vec::new();
    for ((id, version), owners) in owners {
        if owners.len() < 2 || agree(&owners) {
            continue;
        }
        for owner in &owners {
            let other = owners.iter().find(|other| other.path != owner.path).map_or("", |other| other.path);
            findings.extend(finding(owner, id, version, other));
        }
    }
    findings.sort_by(|a, b| a.path.cmp(&b.path));
    findings
}

fn agree(owners: &[&Claim<'_>]) -> bool {
    let canonical = |claim: &Claim<'_>| {
        let document = Document::parse(claim.bytes).0;
        document.map(|document| pack::digest::canonical_node(document.root()))
    };
    let first = canonical(owners[0]);
    owners.iter().skip(1).all(|owner| canonical(owner) == first)
}

fn finding(claim: &Claim<'_>, id: &str, version: &Version, other: &str) -> Option<FindingView> {
    let draft = Draft {
        rule: "duplicate-pack",
        default: Level::Error,
        message: format!("`{other}` claims {id}@{version} too, with other content"),
        help: Some("keep one of the two files, or give one of them another id or version".to_owned()),
        pack: id,
        pointer: "/id".to_owned(),
        place: "/id".to_owned(),
        value: version.to_string(),
    };
    let mut finding = draft.finish(claim.path, claim.settings)?;
    let document = Document::parse(claim.bytes).0?;
    let text = document.text();
    if let Some(node) = document.root().get("id") {
        let lines = LineIndex::new(text);
        let (start, end) = (lines.position(text, node.span().start), lines.position(text, node.span().end));
        (finding.line, finding.column) = (start.line, start.column);
        (finding.end_line, finding.end_column) = (end.line, end.column);
    }
    Some(finding)
}
