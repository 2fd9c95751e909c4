//! `/v1/events`: the numbered facts of the ledger, as a list or live.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, unfold};
use registry::Event;
use serde_json::json;
use store::Reader;

use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::parameters::Parameters;
use crate::web::pool::blocking;
use crate::web::problem::Problem;
use crate::web::target::View;

/// How often a stream looks whether something happened. Looking costs one read of the snapshot's number.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How often a silent stream says that it is still there.
const STILL_THERE: Duration = Duration::from_secs(15);

/// The most events that are read at once.
const MOST_AT_ONCE: u64 = 1000;

/// What happened after a number, oldest first; live for those who ask for an event stream.
pub(crate) async fn list(
    State(app): State<App>,
    view: View,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, Problem> {
    let after = parameters.number("after", 0)?;
    let limit = parameters.limit(100, MOST_AT_ONCE)?;
    if wants_stream(&headers) {
        let after = last_seen(&headers)?.unwrap_or(after);
        // Proxies that collect answers would keep events back.
        let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
        let alive = KeepAlive::new().interval(STILL_THERE);
        return Ok((unbuffered, Sse::new(live(app, view.reader, after)).keep_alive(alive)).into_response());
    }
    let events = app.store.events_after(after, limit);
    let next_after = events.last().map_or(after, |event| event.number);
    let shown: Vec<&Event> = events.iter().filter(|event| view.snapshot.tells(&view.reader, event)).collect();
    let answer = Answer::json(&json!({"events": shown, "next_after": next_after}))?;
    Ok(answer.caching(Caching::Revalidate).into_response())
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/event-stream"))
}

/// What a browser that lost the connection has seen.
fn last_seen(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let text = String::from_utf8_lossy(value.as_bytes());
    let number = text.parse().map_err(|_| Problem::malformed("Last-Event-ID", &text, "a number stands here"));
    number.map(Some)
}

/// A reader who stays.
struct Listener {
    app: App,
    reader: Reader,
    after: u64,
    waiting: VecDeque<Event>,
}

/// Everything after a number, and then whatever happens.
fn live(app: App, reader: Reader, after: u64) -> impl Stream<Item = Result<Message, Infallible>> {
    let listener = Listener { app, reader, after, waiting: VecDeque::new() };
    unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok(message(&event)), listener))
    })
}

impl Listener {
    /// Waits for the next event that the reader may see; none when the registry closes.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                self.after = event.number;
                if self.app.store.snapshot().tells(&self.reader, &event) {
                    return Some(event);
                }
                continue;
            }
            while self.app.store.snapshot().last_event <= self.after {
                if self.app.is_closing() {
                    return None;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            let (store, after) = (self.app.store.clone(), self.after);
            let read = blocking(move || Ok(store.events_after(after, MOST_AT_ONCE as usize))).await;
            self.waiting = read.ok().filter(|events| !events.is_empty())?.into();
        }
    }
}

fn message(event: &Event) -> Message {
    let data = serde_json::to_string(event).unwrap_or_default();
    Message::default().id(event.number.to_string()).event(event.kind.as_str()).data(data)
}
