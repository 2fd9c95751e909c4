//! Addresses: percent-encoding of what references and queries hold.

/// Writes `text` so that it is one segment of a path or one value of a query.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn everything_but_unreserved_characters_is_encoded() {
        assert_eq!(encode("support@^1.2 || <3"), "support@%5E1.2%20%7C%7C%20%3C3");
        assert_eq!(encode("a/b?c#ä"), "a%2Fb%3Fc%23%C3%A4");
    }
}
