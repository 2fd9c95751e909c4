//! Yanks, deprecations, channels and removals through the API.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::access::{ask_as, token, with_tokens};
use super::support::{Reply, World};

/// A registry of two versions, with a token for each scope.
fn world() -> World {
    with_tokens(true, "").greeter("1.0.0").greeter("1.1.0")
}

/// The path of what is done to a version.
fn door(version: &str, deed: &str) -> String {
    format!("/v1/packs/greeter/versions/{version}/{deed}")
}

const WHY: &str = r#"{"reason": "wrong limit"}"#;
const CHANNEL: &str = "/v1/packs/greeter/channels/stable";

/// The member of a version in a pack document.
fn of_version(pack: &Value, version: &str, member: &str) -> Value {
    let versions = pack["versions"].as_array().expect("versions");
    versions.iter().find(|entry| entry["version"] == version).expect("the version")[member].clone()
}

#[test]
fn each_door_changes_what_it_says_and_shows_the_pack() {
    let world = world();
    let yank = |method: &str, path: &str, body: &str| ask_as(&world, "yank", method, path, body);
    let pack = yank("POST", &door("1.1.0", "yank"), WHY);
    assert_eq!(pack.header("cache-control"), "no-cache");
    let pack = pack.json();
    assert_eq!(
        (&pack["latest"], of_version(&pack, "1.1.0", "yanked")),
        (&"1.0.0".into(), "wrong limit".into())
    );
    assert_eq!(world.get("/v1/packs/greeter").json(), pack);
    let pack = yank("POST", &door("v1.1.0", "unyank"), "").json();
    assert_eq!((&pack["latest"], of_version(&pack, "1.1.0", "yanked")), (&"1.1.0".into(), Value::Null));
    let pack = yank("POST", &door("1.0.0", "deprecate"), WHY).json();
    assert_eq!(of_version(&pack, "1.0.0", "deprecated"), "wrong limit");
    let pack = yank("POST", &door("1.0.0", "undeprecate"), WHY).json();
    assert_eq!(of_version(&pack, "1.0.0", "deprecated"), Value::Null);
    let pack = yank("PUT", CHANNEL, r#"{"version": "1.0.0"}"#).json();
    assert_eq!(pack["channels"], json!({"stable": "1.0.0"}));
    let pack = yank("DELETE", CHANNEL, "").json();
    assert_eq!(pack["channels"], json!({}));
    world.get("/v1/fetch/greeter@stable").problem(404, "release-not-found");
    let pack = ask_as(&world, "admin", "POST", &door("1.1.0", "remove"), WHY).json();
    assert_eq!((&pack["latest"], pack["versions"].as_array().map(Vec::len)), (&"1.0.0".into(), Some(1)));
    let gone = world.get("/v1/packs/greeter/versions/1.1.0/pack.json").problem(410, "removed");
    assert!(gone["detail"].as_str().is_some_and(|detail| detail.ends_with(": wrong limit")), "{gone}");
    let events = world.get("/v1/events?after=2").json();
    let told = events["events"].as_array().expect("events").iter();
    let told: Vec<String> =
        told.map(|event| format!("{} {} {}", event["type"], event["version"], event["detail"])).collect();
    assert_eq!(
        told.join("\n").replace('"', ""),
        "yanked 1.1.0 wrong limit\nunyanked 1.1.0 null\ndeprecated 1.0.0 wrong limit\nundeprecated 1.0.0 wrong limit\n\
         channel-moved 1.0.0 stable\nchannel-deleted 1.0.0 stable\nremoved 1.1.0 wrong limit"
    );
}

#[test]
fn the_same_change_twice_is_one_event() {
    let world = world();
    for _ in 0..2 {
        ask_as(&world, "yank", "POST", &door("1.1.0", "yank"), WHY).json();
    }
    assert_eq!(world.get("/v1/events?after=2").json()["events"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_last_release_can_be_removed() {
    let world = with_tokens(true, "").greeter("1.0.0");
    let pack = ask_as(&world, "admin", "POST", &door("1.0.0", "remove"), WHY).json();
    assert_eq!((&pack["id"], &pack["versions"]), (&"greeter".into(), &json!([])));
    ask_as(&world, "admin", "POST", &door("1.0.0", "remove"), WHY).problem(410, "removed");
    ask_as(&world, "yank", "POST", &door("1.0.0", "yank"), WHY).problem(410, "removed");
}

#[test]
fn each_door_asks_for_its_scope() {
    let world = world();
    let version = r#"{"version": "1.0.0"}"#;
    let post = |deed| ("POST", door("1.0.0", deed), WHY);
    let doors = ["unyank", "yank", "undeprecate", "deprecate"].map(post);
    let channel = ("PUT", CHANNEL.to_owned(), version);
    for (method, path, body) in doors.iter().chain([&channel]) {
        ask_as(&world, "", method, path, body).problem(401, "unauthorized");
        for name in ["read", "check", "sync"] {
            ask_as(&world, name, method, path, body).problem(403, "forbidden");
        }
        for name in ["yank", "admin"] {
            ask_as(&world, name, method, path, body).json();
        }
    }
    for name in ["", "read", "check", "sync"] {
        let status = if name.is_empty() { (401, "unauthorized") } else { (403, "forbidden") };
        ask_as(&world, name, "DELETE", CHANNEL, "").problem(status.0, status.1);
    }
    ask_as(&world, "admin", "DELETE", CHANNEL, "").json();
    for name in ["read", "check", "sync", "yank"] {
        ask_as(&world, name, "POST", &door("1.0.0", "remove"), WHY).problem(403, "forbidden");
    }
    let open = World::empty().greeter("1.0.0");
    open.post(&door("1.0.0", "yank"), WHY).problem(403, "forbidden");
}

#[test]
fn what_the_repository_says_is_changed_there_only() {
    let text = "[channels.greeter]\nstable = \"1.0.0\"\n[[yank]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"wrong\"\n\
                [[deprecate]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"old\"\n";
    let world = world().status("greeter", text);
    let check = |reply: Reply, said: &str| {
        let problem = reply.problem(409, "conflict");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(said)), "{problem}");
    };
    let post = |deed| ask_as(&world, "yank", "POST", &door("1.1.0", deed), "");
    check(post("unyank"), "greeter: 1.1.0 is yanked by the repository");
    check(post("undeprecate"), "1.1.0 is deprecated by the repository");
    let moved = ask_as(&world, "yank", "PUT", CHANNEL, r#"{"version": "1.1.0"}"#);
    check(moved, "the channel `stable` is set by the repository");
    let deleted = ask_as(&world, "yank", "DELETE", CHANNEL, "");
    check(deleted, "the channel `stable` is set by the repository");
}

#[test]
fn what_cannot_be_done_is_said() {
    let world = world();
    let post = |path: &str, body: &str| ask_as(&world, "yank", "POST", path, body);
    post("/v1/packs/nobody/versions/1.0.0/yank", WHY).problem(404, "pack-not-found");
    post(&door("9.0.0", "yank"), WHY).problem(404, "release-not-found");
    post(&door("stable", "yank"), WHY).problem(400, "malformed-parameter");
    for body in ["", "{}", "{", r#"{"reason": 1}"#, r#"{"reason": " "}"#, r#"{"reason": "x", "more": 1}"#] {
        post(&door("1.0.0", "yank"), body).problem(400, "malformed-body");
    }
    post(&door("1.0.0", "yank"), &format!("{{\"reason\": \"{}\"}}", "x".repeat(2001)))
        .problem(400, "malformed-body");
    post(&door("1.0.0", "unyank"), "{").problem(400, "malformed-body");
    post(&door("1.0.0", "unyank"), &"x".repeat(300_000)).problem(413, "too-large");
    let put = |name: &str, body: &str| {
        ask_as(&world, "yank", "PUT", &format!("/v1/packs/greeter/channels/{name}"), body)
    };
    for name in ["latest", "prerelease", "1.x", "Stable", "v1"] {
        put(name, r#"{"version": "1.0.0"}"#).problem(400, "malformed-parameter");
    }
    let delete = |path: &str| ask_as(&world, "yank", "DELETE", &format!("/v1/packs/{path}"), "");
    let missing = delete("greeter/channels/stable").problem(404, "channel-not-found");
    assert_eq!(missing["detail"], "`greeter` has no channel `stable`");
    delete("nobody/channels/stable").problem(404, "pack-not-found");
    delete("greeter/channels/latest").problem(400, "malformed-parameter");
    put("stable", r#"{"version": "1.2.0"}"#).problem(404, "release-not-found");
    put("stable", r#"{"version": "^1"}"#).problem(400, "malformed-parameter");
    put("stable", "{}").problem(400, "malformed-body");
    let plain = Request::post(door("1.0.0", "yank"))
        .header("content-type", "text/plain")
        .header("authorization", format!("Bearer {}", token("yank")));
    world.ask(plain.body(Body::from(WHY)).expect("a request")).problem(415, "unsupported-media-type");
    assert_eq!(world.get("/v1/events?after=2").json()["events"], json!([]), "nothing was changed");
}

#[test]
fn a_follower_names_its_writer() {
    let more = "[follow]\nurl = \"/srv/ledger.git\"\nwriter = \"https://packs.example.org\"\n";
    let world = with_tokens(true, more).greeter("1.0.0");
    let problem =
        ask_as(&world, "yank", "POST", &door("1.0.0", "yank"), WHY).problem(409, "read-only-follower");
    assert_eq!(problem["writer"], "https://packs.example.org");
}
