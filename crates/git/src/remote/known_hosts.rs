//! The keys that SSH hosts are known by, as OpenSSH's `known_hosts` files hold them.
//!
//! Lines of certificate authorities are passed over: hosts that are known by those alone count as unknown.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use git2::cert::Cert;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

/// A key as a host shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key<'k> {
    /// The kind, such as `ssh-ed25519`.
    pub(super) kind: &'k str,
    blob: &'k [u8],
}

impl<'k> Key<'k> {
    /// Reads the kind that every key begins with.
    pub(super) fn read(blob: &'k [u8]) -> Option<Key<'k>> {
        let (length, rest) = blob.split_first_chunk::<4>()?;
        let kind = rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        Some(Key { kind: std::str::from_utf8(kind).ok()?, blob })
    }
}

/// What the files say of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The host is known by this key.
    Known,
    /// The host is not known, or by keys of other kinds only.
    Unknown,
    /// The host is known by another key of this kind, or this key is revoked.
    Other,
}

/// The lines of all files.
#[derive(Debug, Default)]
pub(super) struct KnownHosts {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    hosts: String,
    blob: Vec<u8>,
    revoked: bool,
}

impl KnownHosts {
    /// Reads the files that there are.
    pub(super) fn read(files: &[PathBuf]) -> KnownHosts {
        let texts = files.iter().filter_map(|file| fs::read(file).ok());
        let mut known = KnownHosts::default();
        for text in texts {
            known.lines.extend(String::from_utf8_lossy(&text).lines().filter_map(Line::parse));
        }
        known
    }

    /// Judges the key that a host shows; a host with an unusual port is written `[host]:port`.
    pub(super) fn judge(&self, place: &str, shown: &Key<'_>) -> Verdict {
        let mut verdict = Verdict::Unknown;
        for line in self.lines.iter().filter(|line| line.is_about(place)) {
            let is_same = line.blob == shown.blob;
            let is_same_kind = Key::read(&line.blob).is_some_and(|key| key.kind == shown.kind);
            match (is_same, line.revoked) {
                (true, true) => return Verdict::Other,
                (true, false) => verdict = Verdict::Known,
                (false, false) if is_same_kind && verdict == Verdict::Unknown => verdict = Verdict::Other,
                _ => {}
            }
        }
        verdict
    }
}

impl Line {
    fn parse(line: &str) -> Option<Line> {
        let mut fields = line.split_ascii_whitespace().peekable();
        let marker = fields.next_if(|field| field.starts_with('@'));
        let hosts = fields.next().filter(|hosts| !hosts.starts_with('#'))?.to_owned();
        let blob = STANDARD.decode(fields.nth(1)?).ok()?;
        match marker {
            None => Some(Line { hosts, blob, revoked: false }),
            Some("@revoked") => Some(Line { hosts, blob, revoked: true }),
            Some(_) => None,
        }
    }

    fn is_about(&self, place: &str) -> bool {
        if let Some(hashed) = self.hosts.strip_prefix("|1|") {
            return hashed.split_once('|').is_some_and(|(salt, hash)| is_hash_of(salt, hash, place));
        }
        let mut found = false;
        for pattern in self.hosts.split(',') {
            match pattern.strip_prefix('!') {
                Some(pattern) if fits(pattern.as_bytes(), place.as_bytes()) => return false,
                Some(_) => {}
                None => found |= fits(pattern.as_bytes(), place.as_bytes()),
            }
        }
        found
    }
}

fn is_hash_of(salt: &str, hash: &str, place: &str) -> bool {
    let (Ok(salt), Ok(hash)) = (STANDARD.decode(salt), STANDARD.decode(hash)) else { return false };
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&salt) else { return false };
    mac.update(place.as_bytes());
    mac.verify_slice(&hash).is_ok()
}

/// Whether a pattern with `*` and `?` fits a name; letters count as lower case.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            fits(rest, name) || name.split_first().is_some_and(|(_, name)| fits(pattern, name))
        }
        (Some((b'?', pattern)), Some((_, name))) => fits(pattern, name),
        (Some((one, pattern)), Some((other, name))) => one.eq_ignore_ascii_case(other) && fits(pattern, name),
        _ => false,
    }
}

/// The fingerprint of a host's key as OpenSSH writes it.
pub(super) fn fingerprint(certificate: &Cert<'_>) -> String {
    let hash = certificate.as_hostkey().and_then(|key| key.hash_sha256());
    hash.map_or_else(
        || "without a fingerprint".to_owned(),
        |hash| format!("SHA256:{}", STANDARD_NO_PAD.encode(hash)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key of that kind with that content.
    fn blob(kind: &str, content: u8) -> Vec<u8> {
        let mut blob = u32::try_from(kind.len()).unwrap().to_be_bytes().to_vec();
        blob.extend(kind.as_bytes());
        blob.push(content);
        blob
    }

    fn known(text: &str) -> KnownHosts {
        KnownHosts { lines: text.lines().filter_map(Line::parse).collect() }
    }

    #[track_caller]
    fn check(hosts: &str, place: &str, kind: &str, content: u8, expected: Verdict) {
        let line = format!("{hosts} ssh-ed25519 {} comment", STANDARD.encode(blob("ssh-ed25519", 1)));
        let shown = blob(kind, content);
        assert_eq!(known(&line).judge(place, &Key::read(&shown).unwrap()), expected, "{hosts} {place}");
    }

    #[test]
    fn a_host_is_known_by_its_key_alone() {
        check("git.example.org", "git.example.org", "ssh-ed25519", 1, Verdict::Known);
        check("git.example.org", "git.example.org", "ssh-ed25519", 2, Verdict::Other);
        check("git.example.org", "git.example.org", "ssh-rsa", 1, Verdict::Unknown);
        check("git.example.org", "other.example.org", "ssh-ed25519", 1, Verdict::Unknown);
        check("[git.example.org]:2222", "[git.example.org]:2222", "ssh-ed25519", 1, Verdict::Known);
        check("git.example.org", "[git.example.org]:2222", "ssh-ed25519", 1, Verdict::Unknown);
        check("a,*.example.org,!bad.example.org", "git.example.org", "ssh-ed25519", 1, Verdict::Known);
        check("*.example.org,!bad.example.org", "bad.example.org", "ssh-ed25519", 1, Verdict::Unknown);
        check("@revoked git.example.org", "git.example.org", "ssh-ed25519", 1, Verdict::Other);
        check("@cert-authority *.example.org", "git.example.org", "ssh-ed25519", 1, Verdict::Unknown);
        check("# git.example.org", "git.example.org", "ssh-ed25519", 1, Verdict::Unknown);
    }

    #[test]
    fn hashed_names_are_compared_by_their_hash() {
        let salt = [7_u8; 20];
        let mut mac = Hmac::<Sha1>::new_from_slice(&salt).unwrap();
        mac.update(b"git.example.org");
        let hash = STANDARD.encode(mac.finalize().into_bytes());
        let hosts = format!("|1|{}|{hash}", STANDARD.encode(salt));
        check(&hosts, "git.example.org", "ssh-ed25519", 1, Verdict::Known);
        check(&hosts, "git.example.org", "ssh-ed25519", 2, Verdict::Other);
        check(&hosts, "other.example.org", "ssh-ed25519", 1, Verdict::Unknown);
    }
}
