//! Flags dates and times that do not exist.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "invalid-date",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a date or time that does not exist",
    why: "Tools that sort test results or builds by time skip the entry, or stop at it.",
    fix: "Write the day as `2025-06-30`, the time as `2025-06-30T12:00:00Z`.",
    example: r#""date": "2025-02-30""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let tested = pack.pack.prompts().flat_map(|prompt| prompt.list("tested_models"));
    for date in tested.filter_map(|model| model.get("date")) {
        if let Some(text) = date.as_str().filter(|text| !is_day(text)) {
            findings
                .report(date, format!("{} is no calendar day", quoted(text)))
                .help("write it as `2025-06-30`");
        }
    }
    let Some(time) = pack.pack.get("compilation").and_then(|compilation| compilation.get("created_at"))
    else {
        return;
    };
    if let Some(text) = time.as_str().filter(|text| !is_time(text)) {
        let message = format!("{} is no RFC 3339 time", quoted(text));
        findings.report(time, message).help("write it as `2025-06-30T12:00:00Z`");
    }
}

/// Whether the text is a day of the calendar, `YYYY-MM-DD`.
fn is_day(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Whether the text is a time of RFC 3339: a day, `T`, a time of day, and `Z` or an offset.
fn is_time(text: &str) -> bool {
    let Some((day, time)) = text.split_once(['T', 't']) else { return false };
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => return false,
    };
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_zone = match zone.as_bytes()[0] {
        b'Z' | b'z' => zone.len() == 1,
        _ => is_clock(&zone[1..], &[23, 59]),
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_day(day) && is_clock(seconds, &[23, 59, 60]) && is_fraction && is_zone
}

/// Whether the text holds two digits per limit, none over it, with colons between.
fn is_clock(text: &str, limits: &[u32]) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let within = |(part, limit): (&&str, &u32)| number(part, 2).is_some_and(|number| number <= *limit);
    parts.len() == limits.len() && parts.iter().zip(limits).all(within)
}

fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::{is_day, is_time};

    #[test]
    fn days_and_times_exist_or_not() {
        for (text, exists) in [
            ("2024-02-29", true),
            ("2025-02-29", false),
            ("2025-13-01", false),
            ("2025-6-30", false),
            ("", false),
        ] {
            assert_eq!(is_day(text), exists, "{text}");
        }
        for (text, exists) in [
            ("2025-06-30T12:00:00Z", true),
            ("2025-06-30T12:00:00.123+02:00", true),
            ("2025-06-30T24:00:00Z", false),
            ("2025-06-30T12:00:00", false),
            ("2025-06-30 12:00:00Z", false),
            ("2025-06-30T12:00:00.Z", false),
            ("2025-06-30T12:00:00+é", false),
        ] {
            assert_eq!(is_time(text), exists, "{text}");
        }
    }
}
