//! When a source is looked at again: after its poll, a little earlier or later so that sources do not march in
//! step, and more and more rarely while its host fails. Webhooks that fail are tried again by the same rule.

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The longest pause after failures, unless the poll itself is longer.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// The longest time that a host can ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(6 * 60 * 60);

/// The pace of one source.
#[derive(Debug)]
pub(crate) struct Pace {
    poll: Duration,
    longest: Duration,
    failures: u32,
    asked: Option<Instant>,
}

impl Pace {
    /// The pace of a source that has not failed.
    pub(crate) fn new(poll: Duration) -> Pace {
        Pace { poll, longest: LONGEST.max(poll), failures: 0, asked: None }
    }

    /// The pace with another longest pause.
    pub(crate) fn up_to(self, longest: Duration) -> Pace {
        Pace { longest, ..self }
    }

    /// Notes that a fetch went well.
    pub(crate) fn went_well(&mut self) {
        self.failures = 0;
        self.asked = None;
    }

    /// Notes that a fetch failed, and for how long the host wants to be left alone.
    pub(crate) fn failed(&mut self, asked: Option<Duration>, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.asked = asked.map(|asked| now + asked.min(LONGEST_ASKED));
    }

    /// How long to wait without a hint; `chance` lies between 0 and 1.
    pub(crate) fn pause(&self, chance: f64, now: Instant) -> Duration {
        let doubled = self.poll.saturating_mul(1_u32.checked_shl(self.failures.min(16)).unwrap_or(u32::MAX));
        let pause = doubled.min(self.longest).mul_f64(0.9 + 0.2 * chance);
        pause.max(self.left_alone(now))
    }

    /// How long the host still wants to be left alone, hints or not.
    pub(crate) fn left_alone(&self, now: Instant) -> Duration {
        self.asked.map_or(Duration::ZERO, |asked| asked.saturating_duration_since(now))
    }
}

/// A number between 0 and 1, another one each time.
pub(crate) fn chance() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

/// Reads the header `Retry-After`: seconds, or a date.
pub(crate) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value.trim()).ok()?;
    Duration::try_from(date.timestamp().duration_since(now)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_double_the_pause_up_to_an_hour() {
        let now = Instant::now();
        let mut pace = Pace::new(Duration::from_secs(60));
        let minutes = |pace: &Pace| pace.pause(0.5, now).as_secs_f64().round() / 60.0;
        assert_eq!(minutes(&pace), 1.0);
        let after: Vec<f64> = std::iter::repeat_with(|| {
            pace.failed(None, now);
            minutes(&pace)
        })
        .take(8)
        .collect();
        assert_eq!(after, [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        for _ in 0..100 {
            pace.failed(None, now);
        }
        assert_eq!(minutes(&pace), 60.0);
        pace.went_well();
        assert_eq!(minutes(&pace), 1.0);
        let mut short = Pace::new(Duration::from_secs(60)).up_to(Duration::from_secs(180));
        short.failed(None, now);
        short.failed(None, now);
        assert_eq!(minutes(&short), 3.0);
    }

    #[test]
    fn the_pause_varies_by_a_tenth() {
        let (now, pace) = (Instant::now(), Pace::new(Duration::from_secs(100)));
        assert_eq!(pace.pause(0.0, now).as_secs(), 90);
        assert_eq!(pace.pause(1.0, now).as_secs_f64().round(), 110.0);
        let chances: Vec<f64> = std::iter::repeat_with(chance).take(20).collect();
        assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!(chances.iter().any(|chance| *chance != chances[0]));
    }

    #[test]
    fn a_host_that_asks_for_time_gets_it() {
        let now = Instant::now();
        let mut pace = Pace::new(Duration::from_secs(60));
        pace.failed(Some(Duration::from_secs(900)), now);
        assert_eq!(pace.left_alone(now).as_secs(), 900);
        assert_eq!(pace.pause(0.5, now).as_secs(), 900);
        assert_eq!(pace.left_alone(now + Duration::from_secs(901)), Duration::ZERO);
        pace.failed(Some(Duration::MAX), now);
        assert_eq!(pace.left_alone(now), LONGEST_ASKED);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!(retry_after("120", now), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Thu, 01 Jan 2026 00:01:00 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Wed, 31 Dec 2025 00:01:00 GMT", now), None);
        assert_eq!(retry_after("soon", now), None);
    }
}
