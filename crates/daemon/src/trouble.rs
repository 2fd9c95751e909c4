//! When a failing source is told about: once as it begins to fail or fails for another reason, once when that has
//! lasted, and once when it is over. Its state shows the problem all the while.

use jiff::{SignedDuration, Timestamp};

/// How long a source fails before that is more than a host that was restarted.
const LASTING: SignedDuration = SignedDuration::from_mins(15);

/// The failure that a source is in; none at first.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<Failing>);

#[derive(Debug)]
struct Failing {
    since: Timestamp,
    reason: String,
    lasts: bool,
}

/// What is worth telling of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// It begins, or has another reason now.
    Begins,
    /// It has lasted since then.
    Lasts(Timestamp),
}

impl Trouble {
    /// Notes a failure; gives what has not been told of it.
    pub(crate) fn failed(&mut self, reason: &str, now: Timestamp) -> Option<Telling> {
        let Some(failing) = &mut self.0 else {
            self.0 = Some(Failing { since: now, reason: reason.to_owned(), lasts: false });
            return Some(Telling::Begins);
        };
        if !failing.lasts && now.duration_since(failing.since) >= LASTING {
            failing.lasts = true;
            reason.clone_into(&mut failing.reason);
            return Some(Telling::Lasts(failing.since));
        }
        let is_another = failing.reason != reason;
        reason.clone_into(&mut failing.reason);
        is_another.then_some(Telling::Begins)
    }

    /// Notes that all is well; gives since when it was not.
    pub(crate) fn over(&mut self) -> Option<Timestamp> {
        self.0.take().map(|failing| failing.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).expect("a time")
    }

    #[test]
    fn a_failure_of_an_hour_is_told_as_it_begins_as_it_lasts_and_when_it_is_over() {
        let mut trouble = Trouble::default();
        let told: Vec<(i64, Telling)> =
            (1..=60).filter_map(|minute| Some((minute, trouble.failed("away", at(minute))?))).collect();
        assert_eq!(told, [(1, Telling::Begins), (16, Telling::Lasts(at(1)))]);
        assert_eq!(trouble.over(), Some(at(1)));
        assert_eq!(trouble.over(), None);
        assert_eq!(trouble.failed("away", at(61)), Some(Telling::Begins));
    }

    #[test]
    fn another_reason_is_told_and_the_time_counts_from_the_first() {
        let mut trouble = Trouble::default();
        assert_eq!(trouble.failed("away", at(0)), Some(Telling::Begins));
        assert_eq!(trouble.failed("refused", at(1)), Some(Telling::Begins));
        assert_eq!(trouble.failed("refused", at(2)), None);
        assert_eq!(trouble.failed("away", at(20)), Some(Telling::Lasts(at(0))));
        assert_eq!(trouble.failed("away", at(21)), None);
    }
}
