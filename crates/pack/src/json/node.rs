//! One value of a document: its place, its type, its content, and what lies below it.

use std::borrow::Cow;
use std::fmt;

use super::{Document, Escape, JsonType, Kind, NodeData, SORT_FROM, Text, bit_of, hash_of};
use crate::number::Exact;
use crate::pointer::Pointer;
use crate::span::Span;

/// One value of a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(super) document: &'a Document,
    pub(super) index: u32,
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

    /// Whether this is the member of that key, whose hash is `hash`.
    fn has_key(self, key: &str, hash: u32) -> bool {
        match &self.data().key {
            Some(own) if own.hash == hash => match &own.text {
                Text::Source(span) => self.document.text.as_bytes()[span.range()] == *key.as_bytes(),
                Text::Unescaped(unescaped) => *unescaped.text == *key,
            },
            _ => false,
        }
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

    /// The number, exactly as its text denotes it.
    pub fn as_exact(self) -> Option<Exact> {
        matches!(self.data().kind, Kind::Number).then(|| Exact::parse(self.source()))
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
            Kind::Array { start, end } | Kind::Object { start, end, .. } => start as usize..end as usize,
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

    /// The item or member value at that position, at once: `nth` would walk there.
    pub fn child(self, position: usize) -> Option<Node<'a>> {
        let index = *self.child_indexes().get(position)?;
        Some(Node { document: self.document, index })
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
    #[inline]
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        let hash = hash_of(key);
        match self.data().kind {
            Kind::Object { mask, .. } if mask & bit_of(hash) != 0 => self.find(key, hash),
            _ => None,
        }
    }

    /// Looks through the members of an object.
    fn find(self, key: &str, hash: u32) -> Option<Node<'a>> {
        let document = self.document;
        if self.len() <= SORT_FROM {
            return self.children().rev().find(|child| child.has_key(key, hash));
        }
        let sorted = &document.sorted[self.range()];
        let end = sorted.partition_point(|&index| Node { document, index }.key() <= Some(key));
        let found = Node { document, index: *sorted.get(end.checked_sub(1)?)? };
        (found.key() == Some(key)).then_some(found)
    }

    /// Whether no key of a small object stands twice in it.
    pub(super) fn has_distinct_keys(self) -> bool {
        let members = self.members().enumerate();
        members.clone().all(|(at, (key, member))| {
            let hash = member.data().key.as_ref().map_or(0, |key| key.hash);
            !self.children().take(at).any(|earlier| earlier.has_key(key, hash))
        })
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
