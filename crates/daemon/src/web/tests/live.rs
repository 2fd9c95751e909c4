//! Events as they happen.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;
use tower::ServiceExt;

use super::support::World;
use crate::web::router;

/// Reads a stream until it holds `wanted`, or a deadline has passed.
async fn read_until(body: Body, wanted: &str) -> String {
    let mut seen = String::new();
    let mut chunks = body.into_data_stream();
    let reading = async {
        while !seen.contains(wanted) {
            let Some(Ok(chunk)) = chunks.next().await else { break };
            seen.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(20), reading).await;
    seen
}

async fn stream(world: &World, last_seen: Option<&str>) -> Body {
    let mut request = Request::get("/v1/events?after=1").header("accept", "text/event-stream");
    if let Some(last_seen) = last_seen {
        request = request.header("last-event-id", last_seen);
    }
    let request = request.body(Body::empty()).expect("a request");
    let response = router(world.app.clone()).oneshot(request).await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response.into_body()
}

#[tokio::test]
async fn listeners_hear_what_was_and_what_comes() {
    let world = World::empty().greeter("1.0.0").greeter("1.0.1");
    let body = stream(&world, None).await;
    let app = world.app.clone();
    let reading = tokio::spawn(read_until(body, "id: 3\n"));
    let _world = world.greeter("1.0.2");
    let seen = reading.await.expect("a reader");
    assert!(!seen.contains("id: 1\n"), "{seen}");
    assert!(seen.contains("id: 2\n") && seen.contains("event: published\n"), "{seen}");
    assert!(seen.contains("\"version\":\"1.0.2\""), "{seen}");
    app.close();
}

#[tokio::test]
async fn a_listener_that_comes_back_says_what_it_has_seen() {
    let world = World::empty().greeter("1.0.0").greeter("1.0.1").greeter("1.0.2");
    let body = stream(&world, Some("2")).await;
    // A stream of a registry that closes ends once it has told everything.
    world.app.close();
    let seen = read_until(body, "nothing that comes").await;
    assert!(seen.starts_with("id: 3\n") || seen.contains("\nid: 3\n"), "{seen}");
    assert!(!seen.contains("id: 2\n"), "{seen}");
}
