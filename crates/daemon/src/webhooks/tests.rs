//! Webhooks beside a registry: who is told what, and whom a failing receiver holds up.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::watch;

#[path = "../../../../tests/support/receiver.rs"]
mod receiver;

use self::receiver::{Received, Receiver};
use super::start;
use crate::counters::Counters;
use crate::signature::is_signature;
use crate::web::tests::support::{World, greeter};

const SECRET: &str = "a secret between two";

/// A `[[webhook]]` with more keys.
fn hook(receiver: &Receiver, path: &str, more: &str) -> String {
    format!("[[webhook]]\nurl = \"{}\"\nsecret_env = \"HOOK_SECRET\"\n{more}\n", receiver.url(path))
}

/// A registry with an open source and one for the group `payments`, and these webhooks at work.
struct Told {
    world: Option<World>,
    runtime: Option<Runtime>,
    counters: Arc<Counters>,
    stop: watch::Sender<bool>,
}

impl Told {
    fn new(webhooks: &str) -> Told {
        let world = World::configured(&format!(
            "{webhooks}[[source]]\nname = \"packs\"\npath = \"packs\"\n\
             [[source]]\nname = \"inner\"\npath = \"inner\"\nreaders = [\"payments\"]\n"
        ));
        let (stop, _) = watch::channel(false);
        let counters = Arc::new(Counters::of(&world.app.settings));
        let mut world = world;
        world.app = world.app.clone().counting(counters.clone());
        let runtime = Runtime::new().expect("a runtime");
        let told = Told { world: Some(world), runtime: Some(runtime), counters, stop };
        told.start("HOOK_SECRET");
        told
    }

    fn world(&self) -> &World {
        self.world.as_ref().expect("it is only lent")
    }

    /// Starts the webhooks with that variable set.
    fn start(&self, set: &str) {
        let _guard = self.runtime.as_ref().expect("it is there until the end").enter();
        let app = &self.world().app;
        let read = |variable: &str| (variable == set).then(|| SECRET.to_owned());
        start(&app.store, &app.settings, &self.counters, &self.stop.subscribe(), read).expect("webhooks");
    }

    fn publish(&mut self, source: &str, id: &str, version: &str) {
        let mut pack = greeter(version);
        pack["id"] = id.into();
        self.world = self.world.take().map(|world| world.in_source(source).publish(&pack));
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

fn shown(received: &[Received]) -> Vec<String> {
    let body = |request: &Received| -> Value { serde_json::from_str(&request.body).expect("JSON") };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    received
        .iter()
        .map(|request| (request, body(request)))
        .map(|(request, body)| format!("{} {} {}", request.path, body["number"], text(&body["pack"])))
        .collect()
}

#[test]
fn a_webhook_sees_what_is_for_everybody_and_for_its_groups() {
    let receiver = Receiver::start();
    let webhooks = hook(&receiver, "open", "") + &hook(&receiver, "inner", "groups = [\"payments\"]");
    let mut told = Told::new(&webhooks);
    told.publish("inner", "hidden", "1.0.0");
    told.publish("packs", "greeter", "1.0.0");
    let received = receiver.wait("all is told", |received| received.len() == 3);
    let mut lines = shown(&received);
    lines.sort();
    assert_eq!(lines, ["/inner 1 hidden", "/inner 2 greeter", "/open 2 greeter"]);
    for request in &received {
        let signed = format!("{}.{}", request.header("packhouse-timestamp"), request.body);
        assert!(is_signature(SECRET, request.header("packhouse-signature"), signed.as_bytes()));
        assert!(!is_signature(SECRET, request.header("packhouse-signature"), request.body.as_bytes()));
    }
    let metrics = told.world().get("/metrics").text();
    assert!(metrics.contains("packhouse_webhook_failing{webhook=\"1\"} 0"), "{metrics}");
    assert!(!metrics.contains("webhook=\"2\""), "what counts hidden events is hidden: {metrics}");
}

#[test]
fn a_receiver_that_redirects_fails_and_holds_up_nobody_else() {
    let (failing, good) = (Receiver::start(), Receiver::start());
    failing.answer(&format!("307 Temporary Redirect\r\nLocation: {}", good.url("elsewhere")));
    let mut told = Told::new(&(hook(&failing, "moved", "") + &hook(&good, "good", "")));
    told.publish("packs", "greeter", "1.0.0");
    told.publish("packs", "greeter", "1.0.1");
    let received = good.wait("the other one is told", |received| received.len() == 2);
    assert_eq!(shown(&received), ["/good 1 greeter", "/good 2 greeter"]);
    failing.wait("it is tried again", |received| received.len() > 1);
    let numbers = told.counters.webhooks();
    assert_eq!(
        (numbers[0].failing.get(), numbers[0].delivered.get(), numbers[0].last_event.get()),
        (1, 0, 0)
    );
    assert_eq!((numbers[1].failing.get(), numbers[1].failed.get()), (0, 0));
    failing.answer("204 No Content");
    let received = failing.wait("it is told in order", |received| {
        received.iter().filter(|request| request.status == "204").count() == 2
    });
    let taken: Vec<Received> = received.into_iter().filter(|request| request.status == "204").collect();
    assert_eq!(shown(&taken), ["/moved 1 greeter", "/moved 2 greeter"]);
    assert_eq!(good.received().len(), 2, "no redirect is followed");
}

#[test]
fn a_webhook_without_its_secret_is_told_nothing_and_nothing_is_lost() {
    let receiver = Receiver::start();
    let webhook = hook(&receiver, "", "").replace("HOOK_SECRET", "UNSET_SECRET");
    let mut told = Told::new(&webhook);
    told.publish("packs", "greeter", "1.0.0");
    assert_eq!(told.counters.webhooks()[0].failing.get(), 1);
    told.start("UNSET_SECRET");
    let received = receiver.wait("it is told", |received| !received.is_empty());
    assert_eq!(shown(&received), ["/ 1 greeter"]);
}

#[test]
fn only_what_a_webhook_names_is_told() {
    let receiver = Receiver::start();
    let mut told = Told::new(&hook(&receiver, "", "events = [\"yanked\"]"));
    told.publish("packs", "greeter", "1.0.0");
    let version = semver::Version::new(1, 0, 0);
    let edit = registry::status::StatusEdit::Yank { version, reason: "wrong".to_owned() };
    let now = jiff::Timestamp::now();
    told.world().app.store.change_status("greeter", &edit, "ops", now).expect("a yank");
    let received = receiver.wait("the yank is told", |received| !received.is_empty());
    assert_eq!(shown(&received), ["/ 2 greeter"]);
    assert_eq!(received[0].header("packhouse-event"), "yanked");
    assert_eq!(received[0].header("packhouse-delivery"), "event-2");
}
