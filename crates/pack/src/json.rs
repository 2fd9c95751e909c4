//! Parses JSON text into an arena of spanned nodes.
//!
//! The parser accepts exactly RFC 8259. It keeps what generic parsers throw away and a linter needs: where each
//! key and value stands, every copy of a repeated key, and how a number was spelled. It never fails: what it
//! cannot read becomes a [`Problem`], and text that is no JSON yields no [`Document`].

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::pointer::Pointer;
use crate::span::Span;

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
    Array { start: u32, end: u32 },
    Object { start: u32, end: u32 },
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
        formatter.write_str(match self {
            JsonType::Null => "null",
            JsonType::Boolean => "boolean",
            JsonType::Number => "number",
            JsonType::String => "string",
            JsonType::Array => "array",
            JsonType::Object => "object",
        })
    }
}

/// One value of a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    index: u32,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.pointer(), self.source())
    }
}

impl PartialEq for Node<'_> {
    /// Two nodes are equal when they are the same place of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.index == other.index
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

    /// Finds the value that `pointer` names.
    pub fn at(&self, pointer: &Pointer) -> Option<Node<'_>> {
        let mut node = self.root();
        for token in pointer.tokens() {
            node = match node.json_type() {
                JsonType::Object => node.get(&token)?,
                JsonType::Array => node.children().nth(token.parse().ok()?)?,
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

impl<'a> Node<'a> {
    fn data(self) -> &'a NodeData {
        &self.document.nodes[self.index as usize]
    }

    /// The document that the value stands in.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// Where the value stands in the text, quotes and brackets included.
    pub fn span(self) -> Span {
        self.data().span
    }

    /// The text of the value as it was written.
    pub fn source(self) -> &'a str {
        &self.document.text[self.span().range()]
    }

    /// Where the key of this member stands, quotes included; none for array items and the root.
    pub fn key_span(self) -> Option<Span> {
        self.data().key.as_ref().map(|key| key.span)
    }

    /// The key of this member, unescaped; none for array items and the root.
    pub fn key(self) -> Option<&'a str> {
        self.data().key.as_ref().map(|key| self.document.string(&key.text))
    }

    /// The object or array that holds this value.
    pub fn parent(self) -> Option<Node<'a>> {
        (self.index != 0).then(|| Node { document: self.document, index: self.data().parent })
    }

    /// The position of this value among its siblings, from 0.
    pub fn position(self) -> usize {
        self.parent()
            .map_or(0, |parent| parent.child_indexes().binary_search(&self.index).unwrap_or_default())
    }

    /// The JSON Pointer of this value.
    pub fn pointer(self) -> Pointer {
        let mut tokens = Vec::new();
        let mut node = self;
        while let Some(parent) = node.parent() {
            tokens.push(match node.key() {
                Some(key) => Cow::Borrowed(key),
                None => Cow::Owned(node.position().to_string()),
            });
            node = parent;
        }
        let mut pointer = Pointer::root();
        for token in tokens.iter().rev() {
            pointer.push(token);
        }
        pointer
    }

    /// Which of the six types the value has.
    pub fn json_type(self) -> JsonType {
        match self.data().kind {
            Kind::Null => JsonType::Null,
            Kind::Bool(_) => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String(_) => JsonType::String,
            Kind::Array { .. } => JsonType::Array,
            Kind::Object { .. } => JsonType::Object,
        }
    }

    /// The string, unescaped.
    pub fn as_str(self) -> Option<&'a str> {
        match &self.data().kind {
            Kind::String(text) => Some(self.document.string(text)),
            _ => None,
        }
    }

    /// The boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.data().kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, rounded to the nearest double.
    pub fn as_f64(self) -> Option<f64> {
        matches!(self.data().kind, Kind::Number).then(|| self.source().parse().ok()).flatten()
    }

    /// The number, where it is a whole one (`5.0` included) that fits.
    pub fn as_i64(self) -> Option<i64> {
        let number = self.as_f64()?;
        match self.source().parse() {
            Ok(whole) => Some(whole),
            Err(_) if number.fract() == 0.0 && number.abs() < 9.0e15 => Some(number as i64),
            Err(_) => None,
        }
    }

    /// Where bytes `inner` of this string's unescaped text stand in the document.
    ///
    /// For any other value, and for ranges outside the text, it is the span of the value.
    pub fn span_within(self, inner: Span) -> Span {
        match &self.data().kind {
            Kind::String(Text::Source(text)) if inner.end as usize <= text.len() => {
                Span { start: text.start + inner.start, end: text.start + inner.end }
            }
            Kind::String(Text::Unescaped(unescaped)) if inner.end as usize <= unescaped.text.len() => {
                let escapes = unescaped.escapes.get_or_init(|| escapes(self.source().as_bytes()));
                let offset = |target| self.span().start + source_offset(escapes, target);
                let start = offset(inner.start);
                Span { start, end: offset(inner.end).max(start) }
            }
            _ => self.span(),
        }
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        matches!(self.data().kind, Kind::Object { .. })
    }

    /// Whether the value is an array.
    pub fn is_array(self) -> bool {
        matches!(self.data().kind, Kind::Array { .. })
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        matches!(self.data().kind, Kind::Null)
    }

    fn range(self) -> std::ops::Range<usize> {
        match self.data().kind {
            Kind::Array { start, end } | Kind::Object { start, end } => start as usize..end as usize,
            _ => 0..0,
        }
    }

    fn child_indexes(self) -> &'a [u32] {
        &self.document.children[self.range()]
    }

    /// The items of an array or the member values of an object, in order; nothing for other values.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Node<'a>> + ExactSizeIterator + Clone {
        let document = self.document;
        self.child_indexes().iter().map(move |&index| Node { document, index })
    }

    /// This value and everything inside it, in the order of the text.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(node.children().rev());
            Some(node)
        })
    }

    /// The items of an array, in order; nothing for any other value.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Node<'a>> + Clone {
        let is_array = self.is_array();
        self.children().filter(move |_| is_array)
    }

    /// The members of an object as (key, value), in order; nothing for any other value.
    pub fn members(self) -> impl DoubleEndedIterator<Item = (&'a str, Node<'a>)> + Clone {
        let is_object = self.is_object();
        self.children().filter(move |_| is_object).filter_map(|node| Some((node.key()?, node)))
    }

    /// How many items or members there are.
    pub fn len(self) -> usize {
        self.child_indexes().len()
    }

    /// Whether there are no items or members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member of that key; of a repeated key the last one, as other parsers take it.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        if !self.is_object() {
            return None;
        }
        let document = self.document;
        if self.len() <= SORT_FROM {
            return self.children().rev().find(|child| child.key() == Some(key));
        }
        let sorted = &document.sorted[self.range()];
        let end = sorted.partition_point(|&index| Node { document, index }.key() <= Some(key));
        let found = Node { document, index: *sorted.get(end.checked_sub(1)?)? };
        (found.key() == Some(key)).then_some(found)
    }

    /// The value for generic JSON code. Of a repeated key the last copy counts.
    pub fn to_value(self) -> serde_json::Value {
        use serde_json::Value;
        match &self.data().kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            // A number beyond the range of doubles has no serde value; infinity stands in as the largest one.
            Kind::Number => serde_json::from_str(self.source()).unwrap_or_else(|_| {
                Value::from(if self.source().starts_with('-') { f64::MIN } else { f64::MAX })
            }),
            Kind::String(text) => Value::String(self.document.string(text).to_owned()),
            Kind::Array { .. } => Value::Array(self.children().map(Node::to_value).collect()),
            Kind::Object { .. } => {
                Value::Object(self.members().map(|(key, node)| (key.to_owned(), node.to_value())).collect())
            }
        }
    }
}

/// The escapes of a string's source, which starts with a quotation mark.
fn escapes(source: &[u8]) -> Box<[Escape]> {
    let mut found = Vec::new();
    let (mut at, mut unescaped) = (1, 0);
    while at + 1 < source.len() {
        let (written, meant) = escape_lengths(&source[at..]);
        at += written;
        unescaped += meant;
        if source[at - written] == b'\\' {
            let (start, end) = (unescaped - meant, unescaped);
            found.push(Escape { source_end: at as u32, start: start as u32, end: end as u32 });
        }
    }
    found.into()
}

/// Where byte `target` of an unescaped text stands in its source; the end of an escape for a byte inside it.
fn source_offset(escapes: &[Escape], target: u32) -> u32 {
    let passed = escapes.partition_point(|escape| escape.start < target);
    match passed.checked_sub(1).map(|last| &escapes[last]) {
        Some(escape) => escape.source_end + target.saturating_sub(escape.end),
        None => 1 + target,
    }
}

/// How many bytes the first character of a string's source takes there, and how many in the unescaped text.
fn escape_lengths(source: &[u8]) -> (usize, usize) {
    let unit = |at: usize| {
        let digits = source.get(at + 2..at + 6).filter(|_| source[at..].starts_with(br"\u"));
        digits.and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())
    };
    match (unit(0), source) {
        (Some(first), _) if (0xd800..0xdc00).contains(&first) => match unit(6) {
            Some(second) if (0xdc00..0xe000).contains(&second) => (12, 4),
            _ => (6, 3),
        },
        // A lone low half becomes the replacement character, which takes three bytes too.
        (Some(code), _) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
        (None, [b'\\', ..]) => (2, 1),
        _ => (1, 1),
    }
}

/// Objects with more members than this are searched by binary search.
const SORT_FROM: usize = 8;

struct Parser<'t, 'p> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    nodes: Vec<NodeData>,
    children: Vec<u32>,
    sorted: Vec<u32>,
    problems: &'p mut Vec<Problem>,
    /// Where escapes of half a surrogate pair stand; they get their pointers when the tree is complete.
    lone_surrogates: Vec<Span>,
}

/// A syntax error: the text is no JSON and parsing ends here.
struct Refused {
    at: usize,
    message: String,
    help: Option<String>,
}

type Parsed<T> = Result<T, Refused>;

fn refused<T>(at: usize, message: impl Into<String>) -> Parsed<T> {
    Err(Refused { at, message: message.into(), help: None })
}

fn refused_with_help<T>(at: usize, message: impl Into<String>, help: &str) -> Parsed<T> {
    Err(Refused { at, message: message.into(), help: Some(help.to_owned()) })
}

impl<'t, 'p> Parser<'t, 'p> {
    fn new(text: &'t str, problems: &'p mut Vec<Problem>) -> Self {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            nodes: Vec::with_capacity(text.len() / 24),
            children: Vec::new(),
            sorted: Vec::new(),
            problems,
            lone_surrogates: Vec::new(),
        }
    }

    fn document(mut self) -> Option<Document> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
            self.problem(
                ProblemKind::ByteOrderMark,
                Span::new(0, self.at),
                "the file starts with a byte order mark",
            );
        }
        if let Err(refusal) = self.text_of_one_value() {
            let end =
                self.text[refusal.at..].chars().next().map_or(refusal.at, |c| refusal.at + c.len_utf8());
            self.problems.push(Problem {
                kind: ProblemKind::InvalidJson,
                span: Span::new(refusal.at, end),
                pointer: Pointer::root(),
                message: refusal.message,
                help: refusal.help,
            });
            return None;
        }
        let document = Document {
            text: self.text.to_owned(),
            nodes: self.nodes,
            children: self.children,
            sorted: self.sorted,
        };
        for span in self.lone_surrogates {
            let pointer = document.innermost(span).pointer();
            self.problems.push(Problem {
                kind: ProblemKind::InvalidEncoding,
                span,
                pointer,
                message: "the escape is half of a surrogate pair and names no character".to_owned(),
                help: Some("write the character itself, or both halves of the pair".to_owned()),
            });
        }
        document.report_duplicate_keys(self.problems);
        Some(document)
    }

    fn problem(&mut self, kind: ProblemKind, span: Span, message: &str) {
        self.problems.push(Problem {
            kind,
            span,
            pointer: Pointer::root(),
            message: message.to_owned(),
            help: None,
        });
    }

    fn text_of_one_value(&mut self) -> Parsed<()> {
        if self.text.starts_with("version https://git-lfs.github.com/spec/") {
            return refused_with_help(
                0,
                "the file is a Git LFS pointer, not a pack",
                "keep packs out of Git LFS: they are text and small",
            );
        }
        self.blanks()?;
        if self.at == self.bytes.len() {
            return refused(self.at, "the file is empty");
        }
        self.value(0, None)?;
        self.blanks()?;
        if self.at < self.bytes.len() {
            return refused(self.at, "more text follows the end of the JSON value");
        }
        Ok(())
    }

    fn blanks(&mut self) -> Parsed<()> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
        match self.bytes.get(self.at..self.at + 2) {
            Some(b"//" | b"/*") => refused_with_help(self.at, "JSON has no comments", "remove the comment"),
            _ => Ok(()),
        }
    }

    fn value(&mut self, parent: u32, key: Option<Key>) -> Parsed<u32> {
        let start = self.at;
        let index = self.nodes.len() as u32;
        self.nodes.push(NodeData { span: Span::new(start, start), parent, key, kind: Kind::Null });
        let kind = match self.bytes.get(self.at) {
            Some(b'{') => self.object(index)?,
            Some(b'[') => self.array(index)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return refused(self.at, "the text ends where a value is expected"),
        };
        let node = &mut self.nodes[index as usize];
        node.kind = kind;
        node.span = Span::new(start, self.at);
        Ok(index)
    }

    fn word(&mut self) -> Parsed<Kind> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let kind = match &rest[..length] {
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "" if rest.starts_with('\'') => {
                return refused_with_help(self.at, "strings stand in double quotes", "write `\"` for `'`");
            }
            "" if rest.starts_with(['}', ']', ',']) => return refused(self.at, "a value is missing here"),
            "" => {
                let found = rest.chars().next().unwrap_or_default();
                return refused(self.at, format!("`{}` cannot start a JSON value", found.escape_default()));
            }
            word => return refused(self.at, format!("`{word}` is no JSON value")),
        };
        self.at += length;
        Ok(kind)
    }

    fn number(&mut self) -> Parsed<Kind> {
        let start = self.at;
        self.skip(b'-');
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return refused(start, "a number needs digits after its sign"),
        }
        if self.skip(b'.') {
            self.digits_after(start, "a number needs digits after its point")?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _ = self.skip(b'+') || self.skip(b'-');
            self.digits_after(start, "a number needs digits in its exponent")?;
        }
        if matches!(self.bytes.get(self.at), Some(byte) if byte.is_ascii_alphanumeric()) {
            return refused(start, "a number ends in the middle: no leading zeros, no letters");
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn digits_after(&mut self, start: usize, message: &str) -> Parsed<()> {
        let before = self.at;
        self.digits();
        if self.at == before { refused(start, message) } else { Ok(()) }
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn string(&mut self) -> Parsed<Text> {
        let start = self.at + 1;
        self.at = start;
        let mut unescaped: Option<String> = None;
        let mut run = start;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let target = unescaped.get_or_insert_with(String::new);
                    target.push_str(&self.text[run..self.at]);
                    let character = self.escape()?;
                    unescaped.get_or_insert_with(String::new).push(character);
                    run = self.at;
                }
                Some(0..=0x1f) => {
                    return refused_with_help(
                        self.at,
                        "a string holds a bare control character or line break",
                        "write it as an escape, such as `\\n`",
                    );
                }
                Some(_) => self.at += 1,
                None => return refused(start - 1, "the string is not closed"),
            }
        }
        let end = self.at;
        self.at += 1;
        Ok(match unescaped {
            None => Text::Source(Span::new(start, end)),
            Some(mut text) => {
                text.push_str(&self.text[run..end]);
                Text::Unescaped(Box::new(Unescaped { text: text.into(), escapes: OnceLock::new() }))
            }
        })
    }

    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        let character = match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return refused(start, "a backslash is followed by no known escape"),
        };
        self.at += 2;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Parsed<char> {
        let start = self.at;
        let first = self.code_unit()?;
        if !(0xd800..0xe000).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or('\u{fffd}'));
        }
        if first < 0xdc00 && self.bytes.get(self.at..self.at + 2) == Some(br"\u") {
            let before = self.at;
            let second = self.code_unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            self.at = before;
        }
        self.lone_surrogates.push(Span::new(start, start + 6));
        Ok('\u{fffd}')
    }

    /// Reads `\uXXXX`.
    fn code_unit(&mut self) -> Parsed<u32> {
        let start = self.at;
        let digits = self.bytes.get(start + 2..start + 6).and_then(|digits| std::str::from_utf8(digits).ok());
        let unit = digits
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match unit {
            Some(unit) => {
                self.at += 6;
                Ok(unit)
            }
            None => refused(start, "`\\u` needs four hexadecimal digits"),
        }
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return refused(self.at, format!("values are nested more than {MAX_DEPTH} deep"));
        }
        self.at += 1;
        self.blanks()
    }

    fn leave(&mut self, members: Vec<u32>) -> (u32, u32) {
        self.depth -= 1;
        self.at += 1;
        let start = self.children.len() as u32;
        self.children.extend_from_slice(&members);
        self.sorted.extend_from_slice(&members);
        (start, start + members.len() as u32)
    }

    fn array(&mut self, index: u32) -> Parsed<Kind> {
        self.enter()?;
        let mut items = Vec::new();
        while self.bytes.get(self.at) != Some(&b']') {
            items.push(self.value(index, None)?);
            self.blanks()?;
            self.separator(b']', "list")?;
        }
        let (start, end) = self.leave(items);
        Ok(Kind::Array { start, end })
    }

    fn object(&mut self, index: u32) -> Parsed<Kind> {
        self.enter()?;
        let mut members = Vec::new();
        while self.bytes.get(self.at) != Some(&b'}') {
            let key = self.key()?;
            members.push(self.value(index, Some(key))?);
            self.blanks()?;
            self.separator(b'}', "object")?;
        }
        let (start, end) = self.leave(members);
        if (end - start) as usize > SORT_FROM {
            let (nodes, text) = (&self.nodes, self.text);
            self.sorted[start as usize..end as usize]
                .sort_by_key(|&child| (key_text(nodes, text, child), child));
        }
        Ok(Kind::Object { start, end })
    }

    fn key(&mut self) -> Parsed<Key> {
        let start = self.at;
        match self.bytes.get(start) {
            Some(b'"') => {}
            Some(b',') => return refused(start, "a member is missing before the comma"),
            Some(b'\'') => {
                return refused_with_help(start, "keys stand in double quotes", "write `\"` for `'`");
            }
            Some(_) => return refused(start, "a key in double quotes is expected here"),
            None => return refused(start, "the text ends inside an object"),
        }
        let text = self.string()?;
        let span = Span::new(start, self.at);
        self.blanks()?;
        if !self.skip(b':') {
            return refused(self.at, "a colon is missing after the key");
        }
        self.blanks()?;
        Ok(Key { text, span })
    }

    /// Steps over the comma between two members, or stops at the closing bracket.
    fn separator(&mut self, close: u8, what: &str) -> Parsed<()> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte == close => Ok(()),
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.blanks()?;
                if self.bytes.get(self.at) == Some(&close) {
                    return refused_with_help(
                        comma,
                        format!("a comma before the end of the {what}"),
                        "remove the comma",
                    );
                }
                Ok(())
            }
            Some(_) => refused(self.at, format!("a comma or the end of the {what} is expected here")),
            None => refused(self.at, format!("the text ends inside the {what}")),
        }
    }
}

fn key_text<'n>(nodes: &'n [NodeData], text: &'n str, child: u32) -> &'n str {
    match nodes[child as usize].key.as_ref().map(|key| &key.text) {
        Some(Text::Source(span)) => &text[span.range()],
        Some(Text::Unescaped(unescaped)) => &unescaped.text,
        None => "",
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let (_, problems) = Document::parse(text.as_bytes());
        let found: Vec<String> = problems
            .iter()
            .map(|problem| {
                format!("{:?} {}..{} {}", problem.kind, problem.span.start, problem.span.end, problem.pointer)
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    fn parse(text: &str) -> Document {
        let (document, problems) = Document::parse(text.as_bytes());
        assert_eq!(problems, [], "{text}");
        document.expect("a document without problems")
    }

    #[test]
    fn only_strict_json_is_read() {
        check(r#"{"a": [1, -2.5e+3, true, null, "x"], "b": {}}"#, &[]);
        check("", &["InvalidJson 0..0 "]);
        check("{\"a\": 1,}", &["InvalidJson 7..8 "]);
        check("[1, // no\n2]", &["InvalidJson 4..5 "]);
        check("[01]", &["InvalidJson 1..2 "]);
        check("[NaN]", &["InvalidJson 1..2 "]);
        check("{'a': 1}", &["InvalidJson 1..2 "]);
        check("[1] 2", &["InvalidJson 4..5 "]);
        check("\"a\nb\"", &["InvalidJson 2..3 "]);
        check("[1", &["InvalidJson 2..2 "]);
        check("{\"é\" é}", &["InvalidJson 6..8 "]);
    }

    #[test]
    fn deep_nesting_is_refused_without_recursion_trouble() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Document::parse(deep(MAX_DEPTH).as_bytes()).0.is_some());
        let (document, problems) = Document::parse(deep(10_000).as_bytes());
        assert!(document.is_none());
        assert_eq!(problems[0].kind, ProblemKind::InvalidJson);
    }

    #[test]
    fn tolerated_defects_are_problems_at_their_place() {
        check("{\"a\": 1, \"b\": {\"a\": 1, \"\\u0061\": 2}}", &["DuplicateKey 23..31 /b/a"]);
        check("\u{feff}{}", &["ByteOrderMark 0..3 "]);
        check(r#"{"a": "x\ud800y"}"#, &["InvalidEncoding 8..14 /a"]);
        check(r#"{"a": "\ud83d\ude00"}"#, &[]);
        let (document, problems) = Document::parse(b"{\"a\": \"\xff\"}");
        assert!(document.is_none());
        assert_eq!((problems[0].kind, problems[0].span), (ProblemKind::InvalidEncoding, Span::new(7, 8)));
    }

    #[test]
    fn pointers_and_spans_lead_to_the_same_place() {
        let document = parse(r#"{"a/b": [10, {"~": "x\n\u00e9y"}]}"#);
        let node = document.at(&Pointer::parse("/a~1b/1/~0")).expect("the innermost string");
        assert_eq!(node.as_str(), Some("x\néy"));
        assert_eq!(node.pointer().as_str(), "/a~1b/1/~0");
        let letter = node.span_within(Span::new(4, 5));
        assert_eq!(&document.text()[letter.range()], "y");
        assert_eq!(document.innermost(letter), node);
    }

    #[test]
    fn large_objects_are_searched_by_key() {
        let members: Vec<String> = (0..50).map(|n| format!("\"k{}\": {n}", 49 - n)).collect();
        let document = parse(&format!("{{{}}}", members.join(",")));
        assert_eq!(document.root().get("k7").and_then(Node::as_i64), Some(42));
        assert_eq!(document.root().get("k50"), None);
    }
}
