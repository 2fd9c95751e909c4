//! `/v1/events`: the numbered facts of the ledger.

use axum::extract::State;
use registry::Event;
use serde_json::json;

use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::parameters::Parameters;
use crate::web::problem::Problem;
use crate::web::target::View;

/// What happened after a number, oldest first.
pub(crate) async fn list(
    State(app): State<App>,
    view: View,
    parameters: Parameters,
) -> Result<Answer, Problem> {
    let after = parameters.number("after", 0)?;
    let limit = parameters.limit(100, 1000)?;
    let events = app.store.events_after(after, limit);
    let next_after = events.last().map_or(after, |event| event.number);
    let shown: Vec<&Event> = events.iter().filter(|event| is_visible(&view, event)).collect();
    Ok(Answer::json(&json!({"events": shown, "next_after": next_after}))?.caching(Caching::Revalidate))
}

/// What concerns a pack is seen by those who see the pack.
fn is_visible(view: &View, event: &Event) -> bool {
    event.pack.is_empty() || view.snapshot.pack(&view.reader, &event.pack).is_some()
}
