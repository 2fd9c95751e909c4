//! Outgoing webhooks: each is told by a task of its own, in order and at least once, whatever it may see.
//!
//! Events come from the ledger by their numbers and refusals from derived state; up to where a webhook was told is
//! remembered there. Nobody waits for a receiver: one that fails is tried again, more and more rarely, and holds up
//! nothing but its own messages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use registry::settings::{RegistrySettings, WebhookSettings};
use store::{Delivered, Reader, Store, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use ureq::tls::RootCerts;

use crate::counters::{Counters, WebhookCounters};
use crate::pace::{Pace, chance, retry_after};
use crate::trouble::{Telling, Trouble};

mod message;
mod request;

#[cfg(test)]
mod tests;

use message::Message;
use request::{Failure, Receiver};

/// How often it is looked whether something happened. Looking costs one read of the snapshot's number, and one row.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Half of the pause after the first failure.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// How many events are read at once.
const PORTION: usize = 100;

/// One webhook at work.
struct Webhook {
    store: Arc<Store>,
    counters: Arc<Counters>,
    /// Its place in the configuration, from 1, as logs and metrics name it.
    number: usize,
    settings: WebhookSettings,
    key: String,
    reader: Reader,
    receiver: Receiver,
    stopped: watch::Receiver<bool>,
}

/// How a turn ended.
enum Turn {
    /// Everything that was read is told.
    Told,
    /// The receiver did not take a message, which is the next one again.
    Failed(Failure),
}

/// Starts to tell every webhook; `read` gives the value of a variable. One whose secret is not set is told nothing:
/// it is tried with the next start, from where it was.
///
/// # Errors
/// When it cannot be remembered where a webhook begins.
pub(crate) fn start(
    store: &Arc<Store>,
    settings: &RegistrySettings,
    counters: &Arc<Counters>,
    stopped: &watch::Receiver<bool>,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Vec<JoinHandle<()>>, StoreError> {
    let mut tasks = Vec::new();
    if settings.webhooks.is_empty() {
        return Ok(tasks);
    }
    let file = std::env::var_os("SSL_CERT_FILE").map(std::path::PathBuf::from);
    let authorities = git::authorities(file.as_deref());
    for (at, webhook) in settings.webhooks.iter().enumerate() {
        let delivered = store.delivered(&webhook.key())?;
        counters.webhooks()[at].last_event.set(delivered.event);
        match read(&webhook.secret_env).filter(|secret| !secret.is_empty()) {
            Some(secret) => {
                let webhook =
                    Webhook::new(store, counters, (at + 1, webhook), secret, &authorities, stopped.clone());
                tasks.push(tokio::spawn(webhook.run(delivered)));
            }
            None => {
                counters.webhooks()[at].failing.set(1);
                tracing::error!(
                    webhook.number = at + 1,
                    webhook.origin = webhook.origin(),
                    "the variable `{}` is not set: the webhook is told nothing",
                    webhook.secret_env
                );
            }
        }
    }
    Ok(tasks)
}

impl Webhook {
    fn new(
        store: &Arc<Store>,
        counters: &Arc<Counters>,
        (number, settings): (usize, &WebhookSettings),
        secret: String,
        authorities: &RootCerts,
        stopped: watch::Receiver<bool>,
    ) -> Webhook {
        Webhook {
            store: store.clone(),
            counters: counters.clone(),
            number,
            key: settings.key(),
            reader: Reader::of_groups(settings.groups.clone()),
            receiver: Receiver::new(settings, secret, authorities),
            settings: settings.clone(),
            stopped,
        }
    }

    fn counters(&self) -> &WebhookCounters {
        &self.counters.webhooks()[self.number - 1]
    }

    /// Tells what comes until the daemon stops.
    async fn run(self, mut delivered: Delivered) {
        let webhook = Arc::new(self);
        let mut stopped = webhook.stopped.clone();
        let mut pace = Pace::new(SHORTEST_PAUSE).up_to(LONGEST_PAUSE);
        let mut trouble = Trouble::default();
        while !*stopped.borrow() {
            let pause = if webhook.store.newest() == delivered {
                LOOK_EVERY
            } else {
                let telling = webhook.clone();
                let turn = tokio::task::spawn_blocking(move || {
                    let mut delivered = delivered;
                    let turn = telling.turn(&mut delivered);
                    (turn, delivered)
                });
                let before = delivered;
                let Ok((turn, reached)) = turn.await else { return };
                delivered = reached;
                match turn {
                    Turn::Failed(failure) => webhook.failed(&failure, &mut pace, &mut trouble),
                    // Where nothing could be read, what is newest is not written down yet.
                    Turn::Told if reached == before => LOOK_EVERY,
                    Turn::Told => {
                        webhook.went_well(&mut pace, &mut trouble);
                        Duration::ZERO
                    }
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stopped.changed() => {}
            }
        }
    }

    /// Tells a portion of what is not told yet: first the events, then the refusals.
    fn turn(&self, delivered: &mut Delivered) -> Turn {
        let events = self.store.events_after(delivered.event, PORTION);
        for event in &events {
            let snapshot = self.store.snapshot();
            let is_told = self.settings.events.contains(&event.kind) && snapshot.tells(&self.reader, event);
            let message = is_told.then(|| Message::of_event(event));
            let reached = Delivered { event: event.number, ..*delivered };
            if let Err(failure) = self.tell(message, reached, delivered) {
                return Turn::Failed(failure);
            }
        }
        if events.len() == PORTION {
            return Turn::Told;
        }
        for (number, refusal) in self.store.refusals_after(delivered.refusal, PORTION) {
            let is_seen = self.store.snapshot().source(&self.reader, &refusal.source).is_some();
            let message = (self.settings.refused && is_seen).then(|| Message::of_refusal(number, &refusal));
            let reached = Delivered { refusal: number, ..*delivered };
            if let Err(failure) = self.tell(message, reached, delivered) {
                return Turn::Failed(failure);
            }
        }
        Turn::Told
    }

    /// Sends a message, or passes over what the webhook is not told, and remembers that.
    fn tell(
        &self,
        message: Option<Message>,
        reached: Delivered,
        delivered: &mut Delivered,
    ) -> Result<(), Failure> {
        if let Some(message) = message {
            if *self.stopped.borrow() {
                return Err(Failure { reason: "the registry stops".to_owned(), retry_after: None });
            }
            let sent = self.receiver.send(&message, Timestamp::now());
            let counters = self.counters();
            if sent.is_ok() { &counters.delivered } else { &counters.failed }.add(1);
            sent?;
        }
        *delivered = reached;
        self.counters().last_event.set(reached.event);
        if let Err(error) = self.store.set_delivered(&self.key, reached) {
            tracing::error!(webhook.number = self.number, %error, "what the webhook was told is not written down: a restart tells it again");
        }
        Ok(())
    }

    /// Notes a failure; gives the pause before the next attempt.
    fn failed(&self, failure: &Failure, pace: &mut Pace, trouble: &mut Trouble) -> Duration {
        if *self.stopped.borrow() {
            return Duration::ZERO;
        }
        let now = Timestamp::now();
        let (number, origin, reason) = (self.number, self.settings.origin(), &failure.reason);
        self.counters().failing.set(1);
        match trouble.failed(reason, now) {
            None => {}
            Some(Telling::Begins) => {
                tracing::warn!(
                    event = "webhook-failing",
                    webhook.number = number,
                    webhook.origin = origin,
                    "{reason}"
                );
            }
            Some(Telling::Lasts(since)) => {
                tracing::error!(event = "webhook-fails-for-long", webhook.number = number, webhook.origin = origin, %since, "{reason}");
            }
        }
        let asked = failure.retry_after.as_deref().and_then(|value| retry_after(value, now));
        pace.failed(asked, Instant::now());
        pace.pause(chance(), Instant::now())
    }

    fn went_well(&self, pace: &mut Pace, trouble: &mut Trouble) {
        pace.went_well();
        self.counters().failing.set(0);
        if let Some(since) = trouble.over() {
            tracing::info!(event = "webhook-recovered", webhook.number = self.number, webhook.origin = self.settings.origin(), %since, "the webhook takes messages again");
        }
    }
}
