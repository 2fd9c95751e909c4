//! `/rules`: what the rules say of themselves.

use maud::{Markup, html};
use registry::gate::{GATE_RULES, GateRule, find_gate_rule};
use rules::change::Bumps;
use rules::{
    CHANGES, ChangeRule, Group, LINTS, Level, Lint, Profile, cases, find_change, find_lint, verdict_level,
};

use super::layout::{Section, page};
use super::parts::{bump, level, prose, trail};
use crate::web::answer::Answer;
use crate::web::api::rules::not_found;
use crate::web::problem::Problem;
use crate::web::target::Names;

/// Every rule.
pub(crate) async fn list() -> Answer {
    let content = html! {
        h1 { "Rules" }
        p.lead {
            "A lint looks at one pack. A change rule looks at two versions of it and says how much the version \
             number has to move."
        }
        @for group in Group::ALL {
            h2 { "Lints: " (group.as_str()) }
            (lints(group))
        }
        h2 { "Changes" }
        (changes())
        h2 { "Settings" }
        (gate())
    };
    Answer::page(page(Section::Rules, "Rules", &content))
}

fn lints(group: Group) -> Markup {
    let lints = LINTS.iter().filter(|lint| lint.group == group);
    with_levels("Lint", lints.map(|lint| (lint.id, lint.level, lint.summary)))
}

fn gate() -> Markup {
    with_levels("Rule", GATE_RULES.iter().map(|rule| (rule.id, rule.level, rule.summary)))
}

fn with_levels(kind: &str, rules: impl Iterator<Item = (&'static str, Level, &'static str)>) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { (kind) } th { "Level" } th { "Flags" } } }
            tbody {
                @for (id, its_level, summary) in rules {
                    tr {
                        td { a href={ "/rules/" (id) } { code { (id) } } }
                        td { (level(its_level)) }
                        td { (prose(summary)) }
                    }
                }
            }
        } }
    }
}

fn changes() -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "Rule" } th { "Wire" } th { "Contract" } th { "Strict" } th { "Fires when" } } }
            tbody {
                @for rule in CHANGES.iter() {
                    tr {
                        td { a href={ "/rules/" (rule.id) } { code { (rule.id) } } }
                        td { (bump(rule.bumps.wire)) }
                        td { (bump(rule.bumps.contract)) }
                        td { (bump(rule.bumps.strict)) }
                        td { (prose(rule.summary)) }
                    }
                }
            }
        } }
    }
}

/// One rule.
pub(crate) async fn one(names: Names) -> Result<Answer, Problem> {
    let id = names.get("id");
    let lint = find_lint(id).map(of_lint);
    let content = lint.or_else(|| find_change(id).map(of_change));
    let content = content.or_else(|| find_gate_rule(id).map(of_gate)).ok_or_else(|| not_found(id))?;
    Ok(Answer::page(page(Section::Rules, id, &content)))
}

fn of_lint(lint: &Lint) -> Markup {
    html! {
        (trail(&[("Rules", "/rules".to_owned())]))
        h1 { code { (lint.id) } }
        p.lead { (prose(&first_upper(lint.summary))) "." }
        p { "A lint of the group " strong { (lint.group.as_str()) } ", by default at level " (level(lint.level)) "." }
        h2 { "Why" } p { (prose(lint.why)) }
        h2 { "What to do" } p { (prose(lint.fix)) }
        @if !lint.example.is_empty() {
            h2 { "Example" } pre { (lint.example) }
        }
    }
}

fn of_gate(rule: &GateRule) -> Markup {
    html! {
        (trail(&[("Rules", "/rules".to_owned())]))
        h1 { code { (rule.id) } }
        p.lead { (prose(&first_upper(rule.summary))) "." }
        p { "A rule of " code { "packhouse check" } " on the settings, by default at level " (level(rule.level)) "." }
        h2 { "Why" } p { (prose(rule.why)) }
        h2 { "What to do" } p { (prose(rule.fix)) }
    }
}

fn bumps(bumps: Bumps) -> Markup {
    html! {
        (bump(bumps.wire)) " under wire, " (bump(bumps.contract)) " under contract, " (bump(bumps.strict))
        " under strict"
    }
}

fn of_change(rule: &ChangeRule) -> Markup {
    html! {
        (trail(&[("Rules", "/rules".to_owned())]))
        h1 { code { (rule.id) } }
        p.lead { (prose(&first_upper(rule.summary))) "." }
        @if let Some(verdict) = verdict_level(rule.id, Profile::Contract) {
            p { "A rule of " code { "packhouse check" } " on versions, by default at level " (level(verdict)) "." }
        }
        dl.facts {
            @if verdict_level(rule.id, Profile::Contract).is_none() {
                dt { "Bump" }
                dd {
                    (bumps(rule.bumps))
                    @for case in cases(rule.id) { br; (bumps(case.bumps)) ", " (prose(case.when)) }
                }
            }
            @if let Some(advised) = rule.suggest { dt { "Advised" } dd { (bump(advised)) } }
            dt { "Kind" } dd { (word(&rule.class)) }
            dt { "Certainty" } dd { (word(&rule.certainty)) }
            dt { "Affects" } dd { (rule.affected.iter().map(word).collect::<Vec<_>>().join(", ")) }
            @if rule.safety { dt { "Safety" } dd { "a guard gets weaker" } }
        }
        h2 { "Why" } p { (prose(rule.why)) }
        h2 { "What to do" } p { (prose(rule.fix)) }
    }
}

/// A word of a closed list, as JSON writes it.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
