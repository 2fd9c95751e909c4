//! `/v1/search` and `/v1/suggest`: packs by words.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use store::{Hit, Hits, SearchQuery};

use crate::web::App;
use crate::web::answer::Answer;
use crate::web::parameters::Parameters;
use crate::web::pool::blocking;
use crate::web::problem::Problem;
use crate::web::target::View;

/// How many hits a search can be followed through.
const MOST_HITS: usize = 10_000;

/// Packs by words and filters.
pub(crate) async fn search(
    State(app): State<App>,
    view: View,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    Answer::json(&HitsView::new(find(&app, view, &parameters).await?))
}

/// What a search gave, and where the next page begins.
pub(crate) struct Found {
    /// The packs and facets.
    pub hits: Hits,
    /// The cursor of the next page.
    pub next: Option<usize>,
}

/// Asks the index.
pub(crate) async fn find(app: &App, view: View, parameters: &Parameters) -> Result<Found, Problem> {
    let query = query(parameters)?;
    let end = query.offset + query.limit;
    let store = app.store.clone();
    let hits = blocking(move || Ok(store.search(&view.reader, &query)?)).await?;
    let next = (end < hits.total && end < MOST_HITS).then_some(end);
    Ok(Found { hits, next })
}

/// Filters of the query string add to those that stand in `q`.
fn query(parameters: &Parameters) -> Result<SearchQuery, Problem> {
    let mut query = SearchQuery::parse(parameters.text("q").unwrap_or_default());
    let owned = |name: &'static str| parameters.all(name).map(str::to_owned).collect::<Vec<String>>();
    query.tags.extend(owned("tag"));
    query.tools.extend(owned("tool"));
    let one = |name: &'static str| parameters.text(name).map(str::to_owned);
    query.domain = one("domain").or(query.domain);
    query.language = one("language").or(query.language);
    query.source = one("source").or(query.source);
    query.limit = parameters.limit(20, 100)?;
    let cursor = parameters.text("cursor").unwrap_or("0");
    let offset = cursor.parse().ok().filter(|offset| *offset < MOST_HITS);
    query.offset =
        offset.ok_or_else(|| Problem::malformed("cursor", cursor, "take it from `next_cursor`"))?;
    Ok(query)
}

/// What a search gave, as the API shows it.
#[derive(Serialize)]
struct HitsView {
    hits: Vec<HitView>,
    facets: BTreeMap<&'static str, Vec<FacetView>>,
    total: usize,
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct HitView {
    id: String,
    name: String,
    version: String,
    description: Option<String>,
    tags: Vec<String>,
    tools: Vec<String>,
    score: f32,
    highlights: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct FacetView {
    value: String,
    count: usize,
}

impl HitsView {
    fn new(found: Found) -> HitsView {
        let facet = |values: Vec<(String, usize)>| {
            values.into_iter().map(|(value, count)| FacetView { value, count }).collect()
        };
        HitsView {
            hits: found.hits.hits.into_iter().map(HitView::new).collect(),
            facets: found.hits.facets.into_iter().map(|(name, values)| (name, facet(values))).collect(),
            total: found.hits.total,
            next_cursor: found.next.map(|offset| offset.to_string()),
        }
    }
}

impl HitView {
    fn new(hit: Hit) -> HitView {
        let Hit { id, name, version, description, tags, tools, score, highlights } = hit;
        HitView { id, name, version, description, tags, tools, score, highlights }
    }
}

/// How many suggestions there are at most.
const MOST_SUGGESTIONS: usize = 10;

/// One pack that may be meant.
#[derive(Serialize)]
struct Suggestion {
    id: String,
    name: String,
}

/// Up to ten packs: those whose id begins with the text, then those whose id or name holds it.
pub(crate) async fn suggest(view: View, parameters: Parameters) -> Result<Answer, Problem> {
    let text = parameters.text("q").unwrap_or_default().trim().to_lowercase();
    let (mut begin, mut hold) = (Vec::new(), Vec::new());
    for pack in view.snapshot.packs(&view.reader) {
        if begin.len() == MOST_SUGGESTIONS {
            break;
        }
        let name = view.releases(pack).next_back().map(|row| row.name.as_str()).unwrap_or_default();
        let suggestion = || Suggestion { id: pack.id.clone(), name: name.to_owned() };
        if pack.id.starts_with(&text) {
            begin.push(suggestion());
        } else if hold.len() < MOST_SUGGESTIONS
            && (pack.id.contains(&text) || name.to_lowercase().contains(&text))
        {
            hold.push(suggestion());
        }
    }
    begin.extend(hold);
    begin.truncate(MOST_SUGGESTIONS);
    Answer::json(&json!({"suggestions": begin}))
}
