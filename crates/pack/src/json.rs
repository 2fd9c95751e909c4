//! Parses JSON text into an arena of spanned nodes.
//!
//! The parser accepts exactly RFC 8259. It keeps what generic parsers throw away and a linter needs: where each
//! key and value stands, every copy of a repeated key, and how a number was spelled. It never fails: what it
//! cannot read becomes a [`Problem`], and text that is no JSON yields no [`Document`].

use std::fmt;
use std::sync::OnceLock;

use crate::pointer::Pointer;
use crate::span::Span;

mod node;
mod parser;

#[cfg(test)]
mod tests;

pub use node::Node;
use parser::Parser;

/// The deepest nesting that is read; deeper text is reported as `invalid-json`.
pub const MAX_DEPTH: usize = 128;

/// A parsed JSON text. Nodes are addressed through [`Node`], starting at [`Document::root`].
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    nodes: Vec<NodeData>,
    children: Vec<u32>,
    /// For objects with many members: the children sorted by key, at the same range as in `children`.
    sorted: Vec<u32>,
    respelled: bool,
    printable: bool,
}

/// What went wrong while reading the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of defect it is.
    pub kind: ProblemKind,
    /// The bytes it concerns.
    pub span: Span,
    /// The place in the document, where one is known.
    pub pointer: Pointer,
    /// One sentence fragment that says what is wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

/// The kinds of [`Problem`]; each is the id of a lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A strict parser refuses the text.
    InvalidJson,
    /// The bytes are not UTF-8, or an escape names half a surrogate pair.
    InvalidEncoding,
    /// The text starts with a byte order mark.
    ByteOrderMark,
    /// One object holds a key twice.
    DuplicateKey,
}

#[derive(Debug, Clone)]
struct NodeData {
    span: Span,
    parent: u32,
    key: Option<Key>,
    kind: Kind,
}

#[derive(Debug, Clone)]
struct Key {
    text: Text,
    span: Span,
    /// Tells nearly all different keys apart without a look at the text.
    hash: u32,
}

/// A cheap hash of a key: its length and its first and last bytes.
#[inline]
fn hash_of(key: &str) -> u32 {
    let bytes = key.as_bytes();
    let edge = |part: Option<&[u8]>| {
        part.map_or(0, |part| part.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    };
    let edges = edge(bytes.first_chunk::<4>().map(|part| &part[..]).or(Some(bytes))).rotate_left(5)
        ^ edge(bytes.last_chunk::<4>().map(|part| &part[..]));
    edges.wrapping_mul(0x9e37_79b9) ^ bytes.len() as u32
}

/// The one of 32 bits that stands for all keys of a hash.
#[inline]
fn bit_of(hash: u32) -> u32 {
    1 << (hash >> 27)
}

/// A string of the document: its unescaped text, where that differs from the source.
#[derive(Debug, Clone)]
enum Text {
    Source(Span),
    Unescaped(Box<Unescaped>),
}

/// The unescaped text of a string with escapes.
#[derive(Debug, Clone)]
struct Unescaped {
    text: Box<str>,
    /// Where its escapes stand, once somebody asks for a place inside the text: a string may be long, and asked often.
    escapes: OnceLock<Box<[Escape]>>,
}

/// One escape: where the source goes on after it, and where the unescaped text starts and goes on.
#[derive(Debug, Clone)]
struct Escape {
    source_end: u32,
    start: u32,
    end: u32,
}

#[derive(Debug, Clone)]
enum Kind {
    Null,
    Bool(bool),
    Number,
    String(Text),
    Array {
        start: u32,
        end: u32,
    },
    /// `mask` has the [`bit_of`] every key: most keys that are looked for in vain are known to be absent by it.
    Object {
        start: u32,
        end: u32,
        mask: u32,
    },
}

/// The six JSON types, as [`Node::json_type`] names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// any number
    Number,
    /// a string
    String,
    /// a list
    Array,
    /// a map
    Object,
}

impl JsonType {
    /// The type as JSON Schema names it.
    pub fn name(self) -> &'static str {
        match self {
            JsonType::Null => "null",
            JsonType::Boolean => "boolean",
            JsonType::Number => "number",
            JsonType::String => "string",
            JsonType::Array => "array",
            JsonType::Object => "object",
        }
    }

    /// The type as a sentence names a value of it.
    pub fn with_article(self) -> &'static str {
        match self {
            JsonType::Null => "null",
            JsonType::Boolean => "a boolean",
            JsonType::Number => "a number",
            JsonType::String => "a string",
            JsonType::Array => "a list",
            JsonType::Object => "an object",
        }
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Document {
    /// Reads `bytes`; the document is there whenever the bytes hold one JSON value.
    ///
    /// A leading byte order mark is reported and stepped over; spans count from the first byte of `bytes`.
    pub fn parse(bytes: &[u8]) -> (Option<Document>, Vec<Problem>) {
        let mut problems = Vec::new();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.valid_up_to();
                problems.push(Problem {
                    kind: ProblemKind::InvalidEncoding,
                    span: Span::new(at, (at + 1).min(bytes.len())),
                    pointer: Pointer::root(),
                    message: format!("byte {at} is not UTF-8"),
                    help: Some("save the file as UTF-8".to_owned()),
                });
                return (None, problems);
            }
        };
        let document = Parser::new(text, &mut problems).document();
        (document, problems)
    }

    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether escapes stand for more than quotes, backslashes, line breaks and tabs.
    ///
    /// Where they do not, every letter of a key or string stands in [`text`](Self::text) as itself.
    pub fn is_respelled(&self) -> bool {
        self.respelled
    }

    /// Whether every key and string is written in printable ASCII, line breaks and tabs included.
    pub fn is_printable_ascii(&self) -> bool {
        self.printable && !self.respelled
    }

    /// Finds the value that `pointer` names.
    pub fn at(&self, pointer: &Pointer) -> Option<Node<'_>> {
        let mut node = self.root();
        for token in pointer.tokens() {
            node = match node.json_type() {
                JsonType::Object => node.get(&token)?,
                JsonType::Array => node.child(token.parse().ok()?)?,
                _ => return None,
            };
        }
        Some(node)
    }

    fn string<'a>(&'a self, text: &'a Text) -> &'a str {
        match text {
            Text::Source(span) => &self.text[span.range()],
            Text::Unescaped(unescaped) => &unescaped.text,
        }
    }
}

/// Objects with more members than this are searched by binary search.
const SORT_FROM: usize = 8;

impl Document {
    /// The deepest value or member whose text covers `span`.
    pub fn innermost(&self, span: Span) -> Node<'_> {
        let mut node = self.root();
        loop {
            let inner = node.children().find(|child| {
                let start = child.key_span().map_or(child.span().start, |key| key.start);
                start <= span.start && span.end <= child.span().end
            });
            match inner {
                Some(inner) => node = inner,
                None => return node,
            }
        }
    }

    fn report_duplicate_keys(&self, problems: &mut Vec<Problem>) {
        let mut seen = std::collections::HashSet::new();
        for index in 0..self.nodes.len() as u32 {
            let object = Node { document: self, index };
            if !object.is_object() || object.len() < 2 {
                continue;
            }
            if object.len() <= SORT_FROM && object.has_distinct_keys() {
                continue;
            }
            seen.clear();
            for (key, member) in object.members() {
                if !seen.insert(key) {
                    problems.push(Problem {
                        kind: ProblemKind::DuplicateKey,
                        span: member.key_span().unwrap_or(member.span()),
                        pointer: member.pointer(),
                        message: format!("the key `{key}` stands twice in one object"),
                        help: Some(
                            "remove one of the two: which one counts differs between parsers".to_owned(),
                        ),
                    });
                }
            }
        }
    }
}
