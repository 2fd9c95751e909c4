//! What webhooks were told, and what they are still to be told beside the events: derived state, which may be lost.

use registry::refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::store::Store;

/// Up to where a webhook was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delivered {
    /// The number of the last event.
    pub event: u64,
    /// The number of the last refusal.
    pub refusal: u64,
}

impl Store {
    /// The numbers of the last event and of the last refusal.
    pub fn newest(&self) -> Delivered {
        Delivered { event: self.snapshot().last_event, refusal: self.index.last_refusal() }
    }

    /// Up to where a webhook was told. One of which nothing is remembered begins with what is newest now, and so does
    /// one that was told more than there is: the ledger is another one, or was set back.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn delivered(&self, webhook: &str) -> Result<Delivered, StoreError> {
        let newest = self.newest();
        let known = self.index.delivered(webhook);
        let is_of_these = |told: &Delivered| told.event <= newest.event && told.refusal <= newest.refusal;
        if let Some(told) = known.filter(is_of_these) {
            return Ok(told);
        }
        self.index.set_delivered(webhook, newest)?;
        Ok(newest)
    }

    /// Remembers up to where a webhook was told.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn set_delivered(&self, webhook: &str, delivered: Delivered) -> Result<(), StoreError> {
        self.index.set_delivered(webhook, delivered)
    }

    /// Keeps refusals for the webhooks; of very many, the newest.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn keep_refusals(&self, refusals: &[Refusal]) -> Result<(), StoreError> {
        // Two sources may find some at once, and each needs a number of its own.
        let _one_at_a_time = self.writer();
        refusals.iter().try_for_each(|refusal| self.index.add_refusal(refusal))
    }

    /// Refusals after a number, oldest first, each with its own.
    pub fn refusals_after(&self, number: u64, limit: usize) -> Vec<(u64, Refusal)> {
        self.index.refusals_after(number, limit)
    }
}
