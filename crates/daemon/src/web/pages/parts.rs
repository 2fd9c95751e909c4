//! Small pieces that several pages show.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use jiff::Timestamp;
use maud::{Markup, html};
use pack::Digest;
use registry::release::FindingCounts;
use rules::{Bump, Level};

use crate::web::App;

/// The address of this registry as the browser knows it, for lines that people copy.
pub(crate) struct Host(pub String);

impl FromRequestParts<App> for Host {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Host, Self::Rejection> {
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let scheme = header("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
        // The name goes into lines that are pasted into shells.
        let plain =
            |host: &&str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
        let host = header(header::HOST.as_str()).filter(plain).unwrap_or(&app.settings.server.listen);
        Ok(Host(format!("{scheme}://{host}")))
    }
}

/// A sentence in which names stand between backticks, as messages write them.
pub(crate) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd backtick out is no pair: the text is shown as it is.
    let paired = parts.len() % 2 == 1;
    html! {
        @if paired {
            @for (at, part) in parts.iter().enumerate() {
                @if at % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else { (text) }
    }
}

/// A moment, to the minute.
pub(crate) fn time(at: Timestamp) -> Markup {
    let text = at.to_string();
    html! { time datetime=(text) title=(text) { (at.strftime("%Y-%m-%d %H:%M")) } }
}

/// A moment that may not have come yet.
pub(crate) fn maybe_time(at: Option<Timestamp>) -> Markup {
    html! { @match at { Some(at) => (time(at)), None => span.muted { "never" } } }
}

/// A bump as a coloured word.
pub(crate) fn bump(bump: Bump) -> Markup {
    html! { span class={ "badge bump-" (bump.as_str()) } { (bump.as_str()) } }
}

/// A bump that a first release does not have.
pub(crate) fn maybe_bump(of: Option<Bump>) -> Markup {
    html! { @match of { Some(of) => (bump(of)), None => span.muted { "first" } } }
}

/// A level as a coloured word.
pub(crate) fn level(level: Level) -> Markup {
    html! { span class={ "badge level-" (level.as_str()) } { (level.as_str()) } }
}

/// A word of warning.
pub(crate) fn flag(text: &str) -> Markup {
    html! { span class="badge flag" { (text) } }
}

/// How many findings there are, where there are any.
pub(crate) fn findings(counts: FindingCounts) -> Markup {
    let all = [(Level::Error, counts.error), (Level::Warn, counts.warn), (Level::Info, counts.info)];
    html! {
        @if all.iter().all(|(_, count)| *count == 0) { span.muted { "none" } }
        @for (of, count) in all.into_iter().filter(|(_, count)| *count > 0) {
            span class={ "badge level-" (of.as_str()) } { (count) " " (of.as_str()) } " "
        }
    }
}

/// A digest, shortened to what tells it from others; the whole one can be read by hovering.
pub(crate) fn digest(digest: &Digest) -> Markup {
    let hex = digest.hex();
    html! { code.digest title=(digest) { "sha256:" (hex[..12]) "…" } }
}

/// A commit, shortened as Git shortens it.
pub(crate) fn commit(commit: &str) -> Markup {
    html! { code title=(commit) { (commit.get(..10).unwrap_or(commit)) } }
}

/// Bytes in the unit that people read.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{}.{} KiB", bytes / 1024, bytes % 1024 * 10 / 1024),
        _ => format!("{}.{} MiB", bytes >> 20, ((bytes % (1 << 20)) * 10) >> 20),
    }
}

/// The tags of a pack, each a search.
pub(crate) fn tags(tags: &[String]) -> Markup {
    html! {
        @for tag in tags {
            a.tag href={ "/" (crate::web::address::query([("tag", tag.as_str())])) } { (tag) } " "
        }
    }
}

/// A number of things: `1 pack`, `2 packs`.
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// The way down to a page.
pub(crate) fn trail(steps: &[(&str, String)]) -> Markup {
    html! {
        nav.trail aria-label="Trail" {
            @for (at, (name, address)) in steps.iter().enumerate() {
                @if at > 0 { " / " }
                a href=(address) { (name) }
            }
        }
    }
}
