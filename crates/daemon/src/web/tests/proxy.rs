//! Users whom a reverse proxy names.

use axum::body::Body;
use axum::http::Request;

use super::support::{Reply, World};
use crate::listen::Peer;

const PROXY: &str = "10.1.2.3";
const ELSEWHERE: &str = "192.0.2.1";

/// A registry that believes a proxy, with an open source and one for `payments`.
fn world(anonymous_read: bool) -> World {
    let auth = format!("[auth]\nanonymous_read = {anonymous_read}\n");
    let proxy =
        "[auth.proxy]\nuser_header = \"X-User\"\ngroups_header = \"X-Groups\"\ntrusted = [\"10.0.0.0/8\"]\n";
    let sources = "[[source]]\nname = \"packs\"\npath = \"packs\"\nreaders = [\"payments\"]\n";
    World::configured(&format!("{auth}{proxy}{sources}")).greeter("1.0.0")
}

/// Asks over a connection from an address, nobody knows which where it is empty.
fn ask(world: &World, from: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !from.is_empty() {
        request = request.extension(Peer(from.parse().expect("an address")));
    }
    world.ask(request.body(Body::empty()).expect("a request"))
}

const ADA: [(&str, &str); 2] = [("x-user", "ada@example.org"), ("x-groups", "ops, payments")];
const PACK: &str = "/v1/packs/greeter";

#[test]
fn a_trusted_proxy_says_who_asks() {
    for anonymous_read in [true, false] {
        let world = world(anonymous_read);
        let reply = ask(&world, PROXY, "GET", PACK, &ADA);
        assert_eq!(reply.json()["id"], "greeter");
        assert_eq!(reply.header("vary"), "Authorization, Cookie, x-user, x-groups");
        assert!(reply.header("cache-control").starts_with("private, "));
        let page = ask(&world, PROXY, "GET", "/login", &ADA).html();
        assert!(
            page.contains("<strong>ada@example.org</strong>") && page.contains("ops, payments"),
            "{page}"
        );
        assert!(!page.contains("/logout"), "the proxy signs out: {page}");
        // The group makes the difference.
        let other = [ADA[0], ("x-groups", "ops,payment")];
        ask(&world, PROXY, "GET", PACK, &other).problem(404, "pack-not-found");
        ask(&world, PROXY, "GET", PACK, &ADA[..1]).problem(404, "pack-not-found");
    }
}

#[test]
fn anybody_else_says_nothing_with_the_same_headers() {
    for from in [ELSEWHERE, "::1", ""] {
        ask(&world(true), from, "GET", PACK, &ADA).problem(404, "pack-not-found");
        ask(&world(false), from, "GET", PACK, &ADA).problem(401, "unauthorized");
    }
}

#[test]
fn a_user_without_a_name_is_nobody() {
    for name in ["", " ", "a,b", "\"ada\""] {
        let headers = [("x-user", name), ADA[1]];
        ask(&world(false), PROXY, "GET", PACK, &headers).problem(401, "unauthorized");
    }
    ask(&world(false), PROXY, "GET", PACK, &ADA[1..]).problem(401, "unauthorized");
}

#[test]
fn a_header_that_comes_twice_is_not_believed() {
    for second in ADA {
        let headers = [ADA[0], ADA[1], second];
        let problem = ask(&world(true), PROXY, "GET", PACK, &headers).problem(401, "unauthorized");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(&format!("`{}` came twice", second.0)), "{detail}");
    }
}

#[test]
fn a_proxied_user_looks_and_changes_nothing() {
    let world = world(false);
    for path in [
        "/v1/sources/packs/sync",
        "/v1/packs/greeter/versions/1.0.0/yank",
        "/v1/packs/greeter/versions/1.0.0/remove",
    ] {
        let problem = ask(&world, PROXY, "POST", path, &ADA).problem(403, "forbidden");
        assert!(problem["detail"].as_str().is_some_and(|text| text.contains("has read, check")), "{problem}");
    }
    // A token goes before the proxy's word.
    let wrong = [ADA[0], ADA[1], ("authorization", "Bearer wrong")];
    ask(&world, PROXY, "GET", PACK, &wrong).problem(401, "unauthorized");
}
