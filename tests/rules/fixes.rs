//! Every safe repair on every fixture: applied and linted again, its finding is gone and nothing else has changed.

use std::collections::BTreeMap;

use pack::json::Document;
use rules::Finding;
use rules::lint::{Fix, apply};

use crate::lints::{RUNS, Run, run_on};

/// How many findings each rule has.
fn counts(findings: &[Finding]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.rule.as_str()).or_default() += 1;
    }
    counts
}

fn is_safe(finding: &&Finding) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.safe)
}

fn safe_fixes(findings: &[Finding]) -> Vec<Fix> {
    findings.iter().filter(is_safe).filter_map(|finding| finding.fix.clone()).collect()
}

/// Repairs one fixture; gives what went wrong.
fn check(run: &Run) -> Result<(), String> {
    let Run { fixture, bytes, findings: before, .. } = run;
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let fixes = safe_fixes(before);
    if fixes.is_empty() {
        return Ok(());
    }
    let repaired = apply(text, &fixes);
    let after = run_on(fixture, repaired.as_bytes());
    let kept: Vec<Finding> = before.iter().filter(|finding| !is_safe(finding)).cloned().collect();
    if counts(&kept) != counts(&after) {
        return Err(format!("expected {:?}, found {:?}\n{repaired}", counts(&kept), counts(&after)));
    }
    if apply(&repaired, &safe_fixes(&after)) != repaired {
        return Err(format!("a second run changes the text again\n{repaired}"));
    }
    let is_json = |text: &str| Document::parse(text.as_bytes()).0.is_some();
    if is_json(text) != is_json(&repaired) {
        return Err(format!("the repair is no JSON any more\n{repaired}"));
    }
    Ok(())
}

#[test]
fn safe_repairs_remove_their_finding_and_nothing_else() {
    let mut mistakes = Vec::new();
    for run in RUNS.iter() {
        if let Err(mistake) = check(run) {
            mistakes.push(format!("{}/{}: {mistake}", run.lint.id, run.path()));
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}
