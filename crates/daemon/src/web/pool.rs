//! Threads for what may not run where requests are answered: reading the ledger, and computing.

use std::sync::Arc;

use axum::http::{HeaderValue, header};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::problem::{Kind, Problem};

/// A bounded number of places for work that computes: comparisons and checks.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    places: Arc<Semaphore>,
}

impl Pool {
    /// A pool with some places per core, so that short bursts wait instead of being sent away.
    pub(crate) fn for_this_machine() -> Pool {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Pool::with_places(4 * cores)
    }

    /// A pool with that many places.
    pub(crate) fn with_places(places: usize) -> Pool {
        Pool { places: Arc::new(Semaphore::new(places)) }
    }

    /// Computes something; 503 when every place is taken.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return Err(Problem::new(Kind::Busy, "every place for comparisons and checks is taken")
                .with_header(header::RETRY_AFTER, HeaderValue::from_static("1")));
        };
        blocking(move || {
            let result = work();
            drop(place);
            result
        })
        .await
    }
}

/// Runs what reads the disk on a thread that may block. A panic there stays there.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Problem::internal(&error)),
    }
}
