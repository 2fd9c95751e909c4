//! Flags numbers that some runtimes cannot read.

use pack::Node;

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unportable-number",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a number that some runtimes round or refuse",
    why: "JavaScript rounds whole numbers beyond 2^53 - 1, and PromptKit cannot decode a whole number that is spelled `5.0` or `1e3`.",
    fix: "Spell whole numbers with digits alone; `--fix` does it where the value stays exact. Send larger ones as strings.",
    example: r#""max_tokens": 1e3"#,
    check: Check::Pack(check),
};

/// The largest whole number up to which doubles hold every one.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// More digits than this are never respelled.
const MAX_DIGITS: i64 = 16;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for node in pack.pack.descendants().filter(|node| node.as_f64().is_some()) {
        if is_plain(node) && !is_safe(node.source()) {
            let message = format!("JavaScript rounds {}: it is beyond 2^53 - 1", quoted(node.source()));
            findings.report(node, message).help("write it as a string, or choose a smaller number");
        }
    }
    for described in pack.described().iter().filter(|described| described.is_integer()) {
        let node = described.node;
        if node.as_i64().is_none() || is_plain(node) {
            continue;
        }
        let message = format!("PromptKit cannot decode {} as a whole number", quoted(node.source()));
        let draft = findings.report(node, message);
        if let Some(digits) = respelled(node.source()).filter(|digits| is_safe(digits)) {
            draft
                .help(format!("write `{digits}`"))
                .safe_fix(vec![Edit { span: node.span(), replacement: digits }]);
        }
    }
}

/// Whether a number is written with digits alone.
fn is_plain(node: Node<'_>) -> bool {
    !node.source().contains(['.', 'e', 'E'])
}

fn is_safe(digits: &str) -> bool {
    digits.trim_start_matches('-').parse::<u64>().is_ok_and(|number| number <= MAX_SAFE)
}

/// The same number with digits alone, where it is whole.
fn respelled(source: &str) -> Option<String> {
    let (sign, unsigned) = source.strip_prefix('-').map_or(("", source), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let exponent: i64 = exponent.parse().ok()?;
    let point = (whole.len() as i64).checked_add(exponent).filter(|point| *point <= MAX_DIGITS)?;
    let (before, after) = digits.split_at(digits.len().min(usize::try_from(point).unwrap_or_default()));
    if after.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let missing = usize::try_from(point).unwrap_or_default().saturating_sub(before.len());
    let all = format!("{before}{}", "0".repeat(missing));
    let number = all.trim_start_matches('0');
    Some(if number.is_empty() { "0".to_owned() } else { format!("{sign}{number}") })
}

#[cfg(test)]
mod tests {
    use super::respelled;

    #[test]
    fn whole_numbers_are_respelled_exactly() {
        for (source, expected) in [
            ("5.0", Some("5")),
            ("1e3", Some("1000")),
            ("1.5E+1", Some("15")),
            ("1500e-2", Some("15")),
            ("-20.00", Some("-20")),
            ("0e0", Some("0")),
            ("0.0", Some("0")),
            ("5.00000000000000000000001", None),
            ("1e400", None),
            ("1e-400", None),
            ("0e-99999999999999999999", None),
        ] {
            assert_eq!(respelled(source).as_deref(), expected, "{source}");
        }
    }
}
