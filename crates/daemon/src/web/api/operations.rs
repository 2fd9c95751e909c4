//! What operators and programs ask of the process itself.

use std::fmt::Write;

use axum::extract::State;
use jiff::Timestamp;

use super::sources::{SourceView, every};
use crate::counters::{Counters, SourceCounters, WebhookCounters};
use crate::web::App;
use crate::web::answer::{Answer, Caching};
use crate::web::openapi;
use crate::web::problem::{Kind, Problem};
use crate::web::routes::ROUTES;
use crate::web::target::View;

/// The OpenAPI document.
pub(crate) async fn openapi() -> Result<Answer, Problem> {
    Answer::json(&openapi::document())
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// The process answers.
pub(crate) async fn health() -> Answer {
    Answer::text("ok\n", PLAIN).caching(Caching::Revalidate)
}

/// The first scans are through.
pub(crate) async fn ready(State(app): State<App>) -> Result<Answer, Problem> {
    if !app.is_ready() {
        return Err(Problem::new(Kind::NotReady, "the first look at the sources is still under way"));
    }
    Ok(Answer::text("ready\n", PLAIN).caching(Caching::Revalidate))
}

/// Counters in Prometheus' text format.
pub(crate) async fn metrics(State(app): State<App>, view: View) -> Answer {
    let mut text = String::new();
    requests(&app, &mut text);
    let (packs, releases) = view.snapshot.totals(&view.reader);
    gauge(&mut text, "packhouse_packs", "Packs that are published.", &[("", packs.to_string())]);
    gauge(&mut text, "packhouse_releases", "Releases that are published.", &[("", releases.to_string())]);
    let last = view.snapshot.last_event.to_string();
    gauge(&mut text, "packhouse_last_event", "Number of the last event.", &[("", last)]);
    let ready = u8::from(app.is_ready()).to_string();
    gauge(&mut text, "packhouse_ready", "Whether the first scans are through.", &[("", ready)]);
    if app.store.has_remote() {
        let is_of_use = u8::from(app.store.remote_trouble().is_none()).to_string();
        let about = "Whether the ledger's remote answered and fitted when it was last asked.";
        gauge(&mut text, "packhouse_ledger_remote_up", about, &[("", is_of_use)]);
    }
    let shown = every(&app, &view, false);
    sources(&shown, &mut text);
    work(&app.counters, &shown, &mut text);
    webhooks(&app, &view, &mut text);
    Answer::text(text, "text/plain; version=0.0.4; charset=utf-8").caching(Caching::Revalidate)
}

fn requests(app: &App, text: &mut String) {
    let name = "packhouse_http_requests_total";
    head(text, name, "counter", "Answers by route, method and status.");
    for (route, status, number) in app.metrics.counted() {
        let (path, method) =
            route.map_or(("other", "any"), |at| (ROUTES[at].path, ROUTES[at].method.as_str()));
        let _ = writeln!(text, "{name}{{route=\"{path}\",method=\"{method}\",status=\"{status}\"}} {number}");
    }
}

fn sources(sources: &[SourceView], text: &mut String) {
    let label = |source: &SourceView| format!("{{source=\"{}\"}}", source.name);
    let now = Timestamp::now();
    let ages: Vec<(String, String)> = sources
        .iter()
        .filter_map(|source| {
            let age = now.duration_since(source.last_success?).as_secs_f64().max(0.0);
            Some((label(source), format!("{age:.3}")))
        })
        .collect();
    let about = "Seconds since a source was last read well.";
    gauge(text, "packhouse_source_last_success_age_seconds", about, &ages);
    let failing = |source: &SourceView| u8::from(source.state == "failing").to_string();
    let states: Vec<_> = sources.iter().map(|source| (label(source), failing(source))).collect();
    gauge(text, "packhouse_source_failing", "Whether a source cannot be read.", &states);
    let mut problems = Vec::new();
    for source in sources {
        for level in ["error", "warn", "info"] {
            let count = source.problems.iter().filter(|problem| problem.level.as_str() == level).count();
            let labels = format!("{{source=\"{}\",level=\"{level}\"}}", source.name);
            problems.push((labels, count.to_string()));
        }
    }
    gauge(text, "packhouse_source_problems", "Problems that a source shows now.", &problems);
}

/// What was done for each source that is shown.
fn work(counters: &Counters, shown: &[SourceView], text: &mut String) {
    let rows_of = || counters.all().filter(|(name, _)| shown.iter().any(|source| source.name == *name));
    type Number = fn(&SourceCounters) -> u64;
    let rows: [(&str, &str, Number); 5] = [
        ("hints", "Hints that a source may have moved.", |source| source.hints.get()),
        ("scans", "Scans of a source.", |source| source.scans.get()),
        ("fetched_bytes", "Bytes of objects that fetches brought.", |source| source.bytes.get()),
        ("fetched_objects", "Objects that fetches brought.", |source| source.objects.get()),
        ("refused_candidates", "Versions that were refused, each time they were judged.", |source| {
            source.refused.get()
        }),
    ];
    for (name, about, number) in rows {
        let name = format!("packhouse_source_{name}_total");
        head(text, &name, "counter", about);
        for (source, counters) in rows_of() {
            let _ = writeln!(text, "{name}{{source=\"{source}\"}} {}", number(counters));
        }
    }
    let name = "packhouse_source_fetches_total";
    head(text, name, "counter", "Fetches of a remote source by how they ended.");
    for (source, counters) in rows_of() {
        for (result, number) in [("ok", counters.fetched.get()), ("failed", counters.failed.get())] {
            let _ = writeln!(text, "{name}{{source=\"{source}\",result=\"{result}\"}} {number}");
        }
    }
}

/// What webhooks were told, to those who see whatever these are told.
fn webhooks(app: &App, view: &View, text: &mut String) {
    let sees_all =
        |groups: &[String]| groups.iter().all(|group| view.reader.is_among(std::slice::from_ref(group)));
    let configured = app.settings.webhooks.iter().zip(app.counters.webhooks());
    let shown = configured.zip(1..).filter(|((webhook, _), _)| sees_all(&webhook.groups));
    let shown: Vec<(u64, &WebhookCounters)> =
        shown.map(|((_, counters), number)| (number, counters)).collect();
    if shown.is_empty() {
        return;
    }
    let name = "packhouse_webhook_deliveries_total";
    head(text, name, "counter", "Messages to a webhook, each time they were sent, by how that ended.");
    for (number, counters) in &shown {
        for (result, count) in [("ok", counters.delivered.get()), ("failed", counters.failed.get())] {
            let _ = writeln!(text, "{name}{{webhook=\"{number}\",result=\"{result}\"}} {count}");
        }
    }
    type Number = fn(&WebhookCounters) -> u64;
    let rows: [(&str, &str, Number); 2] = [
        ("failing", "Whether a webhook does not take what it is told.", |webhook| webhook.failing.get()),
        (
            "last_event",
            "Number of the last event that a webhook was told, or is not to be told.",
            |webhook| webhook.last_event.get(),
        ),
    ];
    for (name, about, value) in rows {
        let label = |number: &u64| format!("{{webhook=\"{number}\"}}");
        let values: Vec<_> =
            shown.iter().map(|(number, counters)| (label(number), value(counters).to_string())).collect();
        gauge(text, &format!("packhouse_webhook_{name}"), about, &values);
    }
}

fn head(text: &mut String, name: &str, kind: &str, about: &str) {
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

fn gauge<L: AsRef<str>>(text: &mut String, name: &str, about: &str, values: &[(L, String)]) {
    head(text, name, "gauge", about);
    for (labels, value) in values {
        let _ = writeln!(text, "{name}{} {value}", labels.as_ref());
    }
}
