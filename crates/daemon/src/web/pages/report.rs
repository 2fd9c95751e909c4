//! `/packs/{id}/{version}/report`: what was said of a release when it was published.

use axum::extract::State;
use maud::{Markup, html};
use registry::Report;
use registry::report::FindingView;

use super::changes;
use super::layout::{Section, page};
use super::parts::{bump, count, level, prose, time, trail};
use crate::web::App;
use crate::web::answer::Answer;
use crate::web::api::releases::seen_report;
use crate::web::problem::Problem;
use crate::web::target::OneRelease;

/// The report of a release.
pub(crate) async fn report(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    let OneRelease { view, pack, row } = target;
    let bytes = app.blobs.report(&row).await?;
    let report = seen_report(&view, &pack, &bytes)?;
    let (id, version) = (&pack.id, row.version.to_string());
    let content = html! {
        (trail(&[
            ("Packs", "/".to_owned()),
            (id, format!("/packs/{id}")),
            (&version, format!("/packs/{id}/{version}")),
        ]))
        h1 { "Report on " code.id { (id) } " " span.version { (version) } }
        p.lead { "As said when it was published. These words stay, also when the rules change." }
        (baseline(&report))
        @if let Some(since) = pack.status.lifted_since(&row.version).filter(|_| row.is_insufficient()) {
            p {
                span.badge { "accepted" } " since " (time(since))
                ": an " code { "[[allow]]" } " entry at the head of the branch accepts what was too much for the version."
            }
        }
        (findings(&report.findings))
        @if let Some(diff) = &report.diff { (changes::shown(diff)) }
    };
    Ok(Answer::page(page(Section::Packs, &format!("{id} {version}, report"), &content)))
}

fn baseline(report: &Report) -> Markup {
    html! {
        @match &report.baseline {
            Some(baseline) => p {
                "Judged by the changes since " strong { (baseline.version) } ", which require "
                (bump(baseline.required_bump)) "."
            },
            None => p { "The first release of its line: there was nothing to compare it with." },
        }
    }
}

fn findings(findings: &[FindingView]) -> Markup {
    html! {
        h2 { @if findings.is_empty() { "No findings" } @else { (count(findings.len(), "finding")) } }
        @for finding in findings {
            section.card.change {
                p.what {
                    (level(finding.level)) " " strong { (prose(&finding.message)) }
                    @if finding.acknowledged { " " span.badge { "accepted" } }
                }
                @if let Some(help) = &finding.help { p.help { (prose(help)) } }
                p.where {
                    a href={ "/rules/" (finding.rule) } { code { (finding.rule) } }
                    " · " code { (finding.path) ":" (finding.line) ":" (finding.column) }
                    " · " code { (finding.place) }
                }
            }
        }
    }
}
