//! `/`: search, facets and packs.

use axum::extract::State;
use maud::{Markup, html};
use store::{Hit, Hits};

use super::layout::{Section, page};
use super::parts::{count, flag, tags, time};
use crate::web::App;
use crate::web::address;
use crate::web::answer::Answer;
use crate::web::api::search::{Found, find};
use crate::web::parameters::Parameters;
use crate::web::problem::Problem;
use crate::web::target::{View, flag_names};

/// The filters that facets offer, with their titles.
const FACETS: [(&str, &str); 4] =
    [("tag", "Tags"), ("tool", "Tools"), ("domain", "Domains"), ("language", "Languages")];

/// How many values of a facet are offered.
const SHOWN_VALUES: usize = 12;

/// Search; without words the packs that were published last.
pub(crate) async fn home(
    State(app): State<App>,
    view: View,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    let found = find(&app, view.clone(), &parameters).await?;
    let asked = Asked::of(&parameters);
    let nothing_published = view.snapshot.packs(&view.reader).next().is_none();
    let content = html! {
        (search_box(&asked))
        @if nothing_published {
            (nothing_yet())
        } @else {
            div.columns {
                aside { (facets(&found.hits, &asked)) }
                div.results { (results(&view, &found, &asked)) }
            }
        }
    };
    Ok(Answer::page(page(Section::Packs, "Packs", &content)))
}

/// What was asked for: the words, and the filters that count.
struct Asked<'p> {
    words: &'p str,
    filters: Vec<(&'static str, &'p str)>,
}

impl<'p> Asked<'p> {
    fn of(parameters: &'p Parameters) -> Asked<'p> {
        let names = ["tag", "tool", "domain", "language", "source"];
        let filters = names.into_iter().flat_map(|name| parameters.all(name).map(move |value| (name, value)));
        Asked { words: parameters.text("q").unwrap_or_default(), filters: filters.collect() }
    }

    /// The address of the same search with or without one filter.
    fn toggled(&self, name: &'static str, value: &str) -> String {
        let mut filters = self.filters.clone();
        let before = filters.len();
        filters.retain(|known| *known != (name, value));
        if filters.len() == before {
            filters.push((name, value));
            return address_of(self.words, &filters, None);
        }
        address_of(self.words, &filters, None)
    }

    fn has(&self, name: &'static str, value: &str) -> bool {
        self.filters.contains(&(name, value))
    }
}

fn address_of(words: &str, filters: &[(&str, &str)], cursor: Option<&str>) -> String {
    let words = Some(("q", words)).filter(|(_, words)| !words.is_empty());
    let cursor = cursor.map(|cursor| ("cursor", cursor));
    format!("/{}", address::query(words.into_iter().chain(filters.iter().copied()).chain(cursor)))
}

fn search_box(asked: &Asked<'_>) -> Markup {
    html! {
        form.search action="/" role="search" {
            input type="search" name="q" value=(asked.words) aria-label="Search packs"
                placeholder="Search packs: words, or tag:support tool:lookup_order" autofocus[asked.words.is_empty()];
            @for (name, value) in &asked.filters { input type="hidden" name=(name) value=(value); }
            button { "Search" }
        }
        @if !asked.filters.is_empty() {
            p.filters {
                @for &(name, value) in &asked.filters {
                    a.filter href=(asked.toggled(name, value)) title="Take this filter away" {
                        (name) ": " strong { (value) } " ×"
                    } " "
                }
            }
        }
    }
}

fn nothing_yet() -> Markup {
    html! {
        div.empty {
            h2 { "No packs are published yet" }
            p { "A pack is published when a commit or tag of a watched repository brings a version of it." }
            p { a href="/sources" { "See what the sources say" } }
        }
    }
}

fn facets(hits: &Hits, asked: &Asked<'_>) -> Markup {
    html! {
        @for (name, title) in FACETS {
            @let values = hits.facets.get(name).map(Vec::as_slice).unwrap_or_default();
            @if !values.is_empty() {
                h2 { (title) }
                ul {
                    @for (value, number) in values.iter().take(SHOWN_VALUES) {
                        li {
                            a href=(asked.toggled(name, value)) aria-current=[asked.has(name, value).then_some("true")] {
                                span { (value) } span.number { (number) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn results(view: &View, found: &Found, asked: &Asked<'_>) -> Markup {
    let title = match asked.words.is_empty() {
        true if asked.filters.is_empty() => "Newest releases".to_owned(),
        _ => count(found.hits.total, "pack"),
    };
    html! {
        h1 { (title) }
        @if found.hits.hits.is_empty() {
            div.empty { p { "No pack fits. Fewer words or filters find more." } }
        }
        ol.packs { @for hit in &found.hits.hits { (one(view, hit)) } }
        @if let Some(next) = found.next {
            p.pages { a href=(address_of(asked.words, &asked.filters, Some(&next.to_string()))) { "More packs" } }
        }
    }
}

fn one(view: &View, hit: &Hit) -> Markup {
    let pack = view.pack(&hit.id).ok();
    let newest = pack.as_ref().and_then(|pack| view.releases(pack).next_back());
    let updated = pack.as_ref().and_then(|pack| view.releases(pack).map(|row| row.published_at).max());
    html! {
        li {
            h2 {
                a href={ "/packs/" (hit.id) } { (hit.name) }
                " " code.id { (hit.id) }
                " " span.version { (hit.version) }
            }
            @if let Some(description) = &hit.description { p { (description) } }
            p.meta {
                (tags(&hit.tags))
                @if let Some(at) = updated { span.muted { (time(at)) } " " }
                @if let (Some(pack), Some(row)) = (&pack, newest) {
                    @if !flag_names(pack, row).is_empty() { (flag(&format!("{} flagged", row.version))) }
                    @if pack.status.yanked(&row.version).is_some() { (flag(&format!("{} yanked", row.version))) }
                }
            }
        }
    }
}
