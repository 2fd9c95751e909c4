//! How long a scan may keep others waiting, and how long it may say nothing at all.
//!
//! A scan ends with its budget, unless a disk does not answer: a share whose server is gone holds every thread that
//! reads there. Such a scan cannot be stopped. It keeps its thread, but neither a slot nor the silence of its source.

use std::future::Future;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

/// What a scan is granted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// How long it keeps its slot.
    pub(crate) slot: Duration,
    /// How long after that its source is said not to answer.
    pub(crate) silence: Duration,
}

/// What every scan is granted.
pub(crate) const PATIENCE: Patience =
    Patience { slot: Duration::from_secs(5), silence: Duration::from_secs(60) };

/// Waits for the end of a scan that holds a slot; `give_up` is called where it says nothing for too long. Answers
/// also whether that happened.
pub(crate) async fn patiently<T>(
    scan: impl Future<Output = T>,
    slot: OwnedSemaphorePermit,
    patience: Patience,
    give_up: impl FnOnce(),
) -> (T, bool) {
    let mut scan = std::pin::pin!(scan);
    tokio::select! {
        ended = &mut scan => return (ended, false),
        () = tokio::time::sleep(patience.slot) => drop(slot),
    }
    tokio::select! {
        ended = &mut scan => return (ended, false),
        () = tokio::time::sleep(patience.silence) => give_up(),
    }
    (scan.await, true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{Semaphore, oneshot};

    use super::*;

    const NONE: Patience = Patience { slot: Duration::ZERO, silence: Duration::ZERO };

    #[tokio::test]
    async fn a_scan_that_does_not_end_gives_its_slot_up_and_is_told() {
        let slots = Arc::new(Semaphore::new(1));
        let slot = slots.clone().acquire_owned().await.expect("the only slot");
        let (end, ended) = oneshot::channel::<u8>();
        let (tell, told) = oneshot::channel::<()>();
        let scan = tokio::spawn(patiently(ended, slot, NONE, move || {
            let _ = tell.send(());
        }));
        drop(slots.acquire().await.expect("the slot is given up"));
        told.await.expect("its silence is told");
        end.send(7).expect("the scan still waits");
        assert_eq!(scan.await.expect("no panic"), (Ok(7), true));
    }

    #[tokio::test]
    async fn a_scan_that_ends_keeps_its_slot_until_then() {
        let slots = Arc::new(Semaphore::new(1));
        let slot = slots.clone().acquire_owned().await.expect("the only slot");
        let scan = async {
            tokio::task::yield_now().await;
            slots.available_permits()
        };
        let ended = patiently(scan, slot, PATIENCE, || panic!("it is not silent")).await;
        assert_eq!(ended, (0, false));
        assert_eq!(slots.available_permits(), 1);
    }
}
