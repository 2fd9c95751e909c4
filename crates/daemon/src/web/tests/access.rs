//! Tokens and scopes: who may do what.

use axum::body::Body;
use axum::http::Request;
use pack::Digest;

use super::support::{Reply, World, greeter};
use crate::web::routes::ROUTES;

/// A registry with a token for each name, of which the name is the one scope.
pub fn with_tokens(anonymous_read: bool, more: &str) -> World {
    let mut text = format!("[auth]\nanonymous_read = {anonymous_read}\n");
    for scope in ["read", "check", "sync", "yank", "admin"] {
        let sha256 = Digest::of(token(scope).as_bytes()).hex();
        text.push_str(&format!(
            "[[auth.token]]\nname = \"{scope}\"\nsha256 = \"{sha256}\"\nscopes = [\"{scope}\"]\n"
        ));
    }
    World::configured(&format!("{text}[[source]]\nname = \"packs\"\npath = \"packs\"\n{more}"))
}

/// The token of that name.
pub fn token(name: &str) -> String {
    format!("the-token-of-{name}")
}

/// Asks in the name of a token's holder; nobody's where it is empty.
pub fn ask_as(world: &World, name: &str, method: &str, path: &str, body: &str) -> Reply {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if !name.is_empty() {
        request = request.header("authorization", format!("Bearer {}", token(name)));
    }
    world.ask(request.body(Body::from(body.to_owned())).expect("a request"))
}

#[test]
fn every_read_needs_a_token_where_nobody_may_read_without() {
    let world = with_tokens(false, "").greeter("1.0.0");
    for route in ROUTES.iter().filter(|route| route.scope.is_some()) {
        let path = super::routes::filled(route.path);
        let method = route.method.as_str();
        let reply = ask_as(&world, "", method, &path, "{}");
        reply.problem(401, "unauthorized");
        assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"packhouse\"", "{path}");
        assert_eq!(
            (reply.header("cache-control"), reply.header("vary")),
            ("no-store", "Authorization, Cookie")
        );
        assert!(!reply.text().contains("greeter"), "{path}: {}", reply.text());
    }
    assert_eq!(world.get("/healthz").status, 200);
    let reply = ask_as(&world, "read", "GET", "/v1/packs/greeter", "");
    assert_eq!(reply.json()["id"], "greeter");
    assert_eq!(reply.header("cache-control"), "private, max-age=60, stale-while-revalidate=300");
    let exact = ask_as(&world, "read", "GET", "/v1/packs/greeter/versions/1.0.0/pack.json", "");
    assert_eq!(exact.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(exact.header("vary"), "Authorization, Cookie");
    let missing = ask_as(&world, "read", "GET", "/v1/packs/nobody", "");
    assert_eq!((missing.status.as_u16(), missing.header("cache-control")), (404, "private, max-age=30"));
}

#[test]
fn a_token_does_what_its_scopes_say_and_no_more() {
    let world = with_tokens(false, "").greeter("1.0.0");
    let pack = greeter("1.1.0").to_string();
    let allowed = [
        ("GET", "/v1/packs/greeter", "", "read admin"),
        ("POST", "/v1/check", pack.as_str(), "check admin"),
        ("POST", "/v1/sources/packs/sync", "", "sync admin"),
    ];
    for (method, path, body, allowed) in allowed {
        for name in ["read", "check", "sync", "yank", "admin"] {
            let reply = ask_as(&world, name, method, path, body);
            if allowed.split(' ').any(|allowed| allowed == name) {
                assert!(reply.status.is_success(), "{name} {path}: {}", reply.text());
                continue;
            }
            let problem = reply.problem(403, "forbidden");
            let detail = problem["detail"].as_str().expect("a text");
            assert!(detail.contains(&format!("`{name}` has {name}")), "{detail}");
            assert!(reply.header("www-authenticate").contains("insufficient_scope"), "{path}");
        }
    }
}

#[test]
fn where_everybody_may_read_a_token_is_for_the_rest() {
    let world = with_tokens(true, "").greeter("1.0.0");
    assert_eq!(
        world.get("/v1/packs/greeter").header("cache-control"),
        "max-age=60, stale-while-revalidate=300"
    );
    for name in ["", "sync", "read"] {
        assert_eq!(ask_as(&world, name, "GET", "/v1/packs/greeter", "").status, 200, "{name}");
        assert_eq!(ask_as(&world, name, "POST", "/v1/check", &greeter("1.1.0").to_string()).status, 200);
    }
    ask_as(&world, "", "POST", "/v1/sources/packs/sync", "").problem(401, "unauthorized");
    ask_as(&world, "read", "POST", "/v1/sources/packs/sync", "").problem(403, "forbidden");
    assert_eq!(ask_as(&world, "sync", "POST", "/v1/sources/packs/sync", "").status, 202);
}

#[test]
fn a_token_that_nobody_knows_is_refused() {
    let world = with_tokens(true, "").greeter("1.0.0");
    for wrong in ["the-token-of-rea", "the-token-of-read ", "the-token-of-reader", ""] {
        let reply = world.get_with("/v1/packs", "authorization", &format!("bearer x{wrong}"));
        let problem = reply.problem(401, "unauthorized");
        assert!(reply.header("www-authenticate").contains("invalid_token"));
        assert!(wrong.is_empty() || !problem.to_string().contains(wrong), "the token is not repeated");
    }
    // Another scheme is meant for somebody else, and what says nothing of any pack asks nobody.
    assert_eq!(world.get_with("/v1/packs", "authorization", "Basic YTpi").status, 200);
    assert_eq!(world.get_with("/healthz", "authorization", "Bearer wrong").status, 200);
    // Without `[auth]` there is nothing that a token could mean.
    assert_eq!(World::empty().get_with("/v1/packs", "authorization", "Bearer any").status, 200);
}
