//! How often each route was answered, and with which status.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;

/// The statuses that are counted by themselves; any other one counts as the last.
const STATUSES: [u16; 20] =
    [200, 202, 206, 303, 304, 400, 401, 403, 404, 405, 409, 410, 413, 415, 416, 422, 429, 500, 503, 0];

/// Counters by route; the last row is for paths and methods that no route answers.
#[derive(Debug)]
pub(crate) struct Metrics {
    counters: Vec<[AtomicU64; STATUSES.len()]>,
}

impl Metrics {
    /// Counters for that many routes.
    pub(crate) fn new(routes: usize) -> Metrics {
        Metrics { counters: (0..=routes).map(|_| std::array::from_fn(|_| AtomicU64::new(0))).collect() }
    }

    /// Counts one answer of a route; none stands for what no route answers.
    pub(crate) fn count(&self, route: Option<usize>, status: StatusCode) {
        let row = &self.counters[route.unwrap_or(self.counters.len() - 1)];
        let column = STATUSES.iter().position(|known| *known == status.as_u16());
        row[column.unwrap_or(STATUSES.len() - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// Everything that was counted: route (none for what no route answers), status, number.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (Option<usize>, u16, u64)> + '_ {
        let last = self.counters.len() - 1;
        self.counters.iter().enumerate().flat_map(move |(row, counters)| {
            let numbers = STATUSES.iter().zip(counters);
            numbers.filter_map(move |(status, counter)| {
                let number = counter.load(Ordering::Relaxed);
                (number > 0).then_some(((row < last).then_some(row), *status, number))
            })
        })
    }
}
