//! The report as one JSON document, or as one document per line.

use anyhow::Context;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Run, Shown};

/// The shapes of contract section 1, indented.
pub fn document(run: &Run) -> anyhow::Result<String> {
    let text = match &run.shown {
        Shown::Lint(report) => serde_json::to_string_pretty(report),
        Shown::Diff(report) => serde_json::to_string_pretty(report),
        Shown::Check(report) => serde_json::to_string_pretty(report),
    };
    Ok(text.context("cannot write the report as JSON")? + "\n")
}

/// A line `{"type": "finding" | "change", …}` each, then one `{"type": "summary", …}` with the rest of the report.
pub fn lines(run: &Run) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    let summary = match &run.shown {
        Shown::Lint(report) => {
            add(&mut lines, "finding", &report.findings, &[])?;
            without(report, &["findings"])?
        }
        Shown::Diff(report) => {
            add(&mut lines, "change", &report.changes, &[("pack", &report.pack)])?;
            without(report.as_ref(), &["changes"])?
        }
        Shown::Check(report) => {
            add(&mut lines, "finding", &report.findings, &[])?;
            for pack in &report.packs {
                add(&mut lines, "finding", &pack.findings, &[])?;
                let changes = pack.diff.iter().flat_map(|diff| &diff.changes);
                add(&mut lines, "change", changes, &[("pack", &pack.pack), ("path", &pack.path)])?;
                let mut line = without(pack, &["findings", "diff"])?;
                line["type"] = json!("pack");
                lines.push(line);
            }
            without(report, &["findings", "packs"])?
        }
    };
    let mut summary = summary;
    summary["type"] = json!("summary");
    lines.push(summary);
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

fn add<'a, T: Serialize + 'a>(
    lines: &mut Vec<Value>,
    kind: &str,
    values: impl IntoIterator<Item = &'a T>,
    more: &[(&str, &str)],
) -> anyhow::Result<()> {
    for value in values {
        let mut line = without(value, &[])?;
        line["type"] = json!(kind);
        for (key, text) in more {
            line[*key] = json!(text);
        }
        lines.push(line);
    }
    Ok(())
}

/// The value as an object that lacks some keys.
fn without(value: &impl Serialize, keys: &[&str]) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(value).context("cannot write the report as JSON")?;
    if let Value::Object(members) = &mut value {
        members.retain(|key, _| !keys.contains(&key.as_str()));
    }
    Ok(value)
}
