//! SARIF 2.1.0, for code scanning services.
//!
//! Every result has a physical location with a relative address, since one without loses a whole upload: what is gone
//! stands where the newer version shows its absence, and its old place is a related location.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use registry::gate::find_gate_rule;
use rules::{Level, find_change, find_lint};
use serde_json::{Value, json};

use super::{Item, Run, Spot, of_levels};

/// How many results services take; the rest is named in a notification.
const MOST_RESULTS: usize = 5000;

/// Renders a run; acknowledged findings are suppressed results.
pub fn render(run: &Run) -> anyhow::Result<String> {
    let items = of_levels(run.items());
    let ids: BTreeSet<&str> = items.iter().map(|item| item.rule.as_str()).collect();
    let positions: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let results: Vec<Value> = items.iter().take(MOST_RESULTS).map(|item| result(item, &positions)).collect();
    let left_out = items.len().saturating_sub(MOST_RESULTS);
    let incomplete = run.incomplete();
    let mut invocation = json!({ "executionSuccessful": incomplete.is_none() });
    let cut = format!("{left_out} more results are left out: services take {MOST_RESULTS}");
    let told = [incomplete.map(|why| ("error", why)), (left_out > 0).then_some(("warning", cut))];
    let notification = |(level, text)| json!({ "level": level, "message": { "text": text } });
    let told: Vec<Value> = told.into_iter().flatten().map(notification).collect();
    if !told.is_empty() {
        invocation["toolExecutionNotifications"] = told.into();
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "packhouse",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": ids.iter().map(|id| rule(id)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
        }],
    });
    Ok(serde_json::to_string_pretty(&log).context("cannot write SARIF")? + "\n")
}

/// A rule as it documents itself.
fn rule(id: &str) -> Value {
    let lint = find_lint(id).map(|lint| (lint.summary, lint.why, lint.fix, lint.level, lint.group.as_str()));
    let change = || find_change(id).map(|rule| (rule.summary, rule.why, rule.fix, Level::Error, "change"));
    let gate = || find_gate_rule(id).map(|rule| (rule.summary, rule.why, rule.fix, rule.level, "gate"));
    let documented = lint.or_else(change).or_else(gate);
    let (summary, why, fix, level, tag) =
        documented.unwrap_or(("a finding of the gate", "", "", Level::Warn, "gate"));
    let mut rule = json!({
        "id": id,
        "shortDescription": { "text": summary },
        "defaultConfiguration": { "level": level_word(level) },
        "properties": { "tags": [tag] },
    });
    if !why.is_empty() {
        rule["fullDescription"] = json!({ "text": why });
        rule["help"] = json!({
            "text": format!("{why}\n\n{fix}"),
            "markdown": format!("{why}\n\n**What to do:** {fix}"),
        });
    }
    rule
}

fn result(item: &Item, positions: &BTreeMap<&str, usize>) -> Value {
    let message = match item.remark() {
        Some(remark) => format!("{}\n{remark}", item.message),
        None => item.message.clone(),
    };
    let mut result = json!({
        "ruleId": item.rule,
        "ruleIndex": positions.get(item.rule.as_str()),
        "level": level_word(item.level),
        "message": { "text": message },
        "locations": [location(&item.spot, Some(&item.place))],
        "partialFingerprints": { "packhouse/v1": item.fingerprint },
        "properties": { "pack": item.pack, "place": item.place },
    });
    if let Some(change) = &item.change {
        result["properties"]["bump"] = json!(change.report.bump);
        if let Some(witness) = &change.report.witness {
            result["properties"]["witness"] = json!(witness);
        }
        if let Some(old) = change.old.as_ref().filter(|_| change.report.new.is_none()) {
            let mut related = location(old, None);
            related["message"] = json!({ "text": "the older version has it here" });
            related["id"] = json!(1);
            result["relatedLocations"] = json!([related]);
        }
    }
    if item.acknowledged {
        result["suppressions"] = json!([{ "kind": "external", "status": "accepted" }]);
        if let Some(reason) = &item.accepted_because {
            result["suppressions"][0]["justification"] = json!(reason);
        }
    }
    result
}

fn location(spot: &Spot, place: Option<&str>) -> Value {
    let mut region = json!({ "startLine": spot.start.line.max(1), "startColumn": spot.start.column.max(1) });
    if spot.end > spot.start {
        region["endLine"] = json!(spot.end.line);
        region["endColumn"] = json!(spot.end.column);
    }
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": address(&spot.uri), "uriBaseId": "%SRCROOT%" },
            "region": region,
        },
    });
    if let Some(place) = place.filter(|place| !place.is_empty()) {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": place }]);
    }
    location
}

/// A path as a relative address: what an address may not hold is percent-encoded.
fn address(path: &str) -> String {
    let mut address = String::new();
    for byte in path.trim_start_matches('/').bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' => {
                address.push(char::from(byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "note",
        Level::Off => "none",
    }
}
