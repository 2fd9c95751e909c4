//! Browsers sign in, see what their token sees, and change nothing for another site.

use axum::body::Body;
use axum::http::Request;

use super::access::{token, with_tokens};
use super::support::{Reply, World};

const HOST: &str = "packs.example.org";

/// A request of a browser: a method, a path, further headers, the fields of a form.
fn browse(world: &World, method: &str, path: &str, headers: &[(&str, &str)], form: &str) -> Reply {
    let mut request =
        Request::builder().method(method).uri(path).header("host", HOST).header("accept", "text/html");
    if method == "POST" {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    world.ask(request.body(Body::from(form.to_owned())).expect("a request"))
}

/// The cookie that a browser holds after it signed in with a token.
fn signed_in(world: &World, name: &str) -> String {
    let origin = format!("http://{HOST}");
    let reply = browse(world, "POST", "/login", &[("origin", &origin)], &format!("token={}", token(name)));
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/"), "{}", reply.text());
    let cookie = reply.header("set-cookie");
    let (pair, attributes) = cookie.split_once("; ").expect("a cookie");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax");
    assert_eq!(reply.header("cache-control"), "no-store");
    pair.to_owned()
}

#[test]
fn a_browser_signs_in_and_out() {
    let world = with_tokens(false, "").greeter("1.0.0");
    let refused = browse(&world, "GET", "/packs/greeter", &[], "");
    assert_eq!(refused.status, 401);
    assert!(refused.text().contains("href=\"/login\"") && !refused.text().contains("Greets people"));
    let page = browse(&world, "GET", "/login", &[], "");
    assert!(page.html().contains("type=\"password\" name=\"token\""), "{}", page.text());
    assert_eq!(page.header("cache-control"), "no-store");
    let cookie = signed_in(&world, "read");
    let cookies = format!("theme=dark; {cookie}");
    let with = |path: &str| browse(&world, "GET", path, &[("cookie", &cookies)], "");
    assert!(with("/packs/greeter").html().contains("Greets people"));
    let who = with("/login").html();
    assert!(who.contains("<strong>read</strong>") && who.contains("action=\"/logout\""), "{who}");
    assert!(!who.contains(&token("read")), "the token is not repeated");
    // A header says more than a cookie.
    let both = [("cookie", cookies.as_str()), ("authorization", "Bearer wrong")];
    assert_eq!(browse(&world, "GET", "/packs/greeter", &both, "").status, 401);
    let origin = format!("http://{HOST}");
    let out = browse(&world, "POST", "/logout", &[("origin", &origin), ("cookie", &cookies)], "");
    assert_eq!((out.status.as_u16(), out.header("location")), (303, "/login"));
    assert_eq!(out.header("set-cookie"), "packhouse_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
}

#[test]
fn a_cookie_over_https_never_leaves_it() {
    let world = with_tokens(true, "");
    let origin = format!("https://{HOST}");
    let reply = browse(&world, "POST", "/login", &[("origin", &origin)], &format!("token={}", token("read")));
    assert!(reply.header("set-cookie").ends_with("; HttpOnly; SameSite=Lax; Secure"), "{:?}", reply.headers);
}

#[test]
fn a_token_that_nobody_knows_signs_nobody_in() {
    let world = with_tokens(true, "");
    let origin = format!("http://{HOST}");
    for wrong in ["", "the-token-of-reader", "%22%3B%0d%0aSet-Cookie:x"] {
        let reply = browse(&world, "POST", "/login", &[("origin", &origin)], &format!("token={wrong}"));
        assert_eq!((reply.status.as_u16(), reply.header("set-cookie")), (401, ""));
        assert!(reply.text().contains("does not know the token"), "{}", reply.text());
        assert!(wrong.is_empty() || !reply.text().contains(wrong), "the token is not repeated");
    }
    for form in ["", "other=1"] {
        let reply = browse(&world, "POST", "/login", &[("origin", &origin)], form);
        assert_eq!((reply.status.as_u16(), reply.header("set-cookie")), (400, ""), "{}", reply.text());
    }
    let large = format!("token={}", "x".repeat(20_000));
    assert_eq!(browse(&world, "POST", "/login", &[("origin", &origin)], &large).status, 413);
    let open = World::empty();
    assert!(!browse(&open, "GET", "/login", &[], "").html().contains("<form class=\"search\" method"));
    assert_eq!(browse(&open, "POST", "/login", &[("origin", &origin)], "token=x").status, 401);
}

#[test]
fn a_browser_whose_token_was_taken_back_is_signed_out() {
    let world = with_tokens(true, "").greeter("1.0.0");
    let stale = [("cookie", "packhouse_token=taken-back")];
    assert_eq!(browse(&world, "GET", "/packs/greeter", &stale, "").status, 200);
    assert!(browse(&world, "GET", "/login", &stale, "").html().contains("type=\"password\""));
    let private = with_tokens(false, "").greeter("1.0.0");
    assert_eq!(browse(&private, "GET", "/packs/greeter", &stale, "").status, 401);
}

#[test]
fn what_another_site_makes_a_browser_ask_changes_nothing() {
    let world = with_tokens(true, "").greeter("1.0.0");
    let cookie = signed_in(&world, "admin");
    let post = |path: &str, origin: &[(&str, &str)], body: &str| {
        let mut request = Request::post(path).header("host", HOST).header("cookie", &cookie);
        for (name, value) in origin {
            request = request.header(*name, *value);
        }
        world.ask(request.body(Body::from(body.to_owned())).expect("a request"))
    };
    let foreign = [
        vec![],
        vec![("origin", "null")],
        vec![("origin", "https://evil.example")],
        vec![("origin", "http://packs.example.org.evil.example")],
        vec![("origin", "http://packs.example.org:8080")],
    ];
    for origin in foreign {
        for path in ["/v1/packs/greeter/versions/1.0.0/yank", "/v1/sources/packs/sync"] {
            post(path, &origin, r#"{"reason": "x"}"#).problem(403, "foreign-origin");
        }
        for path in ["/login", "/logout"] {
            let reply = post(path, &origin, "token=x");
            reply.problem(403, "foreign-origin");
            assert_eq!(reply.header("set-cookie"), "", "{path} {origin:?}");
        }
    }
    assert_eq!(world.get("/v1/events?after=1").json()["events"], serde_json::json!([]));
    let own = [("origin", "http://packs.example.org")];
    post("/v1/packs/greeter/versions/1.0.0/yank", &own, r#"{"reason": "x"}"#).json();
    // Who sends the token on purpose needs no origin.
    let bearer = format!("Bearer {}", token("admin"));
    let bearer = [("authorization", bearer.as_str()), ("origin", "https://tools.example")];
    post("/v1/packs/greeter/versions/1.0.0/unyank", &bearer, "").json();
}
