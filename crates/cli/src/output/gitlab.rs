//! The code quality report of GitLab: a list of issues with fingerprints that are unique within it.

use std::collections::BTreeMap;

use anyhow::Context;
use rules::Level;
use serde_json::{Value, json};

use super::{Item, Run, printable};

/// Renders what counts.
pub fn render(run: &Run) -> anyhow::Result<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let issues: Vec<Value> = run
        .counting()
        .map(|item| {
            let count = seen.entry(item.fingerprint.as_str()).or_default();
            *count += 1;
            issue(item, *count)
        })
        .collect();
    Ok(serde_json::to_string_pretty(&issues).context("cannot write the code quality report")? + "\n")
}

fn issue(item: &Item, ordinal: usize) -> Value {
    let severity = match item.level {
        Level::Error => "major",
        Level::Warn => "minor",
        Level::Info | Level::Off => "info",
    };
    let fingerprint = match ordinal {
        1 => item.fingerprint.clone(),
        more => format!("{}-{more}", item.fingerprint),
    };
    let remark = item.remark().map(|remark| format!(" ({remark})")).unwrap_or_default();
    json!({
        "type": "issue",
        "check_name": item.rule,
        "description": printable(&format!("{}{remark}", item.told())),
        "severity": severity,
        "fingerprint": fingerprint,
        "location": {
            "path": item.spot.uri,
            "lines": { "begin": item.spot.start.line, "end": item.spot.end.line.max(item.spot.start.line) },
        },
    })
}
