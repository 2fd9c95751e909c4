//! Webhooks of Git hosts: who may ring a source's bell, and which delivery did so already.
//!
//! A hook carries no data: a forged, lost or repeated one could change nothing but when a source is looked at.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use axum::http::HeaderMap;
use registry::settings::RegistrySettings;
use subtle::ConstantTimeEq;

use crate::signature::is_signature;

/// How many deliveries of a source are remembered.
const REMEMBERED: usize = 256;
/// The longest delivery id that is remembered.
const LONGEST_ID: usize = 200;

/// Headers that carry the HMAC-SHA-256 of the body in hexadecimal digits: our own, GitHub, Gitea, Forgejo and Gogs,
/// Bitbucket. Hosts that are asked to be compatible send several; each holds the same.
const SIGNATURES: [&str; 6] = [
    "packhouse-signature",
    "x-hub-signature-256",
    "x-forgejo-signature",
    "x-gitea-signature",
    "x-gogs-signature",
    "x-hub-signature",
];
/// The header in which GitLab sends the secret itself.
const TOKEN: &str = "x-gitlab-token";
/// Headers that name a delivery, of the same hosts. GitLab gives pushes that one hook led to the id of its event, but a
/// key of its own to each delivery.
const DELIVERIES: [&str; 9] = [
    "packhouse-delivery",
    "x-github-delivery",
    "x-forgejo-delivery",
    "x-gitea-delivery",
    "x-gogs-delivery",
    "idempotency-key",
    "x-gitlab-event-uuid",
    "x-request-uuid",
    "x-request-id",
];

/// The secrets of the sources, and what was delivered.
pub(crate) struct Hooks {
    secrets: HashMap<String, String>,
    delivered: Mutex<HashMap<String, VecDeque<String>>>,
}

impl Hooks {
    /// Reads the secrets of all sources with `read`, which is given the name of a variable. A secret that is not set
    /// is said once; that source takes no hooks.
    pub(crate) fn new(settings: &RegistrySettings, read: impl Fn(&str) -> Option<String>) -> Hooks {
        let mut secrets = HashMap::new();
        for source in &settings.sources {
            let Some(variable) = &source.webhook_secret_env else { continue };
            match read(variable).filter(|secret| !secret.is_empty()) {
                Some(secret) => {
                    secrets.insert(source.name.clone(), secret);
                }
                None => tracing::warn!(
                    source.name = %source.name,
                    "the variable `{variable}` is not set: the source takes no webhooks"
                ),
            }
        }
        Hooks { secrets, delivered: Mutex::default() }
    }

    /// The secret of a source that takes hooks.
    pub(crate) fn secret(&self, source: &str) -> Option<&str> {
        self.secrets.get(source).map(String::as_str)
    }

    /// Whether a delivery comes for the first time, as far as that is remembered. One without an id always does.
    pub(crate) fn is_first(&self, source: &str, headers: &HeaderMap) -> bool {
        let id = DELIVERIES.iter().find_map(|name| headers.get(*name)?.to_str().ok());
        let Some(id) = id.filter(|id| !id.is_empty() && id.len() <= LONGEST_ID) else { return true };
        let mut delivered = self.delivered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = delivered.entry(source.to_owned()).or_default();
        if known.iter().any(|known| known == id) {
            return false;
        }
        if known.len() == REMEMBERED {
            known.pop_front();
        }
        known.push_back(id.to_owned());
        true
    }
}

/// Whether whoever sent the body knows the secret.
pub(crate) fn is_signed(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    let signature = SIGNATURES.iter().find_map(|name| headers.get(*name));
    if let Some(signature) = signature {
        return signature.to_str().is_ok_and(|signature| is_signature(secret, signature, body));
    }
    headers.get(TOKEN).is_some_and(|token| token.as_bytes().ct_eq(secret.as_bytes()).into())
}
