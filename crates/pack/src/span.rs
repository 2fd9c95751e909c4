//! Byte ranges of a text, and the lines and columns that people call them by.

use std::collections::BTreeMap;
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

/// Finds lines and columns of a text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes the lines of `text`; a line ends with `\n`.
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineIndex { starts: std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect() }
    }

    /// The position of byte `offset` of `text`, the text that was indexed.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts[line] as usize;
        let offset = (offset as usize).min(text.len());
        let before = text.get(start..offset).unwrap_or_default();
        Position { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The positions of many bytes of `text`, found in one walk.
    pub fn positions(&self, text: &str, mut offsets: Vec<u32>) -> BTreeMap<u32, Position> {
        offsets.sort_unstable();
        offsets.dedup();
        let mut known: Option<(u32, Position)> = None;
        let mut positions = BTreeMap::new();
        for offset in offsets {
            let line = self.starts.partition_point(|start| *start <= offset) as u32;
            let position = match known {
                Some((at, before)) if before.line == line => {
                    let between = text.get(at as usize..offset as usize).unwrap_or_default();
                    Position { line, column: before.column + between.chars().count() as u32 }
                }
                _ => self.position(text, offset),
            };
            known = Some((offset, position));
            positions.insert(offset, position);
        }
        positions
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_one_walk_are_the_same() {
        let text = "aé\nb\n\ncd é f";
        let lines = LineIndex::new(text);
        let offsets: Vec<u32> = text.char_indices().rev().map(|(at, _)| at as u32).collect();
        for (offset, position) in lines.positions(text, offsets) {
            assert_eq!(position, lines.position(text, offset));
        }
    }
}
