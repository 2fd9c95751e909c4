//! What webhooks are told of versions that were not published: once the scan is through, so that only what stands
//! there counts.

use registry::refusal::{Standing, refusals};

use super::Run;

impl Run<'_> {
    /// Begins to know what stands refused, for a source of which nothing is published and nothing remembered. Where the
    /// ledger knows the source, what was remembered of it is lost, and was told before.
    pub(super) fn begin_refusals(&mut self) {
        let snapshot = self.scanner.store.snapshot();
        if self.state.told.is_none() && snapshot.record(&self.scanner.source.name).is_none() {
            self.state.told = Some(Standing::new());
        }
    }

    /// Keeps what is refused and was not before.
    pub(super) fn keep_refusals(&mut self) {
        let source = &self.scanner.source.name;
        let known = self.state.told.take();
        let told = known.clone().unwrap_or_default();
        let (standing, news) = refusals(source, &self.state.problems, &told, self.now);
        let is_wanted = self.scanner.settings.webhooks.iter().any(|webhook| webhook.refused);
        self.state.told = Some(standing);
        if !is_wanted || known.is_none() {
            return;
        }
        if let Err(error) = self.scanner.store.keep_refusals(&news) {
            tracing::error!(source.name = %source, %error, "webhooks are told of these refusals with the next scan");
            self.state.told = known;
        }
    }
}
