//! Flags reviews that record when they were done.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "recorded-completion",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a review records a completion",
    why: "A pack says what is planned; a date in it is out of date after the next review, and changes the released bytes.",
    fix: "Record completions where reviews are tracked, and keep the cadence here.",
    example: r#""extensions": { "acme.last_run": "2026-01-31" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for review in pack.pack.governances().flat_map(|governance| governance.list("reviews")) {
        let mut open = vec![review];
        while let Some(holder) = open.pop() {
            for node in holder.children() {
                let is_inside = holder != review || node.key() == Some("extensions");
                if let Some(key) = node.key().filter(|key| is_completion(key)) {
                    findings
                        .report_key(node, format!("`{key}` records when the review was done"))
                        .help("record that where reviews are tracked; the pack says only how often");
                } else if is_inside {
                    open.push(node);
                }
            }
        }
    }
}

/// Whether the last part of a key speaks of something that was done, or of a date.
fn is_completion(key: &str) -> bool {
    const DONE: [&str; 8] =
        ["completed", "performed", "conducted", "executed", "finished", "reviewed", "date", "timestamp"];
    const AHEAD: [&str; 4] = ["next", "due", "planned", "start"];
    let words = words(key.rsplit(['.', '/', ':']).next().unwrap_or_default());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        words if words.iter().any(|word| AHEAD.contains(word)) => false,
        ["last", _, ..] => true,
        [.., "done" | "run" | "ran" | "held", "at" | "on"] => true,
        [.., done, "at" | "on"] => done.ends_with("ed") && *done != "based",
        [.., last] => DONE.contains(last),
        [] => false,
    }
}

/// The words of `last_run`, `last-run` and `lastRun`, lower case.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in key.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
