//! Flags vocabulary prefixes and addresses that cannot be used.

use super::is_prefix;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-vocabulary",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a vocabulary has an unusable prefix or address",
    why: "Terms with that prefix cannot be expanded, so nobody can look them up.",
    fix: "Use a prefix of letters, digits, `.`, `_` and `-` that starts with a letter or `_`, and an absolute IRI.",
    example: r#""vocabularies": { "acme": "terms/risk" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for governance in pack.pack.governances() {
        for (prefix, node) in governance.map("vocabularies") {
            if !is_prefix(prefix) {
                findings
                    .report_key(node, format!("`{prefix}` cannot be the prefix of a term"))
                    .help("start with a letter or `_`, then letters, digits, `.`, `_` and `-`");
            }
            if let Some(address) = node.as_str().filter(|address| !is_absolute_iri(address)) {
                findings
                    .report(node, format!("`{address}` is no absolute IRI"))
                    .help("start with a scheme, such as `https://` or `urn:`");
            }
        }
    }
}

fn is_absolute_iri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let may_stand = |c: char| !c.is_whitespace() && !c.is_control() && !"<>\"{}|\\^`".contains(c);
    let has_host = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {
            rest.strip_prefix("//").is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
        }
        _ => true,
    };
    is_scheme && has_host && !rest.is_empty() && rest.chars().all(may_stand)
}
