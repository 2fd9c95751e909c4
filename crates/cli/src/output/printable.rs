//! Text from files and registries on one line: what would break a line or reorder it stands as an escape.

use std::borrow::Cow;

/// The text with line breaks, other control characters, characters that turn the direction of writing and those that
/// nobody sees as the escapes of Rust: `\n`, `\u{202e}`, `\u{200b}`.
///
/// A file name or a message can then neither pretend to be a further line nor show itself in another order, and two
/// names that differ look different. Joiners stay: scripts and emoji need them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character moves others or what follows instead of being seen: controls, line and paragraph separators,
/// embeddings, overrides and isolates of direction, what has no width, and tags.
fn is_hidden(character: char) -> bool {
    let moves = matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_unseen = matches!(
        character,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    );
    character.is_control() || moves || is_unseen
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_moves_other_text_stands_as_an_escape() {
        for (text, expected) in [
            ("plain `{{x}}` äß 日本 \\n", "plain `{{x}}` äß 日本 \\n"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\u{1b}[31mred\u{9b}", "\\u{1b}[31mred\\u{9b}"),
            ("a\u{202e}b\u{2066}c\u{2069}\u{2028}", "a\\u{202e}b\\u{2066}c\\u{2069}\\u{2028}"),
            ("a\u{200b}b\u{feff}\u{e0041}", "a\\u{200b}b\\u{feff}\\u{e0041}"),
            ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم"),
            ("شجر\u{200f}", "شجر\u{200f}"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}
