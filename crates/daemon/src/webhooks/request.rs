//! One delivery: a signed POST that a receiver accepts with any 2xx, or not.
//!
//! No redirect is followed, no answer is read beyond its head, and no reason repeats the address, which may hold a
//! secret.

use std::time::Duration;

use jiff::Timestamp;
use registry::settings::WebhookSettings;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Timeout};

use super::message::Message;
use crate::signature::sign;

/// How long a receiver may take until it takes the connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a delivery may take from its beginning to its answer.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How many bytes the head of an answer may have.
const HEAD_LIMIT: usize = 16 << 10;

/// Why a receiver did not take a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// In a few words, the same as long as it is the same.
    pub reason: String,
    /// The header `Retry-After` of a receiver that asks to be left alone.
    pub retry_after: Option<String>,
}

/// What is needed to tell one webhook something.
pub(super) struct Receiver {
    agent: Agent,
    url: String,
    secret: String,
}

impl Receiver {
    pub(super) fn new(webhook: &WebhookSettings, secret: String, authorities: &RootCerts) -> Receiver {
        let url = webhook.url().to_owned();
        let config = Agent::config_builder()
            .tls_config(TlsConfig::builder().root_certs(authorities.clone()).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(HEAD_LIMIT)
            .user_agent(concat!("packhouse/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT_LIMIT))
            .timeout_global(Some(TIME_LIMIT));
        // Plain HTTP is spoken with this machine alone, which a proxy would look for at its own place.
        let config = if url.starts_with("http://") { config.proxy(None) } else { config };
        Receiver { agent: config.build().new_agent(), url, secret }
    }

    /// Sends a message; well when the receiver took it.
    pub(super) fn send(&self, message: &Message, now: Timestamp) -> Result<(), Failure> {
        let timestamp = now.as_second().to_string();
        let signature = sign(&self.secret, &[timestamp.as_bytes(), b".", message.body.as_bytes()]);
        let request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header("packhouse-event", message.kind)
            .header("packhouse-delivery", &message.id)
            .header("packhouse-timestamp", timestamp)
            .header("packhouse-signature", format!("sha256={signature}"));
        let answer = request.send(message.body.as_bytes()).map_err(|error| no_answer(&error))?;
        let failure = |reason: String| {
            let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
            Err(Failure { reason, retry_after: retry_after.map(str::to_owned) })
        };
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            status @ 300..=399 => failure(format!(
                "it answered {status}: redirects are not followed, write the address where it is"
            )),
            status => failure(format!("it answered {status}")),
        }
    }
}

fn no_answer(error: &ureq::Error) -> Failure {
    let reason = match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            format!("no connection came about within {} seconds", CONNECT_LIMIT.as_secs())
        }
        ureq::Error::Timeout(_) => format!("no answer came within {} seconds", TIME_LIMIT.as_secs()),
        ureq::Error::HostNotFound => "no host has that name".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => "no secure connection came about".to_owned(),
        ureq::Error::Protocol(_) => "what it answered is no HTTP".to_owned(),
        // Others may repeat the address.
        _ => "the request could not be made".to_owned(),
    };
    Failure { reason, retry_after: None }
}
