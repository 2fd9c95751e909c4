//! What happened to each source and webhook since the process began, as numbers for `/metrics`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use registry::settings::RegistrySettings;

/// The numbers of one source.
#[derive(Debug, Default)]
pub(crate) struct SourceCounters {
    /// Hints: file notices, webhooks and requests for a scan.
    pub(crate) hints: Counter,
    /// Scans.
    pub(crate) scans: Counter,
    /// Fetches that went well.
    pub(crate) fetched: Counter,
    /// Fetches that failed.
    pub(crate) failed: Counter,
    /// Bytes that fetches brought.
    pub(crate) bytes: Counter,
    /// Objects that fetches brought.
    pub(crate) objects: Counter,
    /// Candidates that were refused.
    pub(crate) refused: Counter,
}

/// A number.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds to the number.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Replaces the number, where it is a state and no count.
    pub(crate) fn set(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }

    /// The number.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The numbers of one webhook.
#[derive(Debug, Default)]
pub(crate) struct WebhookCounters {
    /// Messages that it took.
    pub(crate) delivered: Counter,
    /// Attempts that failed.
    pub(crate) failed: Counter,
    /// Whether it does not take messages now: 1 or 0.
    pub(crate) failing: Counter,
    /// The number of the last event that it was told, or is not to be told.
    pub(crate) last_event: Counter,
}

/// The numbers of all sources, in the order of their names, and of all webhooks, in that of the configuration.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    sources: BTreeMap<String, SourceCounters>,
    webhooks: Vec<WebhookCounters>,
}

impl Counters {
    /// Zeros for every configured source and webhook.
    pub(crate) fn of(settings: &RegistrySettings) -> Counters {
        let zero =
            |source: &registry::settings::SourceSettings| (source.name.clone(), SourceCounters::default());
        let webhooks = settings.webhooks.iter().map(|_| WebhookCounters::default()).collect();
        Counters { sources: settings.sources.iter().map(zero).collect(), webhooks }
    }

    /// The numbers of a source; none for one that is not configured.
    pub(crate) fn source(&self, name: &str) -> Option<&SourceCounters> {
        self.sources.get(name)
    }

    /// The numbers of every webhook.
    pub(crate) fn webhooks(&self) -> &[WebhookCounters] {
        &self.webhooks
    }

    /// The numbers of every source.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &SourceCounters)> + Clone {
        self.sources.iter().map(|(name, counters)| (name.as_str(), counters))
    }
}
