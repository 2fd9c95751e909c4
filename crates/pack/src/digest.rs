//! SHA-256 digests over exact bytes, and JSON in its canonical form (RFC 8785) for fingerprints.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::json::{JsonType, Node};
use crate::number::{Exact, is_rounded};

/// A SHA-256 digest. It is written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of several pieces, each with its length before it, so that no two lists of pieces agree by chance.
    pub fn of_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Digest {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }

    /// The 64 hexadecimal digits alone.
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        text
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Digest> {
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Digest(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoDigest;

impl fmt::Display for NoDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a digest is `sha256:` and 64 hexadecimal digits")
    }
}

impl std::error::Error for NoDigest {}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Digest, NoDigest> {
        text.strip_prefix("sha256:").and_then(Digest::from_hex).ok_or(NoDigest)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Writes `value` in canonical form: no blanks, keys sorted by UTF-16 code units, numbers as ECMAScript writes them.
///
/// Equal values give equal texts: `1`, `1.0` and `1e0` are one number.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by(|a, b| key_order(a.0, b.0));
            write_all(['{', '}'], members, text, |(key, member), text| {
                write_key(key, text);
                write_canonical(member, text);
            });
        }
        Value::Array(items) => write_all(['[', ']'], items, text, write_canonical),
        Value::Number(number) => text.push_str(&canonical_number(number)),
        Value::String(string) => write_string(string, text),
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// Writes parts with commas between them, in brackets.
fn write_all<T>(
    [open, close]: [char; 2],
    parts: impl IntoIterator<Item = T>,
    text: &mut String,
    write: impl Fn(T, &mut String),
) {
    text.push(open);
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(part, text);
    }
    text.push(close);
}

fn write_key(key: &str, text: &mut String) {
    write_string(key, text);
    text.push(':');
}

/// Writes a value of a document in the same form, straight from its text.
///
/// Numbers that generic JSON would round are written by what they denote, so that different ones stay different.
pub fn canonical_node(node: Node<'_>) -> String {
    let mut text = String::new();
    write_node(node, &mut text);
    text
}

fn write_node(node: Node<'_>, text: &mut String) {
    match node.json_type() {
        JsonType::Object => write_all(['{', '}'], effective_members(node), text, |(key, member), text| {
            write_key(key, text);
            write_node(member, text);
        }),
        JsonType::Array => write_all(['[', ']'], node.children(), text, write_node),
        JsonType::String => write_string(node.as_str().unwrap_or_default(), text),
        JsonType::Number if is_rounded(node.source()) => {
            text.push_str(&Exact::parse(node.source()).to_string());
        }
        JsonType::Number => write_canonical(&node.to_value(), text),
        JsonType::Boolean | JsonType::Null => text.push_str(node.source()),
    }
}

/// The members in the order of their keys; of a repeated key the last copy counts.
fn effective_members(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut members: Vec<(&str, Node<'_>)> = node.members().rev().collect();
    members.sort_by(|a, b| key_order(a.0, b.0));
    members.dedup_by(|later, kept| later.0 == kept.0);
    members
}

/// The order of UTF-16 code units, which is that of bytes as long as there are only ASCII characters.
fn key_order(a: &str, b: &str) -> Ordering {
    match a.is_ascii() && b.is_ascii() {
        true => a.cmp(b),
        false => a.encode_utf16().cmp(b.encode_utf16()),
    }
}

fn write_string(string: &str, text: &mut String) {
    let needs_escapes = string.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\');
    if needs_escapes {
        text.push_str(&Value::from(string).to_string());
    } else {
        text.push('"');
        text.push_str(string);
        text.push('"');
    }
}

fn canonical_number(number: &serde_json::Number) -> String {
    let Some(double) = number.as_f64() else { return number.to_string() };
    if double == 0.0 {
        return "0".to_owned();
    }
    // Integers that doubles cannot hold stay apart from their neighbours.
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    let magnitude = double.abs();
    if (1e-6..1e21).contains(&magnitude) { format!("{double}") } else { exponential(double) }
}

/// ECMAScript writes `1e+21` where Rust writes `1e21`.
fn exponential(double: f64) -> String {
    let text = format!("{double:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        assert_eq!(canonical(&serde_json::from_str(json).expect("a JSON text")), expected);
    }

    #[test]
    fn canonical_form_is_one_per_value() {
        check(r#"{ "b": 1.0, "a": [1e0, 1.50, true, null] }"#, r#"{"a":[1,1.5,true,null],"b":1}"#);
        check("1e30", "1e+30");
        check("-0.0", "0");
        check("9007199254740993", "9007199254740993");
        check("0.0000001", "1e-7");
        check(r#""\u00e9\n""#, "\"é\\n\"");
    }

    #[test]
    fn documents_have_the_same_canonical_form_as_values() {
        let json = r#"{"b": [1.0, -0, 1e30, 0.1, null, true], "\uffff": 1, "\ud83d\ude00": 2, "a": "x\n\"\u00e9", "a": {}}"#;
        let document = crate::Document::parse(json.as_bytes()).0.expect("JSON");
        let root = document.root();
        assert_eq!(canonical_node(root), canonical(&root.to_value()));
        assert_eq!(
            canonical_node(root),
            r#"{"a":{},"b":[1,0,1e+30,0.1,null,true],"😀":2,"\uffff":1}"#.replace("\\uffff", "\u{ffff}")
        );
    }

    #[test]
    fn numbers_that_doubles_round_stay_apart() {
        let form =
            |text: &str| canonical_node(crate::Document::parse(text.as_bytes()).0.expect("JSON").root());
        assert_eq!(form("9999999999999999999999.0"), form("9999999999999999999999"));
        assert_ne!(form("9999999999999999999999"), form("1e22"));
        assert_ne!(form("1e400"), form("1e500"));
        assert_eq!(form("[10e399]"), form("[1e400]"));
    }

    #[test]
    fn digests_are_written_and_read() {
        let digest = Digest::of(b"");
        assert_eq!(
            digest.to_string(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!("sha256:E3".parse::<Digest>(), Err(NoDigest));
    }
}
