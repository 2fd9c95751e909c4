//! HMAC-SHA-256 signatures in hexadecimal digits: of what Git hosts send here, and of what webhooks are told.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The signature of the parts, one after the other.
pub(crate) fn sign(secret: &str, parts: &[&[u8]]) -> String {
    let bytes = keyed(secret, parts).finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a signature, perhaps with `sha256=` before it, is that of the body. Compared in constant time.
pub(crate) fn is_signature(secret: &str, signature: &str, body: &[u8]) -> bool {
    let digits = signature.strip_prefix("sha256=").unwrap_or(signature);
    decoded(digits).is_some_and(|signature| keyed(secret, &[body]).verify_slice(&signature).is_ok())
}

fn keyed(secret: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a secret of any length is a key");
    parts.iter().for_each(|part| mac.update(part));
    mac
}

/// The bytes of hexadecimal digits.
fn decoded(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?));
    rest.is_empty().then(|| bytes.collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_rfc_4231() {
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign("Jefe", &[b"what do ya want ", b"for nothing?"]), expected);
        let body = b"what do ya want for nothing?";
        assert!(is_signature("Jefe", expected, body));
        assert!(is_signature("Jefe", &format!("sha256={}", expected.to_uppercase()), body));
        for wrong in ["", "5bdc", "xy", &expected[1..], &expected.replace('5', "6")] {
            assert!(!is_signature("Jefe", wrong, body), "{wrong}");
        }
    }
}
