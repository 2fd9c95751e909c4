//! `/sources`: the health of every source, and every problem with what to do.

use axum::extract::State;
use maud::{Markup, html};
use registry::problem::ProblemState;

use super::layout::{Section, page};
use super::parts::{commit, count, level, maybe_time, prose, time};
use crate::web::App;
use crate::web::answer::Answer;
use crate::web::api::sources::{SourceView, every};
use crate::web::target::View;

/// Every source.
pub(crate) async fn sources(State(app): State<App>, view: View) -> Answer {
    let sources = every(&app, &view, true);
    let content = html! {
        h1 { "Sources" }
        p.lead {
            "The Git repositories that this registry watches, and everything in them that was not published, or \
             published with reservations."
        }
        @if sources.is_empty() {
            div.empty { p { "No source is configured. A " code { "[[source]]" } " table in " code { "registry.toml" } " adds one." } }
        }
        @for source in &sources { (one(source)) }
    };
    Answer::page(page(Section::Sources, "Sources", &content))
}

fn one(source: &SourceView) -> Markup {
    let (current, past): (Vec<&ProblemState>, Vec<&ProblemState>) =
        source.problems.iter().partition(|problem| problem.current);
    html! {
        section.card id=(source.name) {
            h2 { (source.name) " " span class={ "badge state-" (source.state) } { (source.state) } }
            @if let Some(error) = &source.error { p.alarm { (error) } }
            (facts(source))
            @if current.is_empty() {
                @if source.state == "ok" { p.muted { "No problems." } }
            } @else {
                h3 { (count(current.len(), "problem")) }
                (table(&current))
            }
            @if !past.is_empty() {
                details {
                    summary { (count(past.len(), "problem")) " that no head or tag shows any more" }
                    (table(&past))
                }
            }
        }
    }
}

fn facts(source: &SourceView) -> Markup {
    html! {
        dl.facts {
            dt { "Holds" } dd { (count(source.packs, "pack")) ", " (count(source.releases, "release")) }
            dt { "Last read" } dd { (maybe_time(source.last_success)) }
            @if source.last_attempt > source.last_success {
                dt { "Last attempt" } dd { (maybe_time(source.last_attempt)) }
            }
            @if let Some(head) = &source.head { dt { "Head" } dd { (commit(head)) } }
            @if let Some(scan) = &source.last_scan {
                dt { "Last news" }
                dd {
                    (time(scan.started_at)) ": " (count(scan.candidates, "candidate")) " in "
                    (count(scan.commits, "commit")) ", " (scan.published) " published, " (scan.duration_ms) " ms"
                }
            }
        }
    }
}

fn table(problems: &[&ProblemState]) -> Markup {
    html! {
        ul.problems {
            @for problem in problems {
                li {
                    p.what { (level(problem.level)) " " strong { (prose(&problem.message)) } }
                    p.help { (prose(&problem.help)) }
                    p.where { (place(problem)) }
                }
            }
        }
    }
}

fn place(problem: &ProblemState) -> Markup {
    html! {
        a href={ "/problems/" (problem.code.as_str()) } { code { (problem.code.as_str()) } }
        @if let Some(pack) = &problem.pack {
            " · " (pack) @if let Some(version) = &problem.version { "@" (version) }
        }
        @if let Some(path) = &problem.path { " · " code { (path) } }
        @if let Some(reference) = &problem.reference { " · " (reference) }
        @if let Some(id) = &problem.commit { " · " (commit(id)) }
        " · " (time(problem.first))
        @if problem.last != problem.first { " to " (time(problem.last)) }
        @if problem.count > 1 { ", seen " (problem.count) " times" }
    }
}
