//! `packhouse fetch`, `search` and `info` against a small registry that answers as the API says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use pack::Digest;
use serde_json::json;

use super::support::{Folder, Ran, greeter, greeter_with};

/// A registry that knows some answers by request target; everything else is a problem document.
struct Registry {
    url: String,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
}

#[derive(Clone)]
struct Answer {
    headers: String,
    body: String,
}

impl Registry {
    fn start() -> Registry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let answers: Arc<Mutex<BTreeMap<String, Answer>>> = Arc::default();
        let known = answers.clone();
        // The thread ends with the test process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
                let request = lines.next().and_then(Result::ok).unwrap_or_default();
                let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
                for line in lines {
                    if line.expect("text").is_empty() {
                        break;
                    }
                }
                let (status, answer) = match known.lock().expect("a lock").get(&target).cloned() {
                    Some(answer) => ("200 OK", answer),
                    None => {
                        let body = json!({ "title": "not found", "detail": format!("nothing at {target}") });
                        ("404 Not Found", Answer { headers: String::new(), body: body.to_string() })
                    }
                };
                let Answer { headers, body } = answer;
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
                );
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        Registry { url, answers }
    }

    fn answer(&self, target: &str, headers: &str, body: &str) {
        let answer = Answer { headers: headers.to_owned(), body: body.to_owned() };
        self.answers.lock().expect("a lock").insert(target.to_owned(), answer);
    }

    /// Publishes a version: what `reference` (encoded) and the exact version fetch, and the manifest.
    fn publish(&self, reference: &str, version: &str, bytes: &str) {
        let digest = Digest::of(bytes.as_bytes());
        for form in ["resolved", "source"] {
            let headers = format!(
                "Packhouse-Digest: {digest}\r\nPackhouse-Version: {version}\r\n\
                 Content-Location: /v1/packs/greeter/versions/{version}/{form}.json\r\n"
            );
            self.answer(&format!("/v1/fetch/{reference}?form={form}"), &headers, bytes);
            self.answer(&format!("/v1/fetch/greeter@{version}?form={form}"), &headers, bytes);
        }
        let manifest =
            json!({ "id": "greeter", "version": version, "digest": digest.to_string(), "commit": "c0ffee" });
        self.answer(&format!("/v1/packs/greeter/versions/{version}"), "", &manifest.to_string());
    }

    fn run(&self, folder: &Folder, arguments: &[&str]) -> Ran {
        let cache = folder.path().join("cache").display().to_string();
        let variables = [("PACKHOUSE_REGISTRY", self.url.as_str()), ("PACKHOUSE_CACHE", cache.as_str())];
        folder.run_with(arguments, &variables, "")
    }
}

#[test]
fn a_reference_stays_where_it_was_locked() {
    let (registry, folder) = (Registry::start(), Folder::new());
    registry.publish("greeter@%5E1", "1.0.0", &greeter("1.0.0"));
    let ran = registry.run(&folder, &["fetch", "greeter@^1"]);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(folder.read("packs/greeter.pack.json"), greeter("1.0.0"));
    let lock = folder.read("packhouse.lock");
    assert!(
        lock.contains(
            "[[pack]]\nref = \"greeter@^1\"\nid = \"greeter\"\nversion = \"1.0.0\"\nform = \"resolved\"\n"
        ),
        "{lock}"
    );
    assert!(
        lock.contains("commit = \"c0ffee\"")
            && lock.contains("/v1/packs/greeter/versions/1.0.0/resolved.json"),
        "{lock}"
    );
    registry.publish("greeter@%5E1", "1.1.0", &greeter("1.1.0"));
    folder.remove("packs/greeter.pack.json");
    assert_eq!(registry.run(&folder, &["fetch"]).status, 0);
    assert_eq!(folder.read("packs/greeter.pack.json"), greeter("1.0.0"));
    assert_eq!(folder.run_with(&["fetch", "--offline"], &[("PACKHOUSE_CACHE", "cache")], "").status, 0);
    let ran = folder.run_with(&["fetch", "--offline"], &[("PACKHOUSE_CACHE", "elsewhere")], "");
    assert!(ran.status == 2 && ran.stderr.contains("not in the cache"), "{}", ran.shown());
    let ran = registry.run(&folder, &["fetch", "--locked", "greeter@1.1.0"]);
    assert!(ran.status == 2 && ran.stderr.contains("--locked"), "{}", ran.shown());
    assert_eq!(registry.run(&folder, &["fetch", "--update", "--out", "other"]).status, 0);
    assert_eq!(folder.read("other/greeter.pack.json"), greeter("1.1.0"));
    assert!(folder.read("packhouse.lock").contains("version = \"1.1.0\""));
}

#[test]
fn another_release_of_a_pack_takes_the_place_of_the_locked_one() {
    let (registry, folder) = (Registry::start(), Folder::new());
    registry.publish("greeter@%5E1", "1.1.0", &greeter("1.1.0"));
    registry.publish("greeter@1.0.0", "1.0.0", &greeter("1.0.0"));
    assert_eq!(registry.run(&folder, &["fetch", "greeter@^1"]).status, 0);
    let ran = registry.run(&folder, &["fetch", "greeter@1.0.0"]);
    let told = "greeter@^1 (1.1.0) is no longer locked: greeter@1.0.0 (1.0.0) takes its place";
    assert!(ran.status == 0 && ran.stderr.contains(told), "{}", ran.shown());
    assert_eq!(registry.run(&folder, &["fetch", "--locked"]).status, 0);
    assert_eq!(folder.read("packs/greeter.pack.json"), greeter("1.0.0"));
}

#[test]
fn a_wrong_digest_writes_nothing() {
    let (registry, folder) = (Registry::start(), Folder::new());
    registry.publish("greeter", "1.0.0", &greeter("1.0.0"));
    let digest = Digest::of(b"something else");
    let headers = format!("Packhouse-Digest: {digest}\r\nPackhouse-Version: 1.0.0\r\n");
    registry.answer("/v1/fetch/other?form=resolved", &headers, "{}");
    let ran = registry.run(&folder, &["fetch", "greeter", "other"]);
    assert!(ran.status == 2 && ran.stderr.contains("was promised"), "{}", ran.shown());
    assert!(!folder.has("packs") && !folder.has("packhouse.lock"), "{}", ran.shown());
    assert_eq!(registry.run(&folder, &["fetch", "greeter"]).status, 0);
    registry.publish("greeter", "1.0.0", &greeter_with("1.0.0", "", " Politely."));
    std::fs::remove_dir_all(folder.path().join("cache")).expect("a folder");
    let ran = registry.run(&folder, &["fetch"]);
    assert!(ran.status == 2 && ran.stderr.contains("releases never change"), "{}", ran.shown());
    let ran = registry.run(&folder, &["fetch", "nobody@^1"]);
    assert!(ran.status == 1 && ran.stderr.contains("nothing at"), "{}", ran.shown());
    assert_eq!(registry.run(&folder, &["fetch", "No Reference"]).status, 2);
}

#[test]
fn packs_are_searched_shown_and_compared() {
    let (registry, folder) = (Registry::start(), Folder::new());
    let hit = json!({ "id": "greeter", "version": "1.0.0", "description": "Greets people.", "tags": ["hello"], "score": 1.5 });
    registry.answer(
        "/v1/search?q=greet%20me&tag=hello",
        "",
        &json!({ "hits": [hit], "total": 1 }).to_string(),
    );
    registry.answer("/v1/search?q=zzz", "", &json!({ "hits": [], "total": 0 }).to_string());
    let ran = registry.run(&folder, &["search", "greet", "me", "--tag", "hello"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "greeter 1.0.0  [hello]\n  Greets people.\n"),
        "{}",
        ran.shown()
    );
    assert_eq!(registry.run(&folder, &["search", "zzz"]).status, 1);
    let digest = Digest::of(greeter("1.0.0").as_bytes()).to_string();
    let version = json!({ "version": "1.0.0", "digest": digest, "published_at": "2026-01-01T00:00:00Z", "flagged": null,
        "breaking": false, "yanked": "wrong", "findings": { "error": 0, "warn": 0, "info": 0 } });
    let document = json!({ "id": "greeter", "latest": "1.0.0", "channels": { "stable": "1.0.0" }, "versions": [version] });
    registry.answer("/v1/packs/greeter", "", &document.to_string());
    let ran = registry.run(&folder, &["info", "greeter"]);
    assert!(ran.stdout.contains("yanked: wrong") && ran.stdout.contains("stable 1.0.0"), "{}", ran.shown());
    assert_eq!(registry.run(&folder, &["info", "nobody"]).status, 1);
    registry.publish("greeter", "1.0.0", &greeter("1.0.0"));
    folder.write("new.pack.json", greeter("1.0.0").replace("Greet ", "Hail "));
    let ran = registry.run(&folder, &["diff", "greeter@1.0.0", "new.pack.json", "--fail-on", "patch"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    for sides in [["greeter@1.0.0", "greeter@9.9.9"], ["greeter@9.9.9", "new.pack.json"]] {
        let ran = registry.run(&folder, &[&["diff"][..], &sides].concat());
        assert_eq!(ran.status, 2, "a side is not there: {}", ran.shown());
        assert!(ran.stderr.contains("greeter@9.9.9") && ran.stderr.contains("help: "), "{}", ran.shown());
    }
}

#[test]
fn the_gate_compares_with_a_registry() {
    let (registry, folder) = (Registry::start(), Folder::new());
    let entry = |version: &str| {
        let digest = Digest::of(greeter(version).as_bytes()).to_string();
        json!({ "version": version, "digest": digest, "flagged": null, "yanked": null })
    };
    let document = json!({ "id": "greeter", "latest": "1.0.0", "versions": [entry("1.0.0")] });
    registry.answer("/v1/packs/greeter", "", &document.to_string());
    registry.publish("greeter", "1.0.0", &greeter("1.0.0"));
    folder.write("greeter.pack.json", greeter("1.0.0").replace("Greet ", "Hail "));
    let check = |against: &str| registry.run(&folder, &["check", "--against", against, "--format", "json"]);
    assert_eq!(check("registry").json()["packs"][0]["findings"][0]["rule"], "version-not-bumped");
    folder.write("greeter.pack.json", greeter("1.0.1").replace("Greet ", "Hail "));
    for against in ["registry", "registry:latest", "registry:1.0.0"] {
        let ran = check(against);
        assert_eq!(
            (ran.status, ran.json()["packs"][0]["status"].as_str()),
            (0, Some("changed")),
            "{}",
            ran.shown()
        );
    }
    let ran = check("registry:7.0.0");
    assert!(ran.status == 2 && ran.stderr.contains("no such release"), "{}", ran.shown());
    folder.write("greeter.pack.json", greeter("1.0.0").replace("greeter", "unknown"));
    assert_eq!(check("registry").json()["packs"][0]["status"], "new");
}

/// The skills of a release are compared with those at hand by what the registry serves of them.
#[test]
fn the_skills_of_a_release_are_compared() {
    let (registry, folder) = (Registry::start(), Folder::new());
    let skill = "---\nname: tone\ndescription: How to sound.\n---\nBe kind.\n";
    let pack = |version: &str| {
        greeter(version).replace("\"prompts\"", "\"skills\": [\"./skills/tone\"],\n  \"prompts\"")
    };
    registry.publish("greeter", "1.0.0", &pack("1.0.0"));
    let digest = Digest::of(pack("1.0.0").as_bytes()).to_string();
    let url = "/v1/packs/greeter/versions/1.0.0/skills/tone/SKILL.md";
    let file = json!({ "path": "SKILL.md", "digest": Digest::of(skill.as_bytes()).to_string(), "url": url,
        "executable": false, "place": "packs/skills/tone/SKILL.md" });
    let manifest = json!({ "id": "greeter", "version": "1.0.0", "digest": digest, "path": "packs/greeter.pack.json",
        "skills": [{ "name": "tone", "files": [file] }] });
    registry.answer("/v1/packs/greeter/versions/1.0.0", "", &manifest.to_string());
    registry.answer(url, "", skill);
    folder.write("packhouse.toml", "").write("greeter.pack.json", pack("1.0.0"));
    let diff = || {
        let ran =
            registry.run(&folder, &["diff", "greeter@1.0.0", "greeter.pack.json", "--format", "concise"]);
        assert_eq!(ran.status, 0, "{}", ran.shown());
        ran.stdout
    };
    folder.write("skills/tone/SKILL.md", skill);
    assert_eq!(diff(), "");
    folder.write("skills/tone/SKILL.md", skill.replace("kind", "brief"));
    assert!(diff().contains("[skill-content-changed]"), "{}", diff());
    registry.answer(url, "", "something else");
    let ran = registry.run(&folder, &["diff", "greeter@1.0.0", "greeter.pack.json"]);
    assert!(ran.status == 2 && ran.stderr.contains("SKILL.md"), "{}", ran.shown());
}
