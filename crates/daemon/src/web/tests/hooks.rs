//! Webhooks of every host ring one bell, and nothing else does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::Request;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::support::{Reply, World};
use crate::web::hooks::Hooks;
use crate::web::{Asked, Hints};

const SECRET: &str = "it's a secret to everybody";

/// A registry that counts how often the bell of `packs` rings; `quiet` takes no hooks.
struct Ringing {
    world: World,
    rings: Arc<AtomicUsize>,
}

impl Ringing {
    fn new() -> Ringing {
        let mut world = World::configured(
            "[[source]]\nname = \"packs\"\npath = \"packs\"\nwebhook_secret_env = \"PACKS_SECRET\"\n\
             [[source]]\nname = \"quiet\"\npath = \"quiet\"\n\
             [[source]]\nname = \"unset\"\npath = \"unset\"\nwebhook_secret_env = \"UNSET_SECRET\"\n",
        );
        let read = |variable: &str| (variable == "PACKS_SECRET").then(|| SECRET.to_owned());
        world.app.hooks = Arc::new(Hooks::new(&world.app.settings, read));
        let rings = Arc::new(AtomicUsize::new(0));
        let counting = rings.clone();
        world.app.hints = Hints::new(move |source, asked| {
            assert_eq!(asked, Asked::Scan);
            assert_eq!(source, "packs");
            counting.fetch_add(1, Ordering::SeqCst);
        });
        Ringing { world, rings }
    }

    fn post(&self, source: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = Request::post(format!("/v1/hooks/{source}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.world.ask(request.body(Body::from(body.to_owned())).expect("a request"))
    }

    #[track_caller]
    fn rang(&self, expected: usize) {
        assert_eq!(self.rings.load(Ordering::SeqCst), expected);
    }
}

fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_signature_is_the_one_that_github_documents() {
    let expected = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert_eq!(signature("It's a Secret to Everybody", "Hello, World!"), expected);
}

#[test]
fn every_host_rings_in_its_own_way() {
    let ringing = Ringing::new();
    let body = "{\"ref\": \"refs/heads/main\"}";
    let (bare, named) = (signature(SECRET, body), format!("sha256={}", signature(SECRET, body)));
    let ways = [
        ("X-Hub-Signature-256", named.as_str()),
        ("X-Hub-Signature", named.as_str()),
        ("X-Gitea-Signature", bare.as_str()),
        ("X-Forgejo-Signature", bare.as_str()),
        ("X-Gitlab-Token", SECRET),
        ("Packhouse-Signature", named.as_str()),
    ];
    for (at, (name, value)) in ways.into_iter().enumerate() {
        let reply = ringing.post("packs", &[(name, value)], body);
        assert_eq!(reply.status, 202, "{name}: {}", reply.text());
        ringing.rang(at + 1);
    }
}

#[test]
fn nobody_rings_without_the_secret() {
    let ringing = Ringing::new();
    let body = "{}";
    let good = signature(SECRET, body);
    let wrong = signature("another secret", body);
    for headers in [
        vec![],
        vec![("X-Hub-Signature-256", format!("sha256={wrong}"))],
        vec![("X-Hub-Signature-256", format!("sha256={}", &good[..40]))],
        vec![("X-Hub-Signature-256", "sha256=".to_owned())],
        vec![("X-Hub-Signature-256", "sha256=zz".to_owned())],
        vec![("X-Hub-Signature", format!("sha1={good}"))],
        vec![("X-Gitlab-Token", "it's a secret".to_owned())],
        vec![("X-Gitlab-Token", String::new())],
        // A signature that does not fit is not outweighed by a token that does.
        vec![("X-Hub-Signature-256", wrong.clone()), ("X-Gitlab-Token", SECRET.to_owned())],
    ] {
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let problem = ringing.post("packs", &headers, body).problem(401, "unsigned");
        assert!(!problem.to_string().contains(SECRET));
    }
    let signed_other = format!("sha256={}", signature(SECRET, "{} "));
    ringing.post("packs", &[("X-Hub-Signature-256", &signed_other)], body).problem(401, "unsigned");
    ringing.rang(0);
}

#[test]
fn a_source_that_takes_no_hooks_looks_like_one_that_is_not_there() {
    let ringing = Ringing::new();
    let named = format!("sha256={}", signature("", "{}"));
    let answers: Vec<String> = ["quiet", "unset", "nowhere"]
        .map(|source| {
            let reply = ringing.post(source, &[("X-Hub-Signature-256", &named)], "{}");
            reply.problem(404, "source-not-found").to_string().replace(source, "NAME")
        })
        .into();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    ringing.rang(0);
}

#[test]
fn a_delivery_rings_once() {
    let ringing = Ringing::new();
    let named = format!("sha256={}", signature(SECRET, "{}"));
    for (header, id) in [("X-GitHub-Delivery", "a"), ("X-GitHub-Delivery", "a"), ("X-Gitea-Delivery", "b")] {
        let headers = [("X-Hub-Signature-256", named.as_str()), (header, id)];
        assert_eq!(ringing.post("packs", &headers, "{}").status, 202);
    }
    ringing.rang(2);
    // Without an id nothing can be told apart.
    for _ in 0..2 {
        ringing.post("packs", &[("X-Hub-Signature-256", &named)], "{}");
    }
    ringing.rang(4);
}

#[test]
fn a_body_has_a_limit() {
    let ringing = Ringing::new();
    let body = " ".repeat((5 << 20) + 1);
    let named = format!("sha256={}", signature(SECRET, &body));
    ringing.post("packs", &[("X-Hub-Signature-256", &named)], &body).problem(413, "too-large");
    ringing.rang(0);
}
