//! Durations as ISO 8601 writes them, and which of two is the longer one.

/// What a later duration is, seen from an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The same, however it is written.
    Equal,
    /// Shorter, whatever months it falls on.
    Shorter,
    /// Longer, whatever months it falls on.
    Longer,
    /// That depends on the calendar, or one of them is no duration.
    Unclear,
}

/// A duration in the two units that do not depend on one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Duration {
    months: u64,
    seconds: u64,
}

const DAY: u64 = 24 * 60 * 60;

impl Duration {
    /// The least and the most seconds that it may last.
    fn range(self) -> (u64, u64) {
        let with = |days: u64| self.months.saturating_mul(days * DAY).saturating_add(self.seconds);
        (with(28), with(31))
    }
}

/// Compares two durations.
pub(super) fn compare(old: &str, new: &str) -> Order {
    if old == new {
        return Order::Equal;
    }
    let (Some(old), Some(new)) = (parse(old), parse(new)) else { return Order::Unclear };
    if old == new {
        return Order::Equal;
    }
    if new.months <= old.months && new.seconds <= old.seconds {
        return Order::Shorter;
    }
    if new.months >= old.months && new.seconds >= old.seconds {
        return Order::Longer;
    }
    let ((old_least, old_most), (new_least, new_most)) = (old.range(), new.range());
    if new_most < old_least {
        Order::Shorter
    } else if new_least > old_most {
        Order::Longer
    } else {
        Order::Unclear
    }
}

/// Reads `P[nY][nM][nW][nD][T[nH][nM][nS]]` with at least one part.
fn parse(text: &str) -> Option<Duration> {
    const DATE: [(char, u64, u64); 4] = [('Y', 12, 0), ('M', 1, 0), ('W', 0, 7 * DAY), ('D', 0, DAY)];
    const TIME: [(char, u64, u64); 3] = [('H', 0, 3600), ('M', 0, 60), ('S', 0, 1)];
    let text = text.strip_prefix('P')?;
    let (date, time) = match text.split_once('T') {
        Some((date, time)) if !time.is_empty() => (date, time),
        Some(_) => return None,
        None => (text, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let mut duration = Duration { months: 0, seconds: 0 };
    add(date, &DATE, &mut duration)?;
    add(time, &TIME, &mut duration)?;
    Some(duration)
}

/// Adds whole numbers with units, each at most once and in the order of `units`.
fn add(text: &str, units: &[(char, u64, u64)], duration: &mut Duration) -> Option<()> {
    let mut rest = text;
    let mut units = units.iter();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..end].parse().ok()?;
        let unit = rest[end..].chars().next()?;
        let (_, months, seconds) = units.find(|(name, ..)| *name == unit)?;
        duration.months = duration.months.checked_add(number.checked_mul(*months)?)?;
        duration.seconds = duration.seconds.checked_add(number.checked_mul(*seconds)?)?;
        rest = &rest[end + unit.len_utf8()..];
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_equal_however_they_are_written() {
        for (old, new) in [("P7D", "P1W"), ("P1Y", "P12M"), ("PT60M", "PT1H"), ("P1D", "PT24H"), ("x", "x")] {
            assert_eq!(compare(old, new), Order::Equal, "{old} {new}");
        }
    }

    #[test]
    fn the_longer_one_is_known_where_no_calendar_decides() {
        for (old, new, expected) in [
            ("P1Y", "P6M", Order::Shorter),
            ("P1M", "P1M1D", Order::Longer),
            ("P1M", "P2W", Order::Shorter),
            ("P30D", "P1M", Order::Unclear),
            ("P1Y", "P400D", Order::Longer),
            ("P1Y", "never", Order::Unclear),
            ("P1D", "P", Order::Unclear),
            ("P1D", "P1DT", Order::Unclear),
            ("P1D", "P1D2W", Order::Unclear),
            ("P1D", "P99999999999999999999D", Order::Unclear),
        ] {
            assert_eq!(compare(old, new), expected, "{old} {new}");
        }
    }
}
