//! Outgoing webhooks: from a push to a signed message, over failures and restarts.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::daemon::{Daemon, SERVE};
use crate::ledger::{commit, registry};
use crate::support::receiver::{Received, Receiver};
use crate::support::{Folder, greeter, program};

const SECRET: &str = "hook-5c1e7d";

/// A registry of 1.0.0 that tells the receiver everything but channels.
fn configured(receiver: &Receiver) -> Folder {
    let folder = registry();
    let source = folder.read("registry.toml");
    let url = receiver.url("hook?key=path-9b2f");
    let events = "[\"published\", \"refused\", \"yanked\"]";
    let hook = format!("[[webhook]]\nurl = \"{url}\"\nsecret_env = \"HOOK_SECRET\"\nevents = {events}\n");
    folder.write("registry.toml", format!("[policy]\non_breaking = \"refuse\"\n{hook}{source}"));
    folder
}

fn start(folder: &Folder) -> Daemon {
    let mut command = program(&SERVE, &folder.path());
    command.env("HOOK_SECRET", SECRET);
    Daemon::spawn(command)
}

fn publish(folder: &Folder, version: &str, edit: impl FnOnce(String) -> String) {
    folder.write("packs/greeter.pack.json", edit(greeter(version)));
    commit(folder, version);
}

/// What the receiver took: what happened, and to which version.
fn taken(received: &[Received]) -> Vec<String> {
    let body = |request: &Received| -> Value { serde_json::from_str(&request.body).expect("JSON") };
    let bodies = received.iter().filter(|request| request.status == "200").map(body);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    bodies.map(|body| format!("{} {}", text(&body["type"]), text(&body["version"]))).collect()
}

/// The signature that a receiver computes.
fn signature(timestamp: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(format!("{timestamp}.{body}").as_bytes());
    let digits: Vec<String> = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={}", digits.concat())
}

#[test]
fn a_receiver_that_failed_is_told_in_order_and_goes_on_after_a_restart() {
    let receiver = Receiver::start();
    receiver.answer("503 Service Unavailable");
    let folder = configured(&receiver);
    let mut daemon = start(&folder);
    daemon.wait("the pack is served", |daemon| daemon.get("/v1/packs/greeter/versions/1.0.0").status == 200);
    publish(&folder, "1.0.1", |pack| pack.replace("one person", "a person"));
    daemon.wait("publishing goes on", |daemon| daemon.get("/v1/packs/greeter/versions/1.0.1").status == 200);
    receiver.wait("it is tried again", |received| received.len() > 1);
    let metrics = String::from_utf8_lossy(&daemon.get("/metrics").body).into_owned();
    assert!(metrics.contains("packhouse_webhook_failing{webhook=\"1\"} 1"), "{metrics}");
    receiver.answer("200 OK");
    let received = receiver.wait("both are told", |received| taken(received).len() == 2);
    assert_eq!(taken(&received), ["published 1.0.0", "published 1.0.1"]);
    daemon.wait("it counts", |daemon| {
        let metrics = String::from_utf8_lossy(&daemon.get("/metrics").body).into_owned();
        metrics.contains("packhouse_webhook_deliveries_total{webhook=\"1\",result=\"ok\"} 2")
            && metrics.contains("packhouse_webhook_last_event{webhook=\"1\"} 2")
            && metrics.contains("packhouse_webhook_failing{webhook=\"1\"} 0")
    });

    publish(&folder, "1.0.2", |pack| {
        pack.replace("\"name\": \"name\"", "\"name\": \"called\"").replace("{{name}}", "{{called}}")
    });
    let received = receiver.wait("the refusal is told", |received| taken(received).len() == 3);
    assert_eq!(taken(&received)[2], "refused 1.0.2");
    let refused = received.last().expect("a request");
    let body: Value = serde_json::from_str(&refused.body).expect("JSON");
    assert_eq!((&body["number"], &body["problem"]["code"]), (&Value::Null, &"refused-breaking".into()));
    assert_eq!(refused.path, "/hook?key=path-9b2f");
    for request in &received {
        let timestamp = request.header("packhouse-timestamp");
        assert_eq!(request.header("packhouse-signature"), signature(timestamp, &request.body));
        assert_eq!(request.header("content-type"), "application/json");
    }
    assert_eq!(received[0].header("packhouse-delivery"), received[1].header("packhouse-delivery"));

    assert_eq!(daemon.stop(), Some(0));
    let log = daemon.log();
    assert!(log.contains("webhook-failing") && log.contains("webhook-recovered"), "{log}");
    assert!(log.contains("it answered 503"), "{log}");
    assert!(!log.contains(SECRET) && !log.contains("path-9b2f"), "{log}");
    publish(&folder, "2.0.0", |pack| pack);
    let before = receiver.received().len();
    let daemon = start(&folder);
    let received = receiver.wait("what came meanwhile is told", |received| received.len() > before);
    assert_eq!(taken(&received[before..]), ["published 2.0.0"]);
    drop(daemon);

    std::fs::remove_dir_all(folder.path().join("state/index")).expect("derived state");
    let daemon = start(&folder);
    daemon.wait("the pack is served", |daemon| daemon.get("/v1/packs/greeter/versions/2.0.0").status == 200);
    publish(&folder, "2.0.1", |pack| pack.replace("one person", "somebody"));
    let received = receiver.wait("it goes on at the newest event", |received| received.len() > before + 1);
    assert_eq!(taken(&received[before..]), ["published 2.0.0", "published 2.0.1"]);
}

#[test]
fn config_check_says_what_webhooks_are_told_and_what_is_missing() {
    let receiver = Receiver::start();
    let folder = configured(&receiver);
    let origin = receiver.url("");
    let origin = origin.trim_end_matches('/');
    let set = folder.run_with(&["config", "check"], &[("HOOK_SECRET", SECRET)], "");
    assert_eq!(set.status, 0, "{}", set.shown());
    let said = format!(
        "webhook 1: {origin}\n  told of published, yanked, refused\n  sees what everybody may see who may read\n  \
         signed with HOOK_SECRET (set)\n"
    );
    assert!(set.stdout.contains(&said), "{}", set.shown());
    let unset = folder.run(&["config", "check"]);
    assert_eq!(unset.status, 1, "{}", unset.shown());
    assert!(unset.stdout.contains("signed with HOOK_SECRET (not set)"), "{}", unset.shown());
    let warned = "webhook 1: the variable `HOOK_SECRET` is not set: the registry must be started with it";
    assert!(unset.stderr.contains(warned), "{}", unset.shown());
    for ran in [&set, &unset] {
        assert!(!ran.shown().contains("path-9b2f") && !ran.shown().contains(SECRET), "{}", ran.shown());
    }
}
