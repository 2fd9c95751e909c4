//! `/packs/{id}`: a pack, how to fetch it, and its versions.

use axum::extract::State;
use maud::{Markup, html};
use registry::Release;

use super::layout::{Section, page};
use super::parts::{Host, findings, flag, maybe_bump, tags, time, trail};
use crate::web::App;
use crate::web::answer::Answer;
use crate::web::problem::Problem;
use crate::web::target::OnePack;
use crate::web::views::{PackDocument, PackSummary, VersionView};

/// A pack.
pub(crate) async fn overview(
    State(app): State<App>,
    Host(host): Host,
    OnePack { view, pack }: OnePack,
) -> Result<Answer, Problem> {
    let shown = view.latest(&pack).or_else(|| view.releases(&pack).next_back().cloned());
    let release = match &shown {
        Some(row) => Some(app.blobs.release(row).await?),
        None => None,
    };
    let document = PackDocument::new(&view, &pack);
    let summary = PackSummary::new(&view, &pack);
    let content = html! {
        (trail(&[("Packs", "/".to_owned())]))
        h1 {
            (document.name) " " code.id { (document.id) } " "
            @if let Some(latest) = &document.latest { span.version { (latest) } }
        }
        @if let Some(description) = &document.description { p.lead { (description) } }
        p.meta { (tags(&summary.tags)) }
        @if document.latest.is_none() {
            p.alarm { "Every release is yanked or flagged: ranges and " code { "latest" } " mean none of them." }
        }
        (how_to_fetch(&host, &document))
        @if let Some(release) = &release { (holds(release)) }
        h2 { "Versions" }
        (versions(&document))
        (removed(&document))
        (channels(&document))
        p.muted { "From the source " a href={ "/sources#" (document.source) } { (document.source) } "." }
    };
    Ok(Answer::page(page(Section::Packs, &document.name, &content)))
}

/// Prompts and skills of the release that is shown, in short.
fn holds(release: &Release) -> Markup {
    html! {
        h2 { "Prompts" }
        div.scroll { table {
            thead { tr { th { "Prompt" } th { "Variables" } th { "Tools" } } }
            tbody {
                @for prompt in &release.summary.prompts {
                    tr {
                        td { (prompt.name) " " code.id { (prompt.key) } }
                        td {
                            @for variable in &prompt.variables {
                                code { (variable.name) @if !variable.required { span.muted { "?" } } } " "
                            }
                        }
                        td { @for tool in &prompt.tools { code { (tool) } " " } }
                    }
                }
            }
        } }
        @if !release.skills.is_empty() {
            h2 { "Skills" }
            dl.list { @for skill in &release.skills { dt { strong { (skill.name) } } dd { (skill.description) } } }
        }
    }
}

fn how_to_fetch(host: &str, document: &PackDocument) -> Markup {
    let id = &document.id;
    let shown =
        document.latest.as_deref().or(document.versions.first().map(|version| version.version.as_str()));
    let shown = shown.unwrap_or_default();
    let major = shown.split('.').next().unwrap_or("1");
    html! {
        h2 { "Fetch" }
        pre.shell {
            @if document.latest.is_some() {
                span.comment { "# the newest compatible release, self-contained\n" }
                "curl -fsS '" (host) "/v1/fetch/" (id) "@%5E" (major) "' -o " (id) ".pack.json\n"
            }
            span.comment { "# exactly this release\n" }
            "curl -fsS '" (host) "/v1/fetch/" (id) "@" (shown) "' -o " (id) ".pack.json\n"
            span.comment { "# with a lock file and a checked digest\n" }
            "packhouse fetch '" (id) "@^" (major) "' --registry " (host)
        }
    }
}

fn versions(document: &PackDocument) -> Markup {
    html! {
        div.scroll { table {
            thead {
                tr { th { "Version" } th { "Published" } th { "Bump" } th { "Required" } th { "Notes" } th { "Findings" } th {} }
            }
            tbody {
                @for (at, version) in document.versions.iter().enumerate() {
                    (row(document, version, document.versions.get(at + 1)))
                }
            }
        } }
    }
}

/// Versions whose number stays taken although nothing of them is served.
fn removed(document: &PackDocument) -> Markup {
    html! {
        @for removed in &document.removed {
            p.muted { (removed.version) " was removed " (time(removed.removed_at)) ": " span.reason { (removed.reason) } }
        }
    }
}

fn row(document: &PackDocument, version: &VersionView, before: Option<&VersionView>) -> Markup {
    let (id, number) = (&document.id, &version.version);
    html! {
        tr.off[version.yanked.is_some()] {
            td {
                a.version-link href={ "/packs/" (id) "/" (number) } { (number) }
                @if document.latest.as_ref() == Some(number) { " " span.badge.latest { "latest" } }
                @for (name, _) in document.channels.iter().filter(|(_, version)| *version == number) {
                    " " span.badge.channel { (name) }
                }
            }
            td { (time(version.published_at)) }
            td { (maybe_bump(version.bump)) }
            td { (maybe_bump(version.required_bump)) }
            td { (notes(version)) }
            td { (findings(version.findings)) }
            td.links {
                a href={ "/packs/" (id) "/" (number) "/report" } { "report" }
                @if let Some(before) = before {
                    " · " a href={ "/packs/" (id) "/compare/" (before.version) "..." (number) } { "changes" }
                }
            }
        }
    }
}

/// What a reader has to know before using a version.
pub(crate) fn notes(version: &VersionView) -> Markup {
    html! {
        @if version.breaking { span.badge.breaking { "breaking" } " " }
        @for name in &version.flags { (flag(&format!("flagged: {name}"))) " " }
        @if let Some(since) = version.flag_lifted { span.badge { "accepted" } " " span.reason { "since " (time(since)) } " " }
        @if let Some(reason) = &version.yanked { (flag("yanked")) " " span.reason { (reason) } " " }
        @if let Some(reason) = &version.deprecated { (flag("deprecated")) " " span.reason { (reason) } }
    }
}

fn channels(document: &PackDocument) -> Markup {
    html! {
        @if !document.channels.is_empty() {
            h2 { "Channels" }
            dl.facts {
                @for (name, version) in &document.channels {
                    dt { (name) }
                    dd { a href={ "/packs/" (document.id) "/" (version) } { (version) } }
                }
            }
        }
    }
}
