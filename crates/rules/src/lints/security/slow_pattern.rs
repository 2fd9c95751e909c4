//! Flags patterns that take a backtracking engine ages to refuse a text.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::lints::variables::patterns::patterns;
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "slow-pattern",
    group: Group::Security,
    level: Level::Warn,
    summary: "an unbounded repeat inside another one over the same characters",
    why: "The engines of Python and JavaScript try every way to share a text out between the two: forty characters \
          that nearly match can block the runtime for hours.",
    fix: "Repeat once, bound one of the two repeats, or put a character between them that the inner one does not take.",
    example: r#""pattern": "^(a+)+$""#,
    check: Check::Pack(check),
};

/// Longer patterns are left alone; what is looked at takes time that grows with the square of the length.
const MAX_LENGTH: usize = 2000;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for node in patterns(pack) {
        let Some(pattern) = node.as_str().filter(|pattern| pattern.len() <= MAX_LENGTH) else { continue };
        if parse(pattern).is_some_and(|parsed| is_slow(&parsed)) {
            let message = format!("pattern {} repeats a repeat over the same characters", quoted(pattern));
            findings
                .report(node, message)
                .help("repeat once, bound one of the repeats, or separate them by a character that the inner one refuses");
        }
    }
}

/// Reads a pattern; look-around, which the parser does not know, counts as a plain group. None for a text that is no
/// pattern, and for one with possessive repeats, which the parser takes for nested ones though they never try again.
fn parse(pattern: &str) -> Option<Hir> {
    if is_possessive(pattern) {
        return None;
    }
    let mut parser = ParserBuilder::new();
    parser.utf8(false);
    let plain = || {
        ["(?=", "(?!", "(?<=", "(?<!"].iter().fold(pattern.to_owned(), |text, open| text.replace(open, "(?:"))
    };
    let parsed = parser.build().parse(pattern).ok();
    parsed.or_else(|| parser.build().parse(&plain()).ok())
}

/// Whether a `+` follows the sign of a repeat.
fn is_possessive(pattern: &str) -> bool {
    let mut previous = None;
    let mut escaped = false;
    for character in pattern.chars() {
        if character == '+' && matches!(previous, Some('+' | '*' | '?' | '}')) {
            return true;
        }
        previous = (!escaped).then_some(character);
        escaped = character == '\\' && !escaped;
    }
    false
}

/// Whether some unbounded repeat holds another one that can fill it alone.
///
/// The parser bounds the nesting, so that walking down by calls is safe.
fn is_slow(hir: &Hir) -> bool {
    let nested = match hir.kind() {
        HirKind::Repetition(Repetition { max: None, sub, .. }) => can_fill(sub, &mut |_, _| true),
        _ => false,
    };
    nested || parts(hir).into_iter().any(is_slow)
}

/// What stands directly inside.
fn parts(hir: &Hir) -> Vec<&Hir> {
    match hir.kind() {
        HirKind::Repetition(repetition) => vec![&repetition.sub],
        HirKind::Capture(capture) => vec![&capture.sub],
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether `hir` holds an unbounded repeat that can match all of it: whatever stands beside it can be empty or takes
/// the same characters. `rest` judges what stands beside `hir` itself.
fn can_fill(hir: &Hir, rest: &mut dyn FnMut(&ClassUnicode, bool) -> bool) -> bool {
    match hir.kind() {
        HirKind::Repetition(Repetition { max: None, sub, .. }) => {
            let single = single_characters(sub);
            rest(single.as_ref().unwrap_or(&ClassUnicode::empty()), single.is_some()) || can_fill(sub, rest)
        }
        HirKind::Repetition(Repetition { sub, .. }) => can_fill(sub, rest),
        HirKind::Capture(capture) => can_fill(&capture.sub, rest),
        HirKind::Alternation(parts) => parts.iter().any(|part| can_fill(part, rest)),
        HirKind::Concat(parts) => parts.iter().enumerate().any(|(index, part)| {
            let others =
                || parts.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, part)| part);
            can_fill(part, &mut |characters, single| {
                others().all(|other| matches_within(other, characters, single)) && rest(characters, single)
            })
        }),
        _ => false,
    }
}

/// Whether `hir` matches the empty text, or (of a repeat of single characters) some text of these characters.
fn matches_within(hir: &Hir, characters: &ClassUnicode, single: bool) -> bool {
    if hir.properties().minimum_len() == Some(0) {
        return true;
    }
    single
        && match hir.kind() {
            HirKind::Literal(_) | HirKind::Class(_) => overlaps(hir, characters),
            HirKind::Repetition(repetition) => matches_within(&repetition.sub, characters, single),
            HirKind::Capture(capture) => matches_within(&capture.sub, characters, single),
            HirKind::Concat(parts) => parts.iter().all(|part| matches_within(part, characters, single)),
            HirKind::Alternation(parts) => parts.iter().any(|part| matches_within(part, characters, single)),
            HirKind::Empty | HirKind::Look(_) => true,
        }
}

/// Whether a class shares a character with `characters`, or a literal consists of them.
fn overlaps(hir: &Hir, characters: &ClassUnicode) -> bool {
    let within = |other: ClassUnicode| {
        let mut shared = other;
        shared.intersect(characters);
        !shared.ranges().is_empty()
    };
    match hir.kind() {
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().all(|c| within(class_of(c))))
        }
        HirKind::Class(Class::Unicode(class)) => within(class.clone()),
        _ => false,
    }
}

/// The characters of something that matches exactly one; none for anything longer.
fn single_characters(hir: &Hir) -> Option<ClassUnicode> {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let mut characters = std::str::from_utf8(&literal.0).ok()?.chars();
            let first = characters.next()?;
            characters.next().is_none().then(|| class_of(first))
        }
        HirKind::Capture(capture) => single_characters(&capture.sub),
        HirKind::Alternation(parts) => {
            let mut all = ClassUnicode::empty();
            for part in parts {
                all.union(&single_characters(part)?);
            }
            Some(all)
        }
        _ => None,
    }
}

fn class_of(character: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}

#[cfg(test)]
mod tests {
    use super::{is_slow, parse};

    fn check(pattern: &str, expected: bool) {
        assert_eq!(parse(pattern).is_some_and(|parsed| is_slow(&parsed)), expected, "{pattern}");
    }

    #[test]
    fn nested_repeats_are_slow_when_they_share_characters() {
        for slow in [
            "^(a+)+$",
            "(a*)*",
            r"^(\w+\s?)*$",
            "(x+x+)+y",
            "([a-z]+)*@",
            r"(\w+\d)+",
            "((ab)+)*",
            "(a|b+)+",
            "(.*,)*x",
            r"^(?=.{3,})(?:[a-z]+-?)+$",
            "((a+)b?)+c",
            r"(\++)+",
        ] {
            check(slow, true);
        }
        for fast in [
            "^a+$",
            "(a+b)+",
            r"([a-z]+\.)+[a-z]+",
            r"(\d{1,3})+",
            "(a+){1,5}",
            "^[a-z0-9]+(-[a-z0-9]+)*$",
            "(a|b)+",
            r"^(?:\s*[a-z]+,)+$",
            "((ab)+c)+",
            "(",
        ] {
            check(fast, false);
        }
    }
}
