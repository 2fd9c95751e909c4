//! Byte ranges of a text, and the lines and columns that people call them by.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes, `start` included, `end` not. Texts are at most 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes the span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// The span as a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many bytes the span covers.
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Whether the span covers nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A place in a text for people: line and column from 1, the column in code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// Finds lines and columns of a text, in long lines too.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// How many characters start before each multiple of [`STEP`] bytes.
    characters: Vec<u32>,
}

/// The bytes that one look-up may have to walk over.
const STEP: usize = 512;

/// How many characters start in these bytes of UTF-8.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() as u32
}

impl LineIndex {
    /// Indexes the lines of `text`; a line ends with `\n`.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        let mut before = 0;
        let counted = text.as_bytes().chunks(STEP).map(|chunk| {
            before += count_characters(chunk);
            before
        });
        LineIndex { starts, characters: std::iter::once(0).chain(counted).collect() }
    }

    /// The position of byte `offset` of `text`, the text that was indexed.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let offset = (offset as usize).min(text.len());
        let start = (self.starts[line] as usize).min(offset);
        let column = self.characters_before(text, offset) - self.characters_before(text, start) + 1;
        Position { line: line as u32 + 1, column }
    }

    /// The byte of `text` at a position; the end of the text where that lies beyond it.
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = (position.line as usize).saturating_sub(1);
        let Some(start) = self.starts.get(line) else { return text.len() };
        let target = self.characters_before(text, *start as usize) + position.column.saturating_sub(1);
        // The step in which that character starts; its first bytes may belong to a character of the step before.
        let step = self.characters.partition_point(|before| *before <= target).saturating_sub(1);
        let mut left = target - self.characters[step];
        let from = (step * STEP).min(text.len());
        for (at, byte) in text.as_bytes()[from..].iter().enumerate() {
            if (byte & 0xc0) != 0x80 {
                if left == 0 {
                    return from + at;
                }
                left -= 1;
            }
        }
        text.len()
    }

    fn characters_before(&self, text: &str, offset: usize) -> u32 {
        let step = offset / STEP;
        self.characters[step] + count_characters(&text.as_bytes()[step * STEP..offset])
    }

    /// The bytes of the line with that number (from 1), its line break left out.
    pub fn line<'t>(&self, text: &'t str, line: u32) -> &'t str {
        let index = line as usize - 1;
        let start = self.starts.get(index).map_or(text.len(), |start| *start as usize);
        let end = self.starts.get(index + 1).map_or(text.len(), |next| *next as usize);
        text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// How many lines there are.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }
}

/// Writes a text with pieces of it replaced; the spans come in order and do not overlap.
pub fn splice<'r>(text: &str, edits: impl IntoIterator<Item = (Span, &'r str)>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut at = 0;
    for (span, replacement) in edits {
        written.push_str(&text[at..span.start as usize]);
        written.push_str(replacement);
        at = span.end as usize;
    }
    written + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_each_others_inverse() {
        let text = format!("aé\nb\n\n{}\nend €", "cd é f 🏴 ".repeat(300));
        let lines = LineIndex::new(&text);
        let mut expected = Position { line: 1, column: 1 };
        for (at, character) in text.char_indices() {
            assert_eq!(lines.position(&text, at as u32), expected);
            assert_eq!(lines.offset(&text, expected), at);
            let next = Position { line: expected.line, column: expected.column + 1 };
            expected = if character == '\n' { Position { line: next.line + 1, column: 1 } } else { next };
        }
        assert_eq!(lines.position(&text, u32::MAX), expected);
        assert_eq!(lines.offset(&text, expected), text.len());
    }
}
