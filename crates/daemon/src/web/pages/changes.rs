//! Changes between two versions, as the comparison and the report show them.

use maud::{Markup, html};
use pack::model::parse_version;
use registry::acceptance::{Acceptance, allow_entry};
use registry::report::DiffReport;
use registry::topic::{by_topic, missing_topic, need_headings};
use rules::change::{Side, Witness};
use rules::{Bump, Change, ChangeRule, find_change};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::parts::{bump, count, flag, prose};
use super::rules::word;

/// What the changes require, and all of them, the highest bump first.
pub(crate) fn shown(diff: &DiffReport) -> Markup {
    // Nobody publishes the way back: there is nothing to accept.
    let acceptance = (!is_way_back(diff)).then(|| Acceptance::of_diff(diff));
    html! {
        (verdict(diff))
        @for of in [Bump::Major, Bump::Minor, Bump::Patch, Bump::None] {
            @let changes: Vec<&Change> = diff.changes.iter().filter(|change| change.bump == of).collect();
            @if !changes.is_empty() {
                h2 { (bump(of)) " " (count(changes.len(), "change")) }
                @let groups = by_topic(changes, |change| change);
                @let has_headings = need_headings(&groups);
                @for (topic, changes) in groups {
                    @if has_headings { h3 { (prose(&topic)) } }
                    @for change in changes { (one(change, diff, acceptance.as_ref())) }
                }
            }
        }
        @if diff.changes.is_empty() { div.empty { p { "Nothing that matters differs." } } }
        @if !diff.notes.is_empty() {
            h2 { "Notes" }
            ul { @for note in &diff.notes { li { (note) } } }
        }
    }
}

/// Whether the newer side is the lower version.
fn is_way_back(diff: &DiffReport) -> bool {
    let versions = parse_version(&diff.old.version).zip(parse_version(&diff.new.version));
    versions.is_some_and(|(old, new)| new.cmp_precedence(&old).is_lt())
}

fn verdict(diff: &DiffReport) -> Markup {
    if is_way_back(diff) {
        return html! {
            p.verdict {
                "This is the way back: " (diff.new.version) " comes before " (diff.old.version) ". A release with these changes would need "
                (bump(diff.required_bump)) " under the profile " strong { (diff.profile.as_str()) } "."
            }
        };
    }
    let word = if diff.sufficient { "enough" } else { "too little" };
    let class = if diff.sufficient { "verdict good" } else { "verdict bad" };
    html! {
        p class=(class) {
            "The changes require " (bump(diff.required_bump)) " under the profile " strong { (diff.profile.as_str()) }
            ". The version moves by " (bump(diff.declared_bump)) ", which is " strong { (word) } "."
            @if diff.suggested_bump > diff.required_bump { " Advised: " (bump(diff.suggested_bump)) "." }
        }
    }
}

fn one(change: &Change, diff: &DiffReport, acceptance: Option<&Acceptance>) -> Markup {
    html! {
        section.card.change {
            p.what {
                strong { (prose(&change.message)) }
                @if change.safety { " " (flag("weakens a guard")) }
                @if change.acknowledged { " " span.badge { "accepted" } }
                @if let Some(reason) = diff.accepted.get(&change.fingerprint) { " " span.reason { (reason) } }
            }
            p.where {
                a href={ "/rules/" (change.rule) } { code { (change.rule) } }
                @if let Some(topic) = missing_topic(change) { " · in " (prose(&topic)) }
                " · " code { (change.place) }
                " · " (word(&change.certainty)) ", " (word(&change.class))
                @if !change.affected.is_empty() {
                    " · affects " (change.affected.iter().map(word).collect::<Vec<_>>().join(", "))
                }
            }
            (values(change.old.as_ref(), change.new.as_ref()))
            @if let Some(witness) = &change.witness { (one_witness(witness)) }
            @if let Some(rule) = find_change(&change.rule) { (advice(rule)) }
            @if let Some(acceptance) = acceptance.filter(|acceptance| acceptance.helps(change, change.level)) {
                (way_to_accept(change, &diff.pack, acceptance))
            }
        }
    }
}

/// Why a change matters, and what to do.
fn advice(rule: &ChangeRule) -> Markup {
    html! {
        p.help { strong { "Why: " } (prose(rule.why)) }
        @if !rule.fix.is_empty() { p.help { strong { "What to do: " } (prose(rule.fix)) } }
    }
}

fn way_to_accept(change: &Change, pack: &str, acceptance: &Acceptance) -> Markup {
    html! {
        details {
            summary {
                "Accept it in packhouse.toml"
                @if acceptance.needs_patch { ", and raise the version by a patch" }
            }
            pre { (allow_entry(&change.rule, &change.fingerprint, pack)) }
        }
    }
}

fn values(old: Option<&Side>, new: Option<&Side>) -> Markup {
    let texts = (old.and_then(|side| side.value.as_str()), new.and_then(|side| side.value.as_str()));
    html! {
        @match texts {
            (Some(old), Some(new)) if old.contains('\n') || new.contains('\n') => (text_diff(old, new)),
            _ => div.sides {
                @for (name, side) in [("before", old), ("after", new)] {
                    @if let Some(side) = side { (one_side(name, side)) }
                }
            },
        }
    }
}

/// Values of more lines than this are folded.
const OPEN_LINES: usize = 8;

fn one_side(name: &str, side: &Side) -> Markup {
    let text = written(&side.value);
    html! {
        details open[text.lines().count() <= OPEN_LINES] {
            summary { (name) ", line " (side.line) }
            pre { (text) }
        }
    }
}

/// The most characters of a value that are shown.
const MOST_SHOWN: usize = 4000;

fn written(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Lines that differ, with two lines around each place.
fn text_diff(old: &str, new: &str) -> Markup {
    let diff = TextDiff::from_lines(old, new);
    html! {
        pre.diff {
            @for (at, group) in diff.grouped_ops(2).iter().enumerate() {
                @if at > 0 { span.gap { "⋯\n" } }
                @for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                    @let (class, sign) = match change.tag() {
                        ChangeTag::Delete => ("del", "-"),
                        ChangeTag::Insert => ("ins", "+"),
                        ChangeTag::Equal => ("same", " "),
                    };
                    span class=(class) { (sign) " " (change.value().trim_end_matches('\n')) "\n" }
                }
            }
        }
    }
}

fn one_witness(witness: &Witness) -> Markup {
    html! {
        p.witness {
            "Shown by " code { (witness.shown_input()) } ": before " (prose(&witness.old_result)) ", after "
            (prose(&witness.new_result)) "."
        }
    }
}
