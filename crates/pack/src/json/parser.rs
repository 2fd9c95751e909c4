//! Reads RFC 8259 text into the arena: one pass, no recursion beyond [`MAX_DEPTH`].

use std::sync::OnceLock;

use super::{
    Document, Key, Kind, MAX_DEPTH, NodeData, Problem, ProblemKind, SORT_FROM, Text, Unescaped, bit_of,
    hash_of,
};
use crate::pointer::Pointer;
use crate::span::Span;

pub(super) struct Parser<'t, 'p> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    nodes: Vec<NodeData>,
    children: Vec<u32>,
    sorted: Vec<u32>,
    /// The children of the objects and lists that are open, the innermost ones last.
    open: Vec<u32>,
    /// Whether an escape stands for a character that could stand for itself, or for one that nobody sees.
    respelled: bool,
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
    pub(super) fn new(text: &'t str, problems: &'p mut Vec<Problem>) -> Self {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            nodes: Vec::with_capacity(text.len() / 24),
            children: Vec::new(),
            sorted: Vec::new(),
            open: Vec::new(),
            respelled: false,
            problems,
            lone_surrogates: Vec::new(),
        }
    }

    pub(super) fn document(mut self) -> Option<Document> {
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
            respelled: self.respelled,
            printable: is_printable(self.bytes),
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
        if self.bytes.get(self.at) != Some(&b'/') {
            return Ok(());
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
            let rest = &self.bytes[self.at..];
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            self.at += rest.iter().position(special).unwrap_or(rest.len());
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let target = unescaped.get_or_insert_with(String::new);
                    target.push_str(&self.text[run..self.at]);
                    let character = self.escape()?;
                    unescaped.get_or_insert_with(String::new).push(character);
                    run = self.at;
                }
                Some(_) => {
                    return refused_with_help(
                        self.at,
                        "a string holds a bare control character or line break",
                        "write it as an escape, such as `\\n`",
                    );
                }
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
            Some(b'u') => {
                self.respelled = true;
                return self.unicode_escape();
            }
            _ => return refused(start, "a backslash is followed by no known escape"),
        };
        self.respelled |= matches!(character, '/' | '\u{8}' | '\u{c}');
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

    /// Steps into an object or a list; gives where its children start among the open ones.
    fn enter(&mut self) -> Parsed<usize> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return refused(self.at, format!("values are nested more than {MAX_DEPTH} deep"));
        }
        self.at += 1;
        self.blanks()?;
        Ok(self.open.len())
    }

    fn leave(&mut self, opened: usize) -> (u32, u32) {
        self.depth -= 1;
        self.at += 1;
        let start = self.children.len() as u32;
        self.sorted.extend_from_slice(&self.open[opened..]);
        self.children.extend(self.open.drain(opened..));
        (start, self.children.len() as u32)
    }

    fn array(&mut self, index: u32) -> Parsed<Kind> {
        let opened = self.enter()?;
        while self.bytes.get(self.at) != Some(&b']') {
            let item = self.value(index, None)?;
            self.open.push(item);
            self.blanks()?;
            self.separator(b']', "list")?;
        }
        let (start, end) = self.leave(opened);
        Ok(Kind::Array { start, end })
    }

    fn object(&mut self, index: u32) -> Parsed<Kind> {
        let opened = self.enter()?;
        let mut mask = 0;
        while self.bytes.get(self.at) != Some(&b'}') {
            let key = self.key()?;
            mask |= bit_of(key.hash);
            let member = self.value(index, Some(key))?;
            self.open.push(member);
            self.blanks()?;
            self.separator(b'}', "object")?;
        }
        let (start, end) = self.leave(opened);
        if (end - start) as usize > SORT_FROM {
            let (nodes, text) = (&self.nodes, self.text);
            self.sorted[start as usize..end as usize]
                .sort_by_key(|&child| (key_text(nodes, text, child), child));
        }
        Ok(Kind::Object { start, end, mask })
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
        let hash = match &text {
            Text::Source(inner) => hash_of(&self.text[inner.range()]),
            Text::Unescaped(unescaped) => hash_of(&unescaped.text),
        };
        Ok(Key { text, span, hash })
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

/// Whether all bytes are printable ASCII, line breaks or tabs; a part at a time, so that the machine can compare many
/// at once.
fn is_printable(bytes: &[u8]) -> bool {
    let printable =
        |byte: u8| (b' '..=b'~').contains(&byte) | (byte == b'\t') | (byte == b'\n') | (byte == b'\r');
    bytes.chunks(256).all(|part| part.iter().fold(true, |all, byte| all & printable(*byte)))
}
