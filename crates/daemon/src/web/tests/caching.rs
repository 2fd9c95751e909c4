//! What answers say to caches, and what a client gets that has a copy or wants a part.

use axum::body::Body;
use axum::http::Request;
use pack::Digest;

use super::support::World;

fn world() -> World {
    World::empty().greeter("1.0.0")
}

const SOURCE: &str = "/v1/packs/greeter/versions/1.0.0/pack.json";

#[test]
fn exact_bytes_never_change() {
    let reply = world().get(SOURCE);
    let digest = Digest::of(&reply.bytes);
    assert_eq!(reply.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(reply.header("etag"), format!("\"{}\"", digest.hex()));
    assert_eq!(reply.header("packhouse-digest"), digest.to_string());
    assert_eq!(reply.header("packhouse-version"), "1.0.0");
    assert_eq!(reply.header("content-type"), "application/json");
    let repr = reply.header("repr-digest");
    assert!(repr.starts_with("sha-256=:") && repr.ends_with("=:"), "{repr}");
    assert_eq!(world().get("/v1/fetch/greeter@1.0.0").header("cache-control"), reply.header("cache-control"));
}

#[test]
fn documents_are_fresh_for_a_minute() {
    for path in [
        "/v1/packs",
        "/v1/packs/greeter",
        "/v1/fetch/greeter",
        "/v1/fetch/greeter@1",
        "/v1/search",
        "/v1/packs/greeter/versions/1.0.0",
        "/v1/packs/greeter/versions/1.0.0/report",
        "/v1/fetch/greeter@1.0.0?form=manifest",
    ] {
        let reply = world().get(path);
        assert_eq!(reply.header("cache-control"), "max-age=60, stale-while-revalidate=300", "{path}");
        assert_eq!(reply.header("etag").len(), 66, "{path}");
    }
    assert_eq!(world().get("/v1/packs/nobody").header("cache-control"), "max-age=30");
}

#[test]
fn a_current_copy_is_not_sent_again() {
    let world = world();
    for path in
        [SOURCE, "/v1/packs/greeter", "/v1/fetch/greeter", "/v1/packs/greeter/compare/1.0.0...1.0.0", "/"]
    {
        let first = world.get(path);
        let etag = first.header("etag").to_owned();
        let second = world.get_with(path, "if-none-match", &etag);
        assert_eq!((second.status.as_u16(), second.bytes.len()), (304, 0), "{path}");
        assert_eq!(second.header("etag"), etag);
        assert_eq!(second.header("cache-control"), first.header("cache-control"));
        assert_eq!(second.header("content-location"), first.header("content-location"));
        assert_eq!(world.get_with(path, "if-none-match", "\"other\"").status, 200);
    }
}

#[test]
fn head_says_everything_but_the_body() {
    let world = world();
    let get = world.get(SOURCE);
    let head = world.ask(Request::head(SOURCE).body(Body::empty()).expect("a request"));
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-length"), get.bytes.len().to_string());
    assert_eq!(head.header("etag"), get.header("etag"));
}

#[test]
fn a_part_can_be_asked_for() {
    let world = world();
    let whole = world.get(SOURCE);
    let length = whole.bytes.len();
    let part = world.get_with(SOURCE, "range", "bytes=2-5");
    assert_eq!(part.status, 206);
    assert_eq!(part.bytes, whole.bytes[2..6]);
    assert_eq!(part.header("content-range"), format!("bytes 2-5/{length}"));
    assert_eq!(part.header("content-length"), "4");
    assert_eq!(part.header("etag"), whole.header("etag"));
    assert_eq!(world.get_with(SOURCE, "range", "bytes=-4").bytes, whole.bytes[length - 4..]);
    let outside = world.get_with(SOURCE, "range", "bytes=999999-");
    outside.problem(416, "range-not-satisfiable");
    assert_eq!(outside.header("content-range"), format!("bytes */{length}"));
    let request = Request::get(SOURCE).header("range", "bytes=0-1").header("if-range", "\"old\"");
    assert_eq!(world.ask(request.body(Body::empty()).expect("a request")).status, 200);
}
