//! The code quality report of GitLab: a list of issues with fingerprints that are unique within it.

use std::collections::BTreeMap;

use anyhow::Context;
use pack::Digest;
use registry::settings::FILE_NAME;
use rules::Level;
use serde_json::{Value, json};

use super::{Item, NOT_EVERYTHING, Run, printable};

/// Renders what counts.
pub fn render(run: &Run) -> anyhow::Result<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut issues: Vec<Value> = run.incomplete().map(|why| incomplete(run, &why)).into_iter().collect();
    issues.extend(run.counting().map(|item| {
        let count = seen.entry(item.fingerprint.as_str()).or_default();
        *count += 1;
        issue(item, *count)
    }));
    Ok(serde_json::to_string_pretty(&issues).context("cannot write the code quality report")? + "\n")
}

/// An empty list would be green.
fn incomplete(run: &Run, why: &str) -> Value {
    json!({
        "type": "issue",
        "check_name": "incomplete",
        "description": printable(why),
        "severity": "major",
        "fingerprint": &Digest::of(NOT_EVERYTHING.as_bytes()).hex()[..16],
        "location": {
            "path": run.files.first().map_or(FILE_NAME, String::as_str),
            "lines": { "begin": 1, "end": 1 },
        },
    })
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
