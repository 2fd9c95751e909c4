//! Everything that goes wrong is a problem document.

use axum::body::Body;
use axum::http::Request;

use registry::ProblemCode;

use super::support::{World, breaking_greeter, greeter};
use crate::web::problem::Kind;

fn world() -> World {
    World::empty().greeter("1.0.0").publish(&breaking_greeter("1.1.0"))
}

#[test]
fn what_is_not_there_is_said() {
    let world = world();
    world.get("/v1/nothing").problem(404, "not-found");
    world.get("/v1/packs/nobody").problem(404, "pack-not-found");
    world.get("/v1/packs/greeter/versions/9.9.9").problem(404, "release-not-found");
    world.get("/v1/packs/greeter/versions/1.0.0/skills/x/y").problem(404, "file-not-found");
    world.get(&format!("/v1/packs/greeter/blobs/sha256/{}", "0".repeat(64))).problem(404, "file-not-found");
    world.get("/v1/fetch/greeter@canary").problem(404, "release-not-found");
    world.get("/v1/fetch/nobody").problem(404, "pack-not-found");
    world.get("/v1/sources/nobody").problem(404, "source-not-found");
    world.get("/v1/rules/nothing").problem(404, "rule-not-found");
}

#[test]
fn held_releases_are_named_with_the_reason() {
    let problem = world().get("/v1/fetch/greeter@~1.1").problem(404, "release-held");
    assert_eq!(problem["held"], serde_json::json!([{"version": "1.1.0", "reasons": ["insufficient-bump"]}]));
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("1.1.0 (insufficient-bump)")));
}

#[test]
fn malformed_requests_are_refused() {
    let world = world();
    for reference in ["Greeter", "greeter@", "greeter@1.2.3.4", "greeter@sha256:12", "greeter@%5E%5E1"] {
        world.get(&format!("/v1/fetch/{reference}")).problem(400, "malformed-reference");
    }
    world.get("/v1/packs/greeter/versions/latest").problem(400, "malformed-parameter");
    world.get("/v1/packs/greeter/compare/1.0.0").problem(400, "malformed-parameter");
    world.get("/v1/packs/greeter/blobs/sha256/12").problem(400, "malformed-parameter");
    world.get("/v1/packs?limit=many").problem(400, "malformed-parameter");
    world.get("/v1/packs?limit=0").problem(400, "malformed-parameter");
    world.get("/v1/search?cursor=x").problem(400, "malformed-parameter");
    world.get("/v1/packs/%FF").problem(400, "malformed-parameter");
    let bad_id =
        Request::get("/v1/events").header("accept", "text/event-stream").header("last-event-id", "x");
    world.ask(bad_id.body(Body::empty()).expect("a request")).problem(400, "malformed-parameter");
    let unknown = world.get("/v1/search?querry=x").problem(400, "unknown-parameter");
    assert!(
        unknown["detail"].as_str().is_some_and(|text| text.contains("`querry`") && text.contains("`tag`"))
    );
    let problem = world.get("/v1/fetch/greeter?form=nonsense").problem(400, "form-unavailable");
    let forms = serde_json::json!(["source", "resolved", "portable", "bundle", "manifest"]);
    assert_eq!(problem["forms"], forms);
}

#[test]
fn other_methods_name_those_that_are_there() {
    let world = world();
    let reply = world.post("/v1/packs", "{}");
    reply.problem(405, "method-not-allowed");
    assert_eq!(reply.header("allow"), "GET,HEAD");
    let reply = world.get("/v1/check");
    reply.problem(405, "method-not-allowed");
    assert_eq!(reply.header("allow"), "POST");
}

#[test]
fn nobody_may_write_without_tokens() {
    let problem = world().post("/v1/sources/packs/sync", "").problem(403, "forbidden");
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.contains("`[auth]`") && detail.contains("packhouse token new --name NAME --scope sync"));
}

#[test]
fn bodies_are_checked_before_they_are_read() {
    let world =
        World::configured("[[source]]\nname = \"packs\"\npath = \"a\"\n[limits]\npack_bytes = \"1KiB\"\n");
    let check = |content_type: &str, body: Vec<u8>| {
        world.ask(
            Request::post("/v1/check")
                .header("content-type", content_type)
                .body(Body::from(body))
                .expect("a request"),
        )
    };
    check("text/plain", b"{}".to_vec()).problem(415, "unsupported-media-type");
    check("application/json", vec![b' '; 2000]).problem(413, "too-large");
    let announced = Request::post("/v1/check").header("content-length", "2000").body(Body::empty());
    world.ask(announced.expect("a request")).problem(413, "too-large");
    let broken = check("application/json; charset=utf-8", b"{\"id\": }".to_vec()).problem(422, "not-a-pack");
    assert!(broken["findings"][0]["line"].is_number() && broken["errors"][0]["detail"].is_string());
    check("application/vnd.promptpack+json", b"[]".to_vec()).problem(422, "not-a-pack");
    world.post("/v1/resolve", "{\"refs\": 3}").problem(400, "malformed-body");
    world.post("/v1/resolve", "{\"refs\": [], \"more\": 1}").problem(400, "malformed-body");
}

#[test]
fn a_full_pool_says_so() {
    let mut world = world();
    world.app.pool = crate::web::pool::Pool::with_places(0);
    let reply = world.get("/v1/packs/greeter/compare/1.0.0...1.1.0");
    reply.problem(503, "busy");
    assert_eq!(reply.header("retry-after"), "1");
    world.post("/v1/check", greeter("2.0.0").to_string()).problem(503, "busy");
}

#[test]
fn every_kind_has_a_page() {
    let world = world();
    for kind in Kind::ALL {
        let page = world.page(&format!("/problems/{}", kind.slug())).html();
        assert!(page.contains(kind.slug()), "{page}");
    }
    let slugs: Vec<&str> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
    for code in ProblemCode::ALL.iter().filter(|code| !slugs.contains(&code.as_str())) {
        let page = world.page(&format!("/problems/{code}")).html();
        assert!(page.contains("Problem of a source") && page.contains(code.as_str()), "{page}");
    }
}

#[test]
fn every_path_and_digest_of_a_removed_release_says_so() {
    let world = World::empty().greeter("1.0.0").greeter("1.1.0");
    let manifest = world.get("/v1/packs/greeter/versions/1.1.0").json();
    let digest = manifest["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
    let digest = digest.expect("a digest").to_owned();
    world.get(&format!("/v1/packs/greeter/blobs/sha256/{digest}"));
    let at = jiff::Timestamp::from_second(2_000_000_000).expect("a time");
    let version = semver::Version::new(1, 1, 0);
    world.app.store.remove("greeter", &version, "a secret", "ada", at).expect("a removal");
    for path in ["", "/pack.json", "/resolved.json", "/report", "/skills/tone/SKILL.md"] {
        world.get(&format!("/v1/packs/greeter/versions/1.1.0{path}")).problem(410, "removed");
    }
    for path in [
        "fetch/greeter@1.1.0".to_owned(),
        format!("fetch/greeter@sha256:{digest}"),
        format!("packs/greeter/blobs/sha256/{digest}"),
        "packs/greeter/compare/1.0.0...1.1.0".to_owned(),
    ] {
        world.get(&format!("/v1/{path}")).problem(410, "removed");
    }
    let pack = world.get("/v1/packs/greeter").json();
    assert_eq!((&pack["latest"], pack["versions"].as_array().map(Vec::len)), (&"1.0.0".into(), Some(1)));
    let removed =
        serde_json::json!([{"version": "1.1.0", "removed_at": "2033-05-18T03:33:20Z", "reason": "a secret"}]);
    assert_eq!(pack["removed"], removed);
    let page = world.page("/packs/greeter").text();
    assert!(page.contains("1.1.0 was removed"), "{page}");
    let said = world.get("/v1/fetch/greeter@1.1.0").text();
    assert!(said.contains("`greeter@1.1.0` was removed on 2033-05-18T03:33:20Z: a secret"), "{said}");
}
