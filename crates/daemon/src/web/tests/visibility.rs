//! What is for a few groups looks to everybody else like what is not there.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use pack::Digest;
use registry::status::StatusEdit;
use registry::{ProblemCode, RegistrySettings};
use serde_json::{Value, json};

use super::access::{ask_as, token, with_tokens};
use super::support::{Reply, World, a_problem, composition, greeter, now};
use crate::web::hooks::Hooks;
use crate::web::routes::{ROUTES, Route};

/// The pack that few may see, and its source; as long as [`NOBODY`].
const PACK: &str = "cobalt";
const SOURCE: &str = "vaults";
/// What is not there.
const NOBODY: &str = "wqzzyx";

/// Words that stand in what few may see, and nowhere else.
const WORDS: [&str; 8] = [PACK, SOURCE, "quixotic", "zephyr", "xyzzy", "lookup_hoard", "gemstone", "wyvern"];

/// A source that only `payments` may see, and the token of somebody of that group.
fn hidden() -> String {
    let sha256 = Digest::of(token("member").as_bytes()).hex();
    format!(
        "[[source]]\nname = \"{SOURCE}\"\npath = \"{SOURCE}\"\nreaders = [\"payments\"]\nwebhook_secret_env = \"VAULTS\"\n\
         [[auth.token]]\nname = \"member\"\nsha256 = \"{sha256}\"\nscopes = [\"admin\"]\ngroups = [\"payments\"]\n"
    )
}

/// The hidden pack.
fn cobalt(version: &str) -> Value {
    let mut pack = greeter(version);
    pack["id"] = PACK.into();
    pack["name"] = "Cobalt".into();
    pack["description"] = "Quixotic balances.".into();
    pack["metadata"] = json!({"domain": "gemstone", "language": "cy", "tags": ["zephyr"]});
    pack["prompts"]["hello"]["system_template"] = "Say xyzzy to {{name}}.".into();
    pack["prompts"]["hello"]["tools"] = json!(["lookup_hoard"]);
    pack["tools"] = json!({"lookup_hoard": {"name": "lookup_hoard", "description": "Looks.", "parameters": {"type": "object", "properties": {}}}});
    pack["skills"] = json!(["skills/wave"]);
    pack["compositions"] = composition("schemas/input.txt");
    pack
}

/// A registry of an open pack and a hidden one.
fn world(anonymous_read: bool) -> World {
    let world = with_tokens(anonymous_read, &hidden()).greeter("1.0.0").in_source(SOURCE);
    let mut world = world
        .file("skills/wave/SKILL.md", "---\nname: wave\ndescription: Wyvern.\n---\nWave.\n")
        .file("schemas/input.txt", r#"{"type": "object"}"#)
        .publish(&cobalt("1.0.0"))
        .publish(&cobalt("1.0.1"))
        .problem(&a_problem(ProblemCode::NotJson, "wyvern.pack.json", "1:2: odd"), true);
    let channel = StatusEdit::Channel { name: "stable".to_owned(), version: semver::Version::new(1, 0, 0) };
    world.app.store.change_status(PACK, &channel, "ada", now()).expect("a channel");
    world.app.hooks = Arc::new(Hooks::new(&world.app.settings, |_| Some("secret".to_owned())));
    world
}

/// Every request that a route answers about something called `name`.
fn requests(route: &Route, name: &str) -> Vec<(String, String)> {
    let of_source = route.path.contains("/sources/") || route.path.contains("{source}");
    let id = if name == PACK && of_source { SOURCE } else { name };
    let hex = Digest::of(&serde_json::to_vec_pretty(&cobalt("1.0.0")).expect("JSON")).hex();
    let parts = route.path.split('/').map(|part| match part {
        "{id}" | "{source}" => id,
        "{name}" if of_source => id,
        "{name}" if route.path.contains("/channels/") => "stable",
        "{name}" => "wave",
        "{version}" => "1.0.0",
        "{pair}" => "1.0.0...1.0.1",
        "{*file}" if route.path.contains("/files/") => "schemas/input.txt",
        "{*file}" => "SKILL.md",
        "{hex}" => &hex,
        part => part,
    });
    let path = parts.collect::<Vec<&str>>().join("/");
    let mut paths: Vec<String> = match path.contains("{ref}") {
        true => {
            let wanteds = ["", "@1.0.0", "@^1", "@stable", &format!("@sha256:{hex}")].map(str::to_owned);
            wanteds.iter().map(|wanted| path.replace("{ref}", &format!("{id}{wanted}"))).collect()
        }
        false => vec![path.clone()],
    };
    let searches = path == "/" || route.query.contains(&"q");
    if searches {
        paths.extend(["", "id:"].map(|filter| format!("{path}?q={filter}{id}")));
    }
    if route.query.contains(&"all") {
        paths.push(format!("{path}?all=true"));
    }
    if route.query.contains(&"against") {
        paths.extend(["latest", "1.0.0"].map(|against| format!("{path}?against={against}")));
    }
    let mut pack = cobalt("1.0.0");
    pack["id"] = id.into();
    let body = match route.path {
        "/v1/resolve" => json!({"refs": [id, format!("{id}@1.0.0"), format!("{id}@^1")]}).to_string(),
        "/v1/check" => pack.to_string(),
        path if path.ends_with("/channels/{name}") => r#"{"version": "1.0.0"}"#.to_owned(),
        path if path.contains("/versions/") => r#"{"reason": "because"}"#.to_owned(),
        _ => String::new(),
    };
    paths.into_iter().map(|path| (path, body.clone())).collect()
}

/// Asks as a token's holder, nobody's where it is empty, as a program or as a browser.
fn ask(world: &World, who: &str, method: &str, (path, body): &(String, String), is_browser: bool) -> Reply {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if !who.is_empty() {
        request = request.header("authorization", format!("Bearer {}", token(who)));
    }
    if is_browser {
        request = request.header("accept", "text/html");
    }
    world.ask(request.body(Body::from(body.clone())).expect("a request"))
}

/// An answer without what it repeats of the request, or makes of it: a fingerprint is of the pack's id too.
fn told(reply: &Reply, name: &str) -> String {
    let text = reply.text().replace(name, "NAME");
    let mut parts = text.split("\"fingerprint\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + part.get(16..).unwrap_or_default());
    let headers: Vec<String> =
        reply.headers.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
    let headers = headers.join("\n").replace(name, "NAME");
    // The digest of a body that repeats another name is another one.
    let own = |line: &&str| !["etag", "repr-digest"].iter().any(|name| line.starts_with(name));
    let headers: Vec<&str> = headers.lines().filter(own).collect();
    format!("{}\n{}\n\n{text}", reply.status, headers.join("\n"))
}

/// Whether the answer differs from one to the next whatever is asked.
fn counts_itself(route: &Route) -> bool {
    route.path == "/metrics"
}

#[test]
fn no_route_tells_of_what_the_caller_may_not_see() {
    for (anonymous_read, callers) in [(true, &["", "admin", "sync"][..]), (false, &["", "admin", "read"])] {
        let world = world(anonymous_read);
        for route in ROUTES {
            let method = route.method.as_str();
            let asked = requests(route, PACK).into_iter().zip(requests(route, NOBODY));
            let about = |text: &str| if text.contains(SOURCE) { SOURCE } else { PACK };
            for ((hidden, missing), who) in
                asked.flat_map(|pair| callers.iter().map(move |who| (pair.clone(), who)))
            {
                for is_browser in [false, true] {
                    let (path, body) = &hidden;
                    let seen = ask(&world, who, method, &hidden, is_browser);
                    let name = about(&format!("{path} {body}"));
                    let seen = told(&seen, name);
                    let not_there = told(&ask(&world, who, method, &missing, is_browser), NOBODY);
                    if !counts_itself(route) {
                        assert_eq!(seen, not_there, "{who}: {method} {path}");
                    }
                    let other_words = WORDS.iter().filter(|word| !body.to_lowercase().contains(*word));
                    for word in other_words {
                        assert!(
                            !seen.to_lowercase().contains(word),
                            "{who}: {method} {path} tells {word}: {seen}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn those_who_may_see_it_do() {
    let world = world(true);
    let mut words = String::new();
    for route in ROUTES.iter().filter(|route| route.method.as_str() == "GET" && route.scope.is_some()) {
        for asked in requests(route, PACK) {
            let reply = ask(&world, "member", "GET", &asked, false);
            let known = route.path.contains("/rules/") || reply.status == 200;
            assert!(known, "{}: {}", asked.0, reply.text());
            words.push_str(&reply.text().to_lowercase());
        }
    }
    for word in WORDS {
        assert!(words.contains(word), "nothing tells {word}");
    }
    let changed =
        ask_as(&world, "member", "POST", "/v1/packs/cobalt/versions/1.0.0/yank", r#"{"reason": "x"}"#);
    assert_eq!(changed.json()["id"], PACK);
    assert_eq!(ask_as(&world, "member", "POST", "/v1/sources/vaults/sync", "").status, 202);
}

#[test]
fn shared_caches_keep_nothing_where_a_source_is_for_few() {
    let world = world(true);
    for path in [
        "/v1/packs/greeter",
        "/v1/packs/nobody",
        "/v1/packs/greeter/versions/1.0.0/pack.json",
        "/",
        "/metrics",
    ] {
        let reply = world.get(path);
        assert!(
            reply.header("cache-control").starts_with("private, "),
            "{path}: {}",
            reply.header("cache-control")
        );
        let vary: Vec<&str> =
            reply.headers.get_all("vary").iter().filter_map(|vary| vary.to_str().ok()).collect();
        assert!(vary.contains(&"Authorization, Cookie"), "{path}: {vary:?}");
    }
    assert_eq!(world.get("/healthz").header("vary"), "");
}

#[test]
fn a_stream_tells_what_the_listener_may_see() {
    let world = world(true);
    // A registry that closes ends its streams.
    world.app.close();
    let asked = ("/v1/events".to_owned(), String::new());
    let listen = |who: &str| {
        let request = Request::get(&asked.0)
            .header("accept", "text/event-stream")
            .header("authorization", format!("Bearer {}", token(who)));
        world.ask(request.body(Body::empty()).expect("a request")).text()
    };
    let everything = listen("member");
    assert_eq!(everything.matches("id: ").count(), 4, "{everything}");
    let open = listen("admin");
    assert!(open.contains("greeter") && !open.contains(PACK) && !open.contains(SOURCE), "{open}");
}

#[test]
fn a_hook_of_a_hidden_source_is_answered_only_when_it_is_signed() {
    let world = world(true);
    let post = |source: &str, secret: &str, body: Vec<u8>| {
        let request = Request::post(format!("/v1/hooks/{source}")).header("x-gitlab-token", secret);
        world.ask(request.body(Body::from(body)).expect("a request"))
    };
    assert_eq!(post(SOURCE, "secret", b"{}".to_vec()).status, 202);
    for body in [b"{}".to_vec(), vec![b' '; 6 << 20]] {
        let hidden = told(&post(SOURCE, "wrong", body.clone()), SOURCE);
        assert_eq!(hidden, told(&post(NOBODY, "wrong", body), NOBODY));
        assert!(hidden.starts_with("404"), "{hidden}");
    }
}

/// A pack whose id moved from the hidden source, where it was 1.0.0, to the open one.
fn moved() -> World {
    let mut pack = cobalt("1.0.0");
    pack["id"] = "greeter".into();
    let mut world = with_tokens(true, &hidden()).in_source(SOURCE);
    world = world
        .file("skills/wave/SKILL.md", "---\nname: wave\ndescription: Wyvern.\n---\nWave.\n")
        .file("schemas/input.txt", r#"{"type": "object"}"#)
        .publish(&pack);
    let settings =
        "[policy]\nno_allow = []\n[[source]]\nname = \"packs\"\npath = \"packs\"\nids = [\"greeter\"]\n";
    let mut moved = RegistrySettings::parse(settings).expect("settings");
    moved.auth = world.app.settings.auth.clone();
    world.app.settings = Arc::new(moved);
    let world = world.in_source("packs").greeter("1.1.0");
    let channel = StatusEdit::Channel { name: "former".to_owned(), version: semver::Version::new(1, 0, 0) };
    world.app.store.change_status("greeter", &channel, "ada", now()).expect("a channel");
    world
}

#[test]
fn an_id_that_moved_shows_only_what_the_caller_may_see_of_it() {
    let world = moved();
    let pack = world.get("/v1/packs/greeter").json();
    assert_eq!((&pack["channels"], pack["versions"].as_array().map(Vec::len)), (&json!({}), Some(1)));
    let events = world.get("/v1/events").json()["events"].clone();
    assert_eq!(events.as_array().map(Vec::len), Some(1), "{events}");
    let all = world.app.store.events_after(0, 100);
    let moves = all.iter().filter(|event| event.kind == registry::EventType::IdMoved);
    let moves: Vec<(&str, &str, Option<&str>)> =
        moves.map(|event| (event.pack.as_str(), event.source.as_str(), event.detail.as_deref())).collect();
    assert_eq!(moves, [("greeter", "packs", Some(SOURCE))]);
    let report = world.get("/v1/packs/greeter/versions/1.1.0/report").json();
    assert_eq!((&report["baseline"], &report["diff"]), (&Value::Null, &Value::Null));
    for path in ["compare/1.0.0...1.1.0", "versions/1.0.0", "versions/1.0.0/pack.json"] {
        world.get(&format!("/v1/packs/greeter/{path}")).problem(404, "release-not-found");
    }
    world.get("/v1/fetch/greeter@former").problem(404, "release-not-found");
    let yank = ask_as(&world, "admin", "POST", "/v1/packs/greeter/versions/1.0.0/yank", r#"{"reason": "x"}"#);
    yank.problem(404, "release-not-found");
    let mut hidden = cobalt("1.0.0");
    hidden["id"] = "greeter".into();
    for against in ["", "?against=latest"] {
        let check = world.post(&format!("/v1/check{against}"), hidden.to_string()).text();
        assert!(!check.contains("is published with the same content"), "{check}");
    }
    world.post("/v1/check?against=1.0.0", hidden.to_string()).problem(404, "release-not-found");
    for path in
        ["/", "/packs/greeter", "/packs/greeter/1.1.0", "/packs/greeter/1.1.0/report", "/sources", "/metrics"]
    {
        let page = world.page(path).text().to_lowercase();
        for word in [SOURCE, "xyzzy", "quixotic", "zephyr"] {
            assert!(!page.contains(word), "{path} tells {word}");
        }
    }
    // Those of the group see all of it.
    let whole = ask_as(&world, "member", "GET", "/v1/packs/greeter", "").json();
    assert_eq!(whole["channels"], json!({"former": "1.0.0"}));
    let report = ask_as(&world, "member", "GET", "/v1/packs/greeter/versions/1.1.0/report", "").json();
    assert_eq!(report["baseline"]["version"], "1.0.0");
}
