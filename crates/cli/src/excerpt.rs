//! The line of a file that a finding stands on, cut to what a reader can take in.

use pack::{Document, LineIndex, Position};

/// How many characters of a line are shown.
const WIDTH: usize = 100;
/// How many characters are shown before the place in a line that is cut.
const LEAD: usize = 30;

/// A text whose lines can be quoted.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    lines: LineIndex,
}

/// One line, or the part of it around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, without line break.
    pub text: String,
    /// The bytes of `text` that the place covers.
    pub marked: std::ops::Range<usize>,
}

impl SourceText {
    /// The text of a pack: of its document, where the bytes are JSON.
    pub fn new(document: Option<&Document>, bytes: &[u8]) -> SourceText {
        let text = match document {
            Some(document) => document.text().to_owned(),
            None => String::from_utf8_lossy(bytes).into_owned(),
        };
        SourceText { lines: LineIndex::new(&text), text }
    }

    /// The position of a byte.
    pub fn position(&self, offset: u32) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// The line of `start`, marked up to `end` or to its own end.
    pub fn excerpt(&self, start: Position, end: Position) -> Excerpt {
        let number = start.line.clamp(1, self.lines.lines());
        let line = self.lines.line(&self.text, number);
        let line_start = self.lines.offset(&self.text, Position { line: number, column: 1 });
        let end_of_line = self.lines.position(&self.text, (line_start + line.len()) as u32);
        let count = end_of_line.column as usize - 1;
        let first = (start.column.saturating_sub(1) as usize).min(count);
        let last = if end.line > start.line { count } else { end.column.saturating_sub(1) as usize };
        let (from, to) = Excerpt::window(count, first);
        let at =
            self.lines.offset(&self.text, Position { line: number, column: from as u32 + 1 }) - line_start;
        let shown: String = line[at.min(line.len())..].chars().take(to - from).collect();
        Excerpt::new(&shown, (from > 0, to < count), first - from, last.clamp(first, count) - from)
    }
}

impl Excerpt {
    /// The characters of a line that are shown around its character `first`.
    fn window(count: usize, first: usize) -> (usize, usize) {
        if count <= WIDTH {
            return (0, count);
        }
        let from = first.saturating_sub(LEAD).min(count - WIDTH);
        (from, from + WIDTH)
    }

    /// Marks the characters `first` up to `last` of what is shown, and says on which sides it was cut.
    fn new(shown: &str, cut: (bool, bool), first: usize, last: usize) -> Excerpt {
        let mut text = if cut.0 { "…".to_owned() } else { String::new() };
        let mut marked: Option<std::ops::Range<usize>> = None;
        for (at, character) in shown.chars().enumerate() {
            let start = text.len();
            text.push(if character.is_control() && character != '\t' { '\u{fffd}' } else { character });
            if at == first {
                marked = Some(start..start);
            }
            if let Some(marked) = marked.as_mut().filter(|_| at < last) {
                marked.end = text.len();
            }
        }
        let marked = marked.unwrap_or(text.len()..text.len());
        if cut.1 {
            text.push('…');
        }
        Excerpt { text, marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: (u32, u32), expected: &str, marked: &str) {
        let source = SourceText::new(None, text.as_bytes());
        let at = |column| Position { line: 1, column };
        let excerpt = source.excerpt(at(columns.0), at(columns.1));
        assert_eq!(excerpt.text, expected);
        assert_eq!(&excerpt.text[excerpt.marked], marked);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        check("short {{x}} line", (7, 12), "short {{x}} line", "{{x}}");
        let long = format!("{}{{{{x}}}}{}", "a".repeat(200), "b".repeat(200));
        let shown = format!("…{}{{{{x}}}}{}…", "a".repeat(30), "b".repeat(65));
        check(&long, (201, 206), &shown, "{{x}}");
        check("end", (4, 4), "end", "");
        check("ä{{x}}", (2, 7), "ä{{x}}", "{{x}}");
    }
}
