//! Flags tokens, private keys and passwords in the text of a pack.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{hosts, may_match, report, texts};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Span;
use regex::{Captures, Regex};

pub(super) const LINT: Lint = Lint {
    id: "embedded-secret",
    group: Group::Security,
    level: Level::Error,
    summary: "a token, private key or password stands in the pack",
    why: "A pack is copied to every client and kept in every clone of its repository: who can read it can use the \
          secret.",
    fix: "Revoke the secret where it was issued, remove it here and from the history, and hand it to the runtime \
          outside of the pack.",
    example: r#""description": "Calls the API with sk-proj-…""#,
    check: Check::Pack(check),
};

/// One format of a secret.
struct Format {
    what: &'static str,
    /// The first group is what has to look random.
    pattern: Regex,
}

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let format = |(what, pattern)| Format { what, pattern: Regex::new(pattern).expect("a valid pattern") };
    [
        ("an AWS access key id", r"\b(?:AKIA|ASIA)([0-9A-Z]{16})\b"),
        ("a GitHub token", r"\b(?:gh[pousr]_|github_pat_)([A-Za-z0-9_]{36,})"),
        ("a GitLab token", r"\bglpat-([A-Za-z0-9_-]{20,})"),
        ("a Slack token", r"\bxox[abeoprs]-([A-Za-z0-9-]{20,})"),
        ("a Google API key", r"\bAIza([A-Za-z0-9_-]{35})"),
        ("an API key", r"\bsk-([A-Za-z0-9_-]{40,})"),
        ("a Stripe key", r"\b[rs]k_live_([A-Za-z0-9]{24,})"),
        ("a Hugging Face token", r"\bhf_([A-Za-z0-9]{34,})"),
        ("an npm token", r"\bnpm_([A-Za-z0-9]{36})\b"),
        (
            "a private key",
            concat!(
                r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
                r"(?:\s|\\[nr]|[A-Za-z-]+: [^\n]*\n)*([A-Za-z0-9+/=]{16,})"
            ),
        ),
    ]
    .map(format)
    .into()
});

/// What every format starts with: nearly all texts are free of it.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|AIza|sk-|k_live_|hf_|npm_|PRIVATE KEY|://[^\s/@"'<>]*@"#,
    )
    .expect("a valid pattern")
});

/// A URL that names a user and a password: groups password and host.
static PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]+)@(\[[0-9A-Fa-f:.]+\]|[^\s/:?#@,;)"'<>]+)"#,
    )
    .expect("a valid pattern")
});

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if !may_match(pack.pack.document(), &HINT) {
        return;
    }
    for text in texts(pack.pack.document()) {
        for (part, what) in secrets(text.text) {
            report(text, part, format!("this looks like {what}"), findings).help(
                "revoke it where it was issued, remove it from the history too, and hand it over at run time",
            );
        }
    }
}

/// The secrets in a text: where each stands, and what it is.
fn secrets(text: &str) -> Vec<(Span, &'static str)> {
    if !HINT.is_match(text) {
        return Vec::new();
    }
    let whole = |captures: &Captures<'_>| {
        captures.get(0).map_or(Span::new(0, 0), |all| Span::new(all.start(), all.end()))
    };
    let mut found = Vec::new();
    for Format { what, pattern } in FORMATS.iter() {
        let secrets = pattern.captures_iter(text).filter(|captures| looks_random(&captures[0], &captures[1]));
        found.extend(secrets.map(|captures| (whole(&captures), *what)));
    }
    let urls = PASSWORD.captures_iter(text);
    let urls = urls.filter(|captures| !is_blank(&captures[1]) && !hosts::is_reserved(&captures[2]));
    found.extend(urls.map(|captures| (whole(&captures), "a URL with a password")));
    found
}

/// Whether a token may be a real one: documentation spells out `EXAMPLE`, repeats characters or counts them up.
fn looks_random(token: &str, random: &str) -> bool {
    const RUN: usize = 6;
    let bytes = random.as_bytes();
    let runs = |step: u8| {
        bytes.windows(RUN).any(|run| run.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(step)))
    };
    let distinct: BTreeSet<u8> = bytes.iter().copied().collect();
    let words =
        token.starts_with("sk-") && !(has(random, u8::is_ascii_digit) && has(random, u8::is_ascii_uppercase));
    !token.contains("EXAMPLE") && !runs(0) && !runs(1) && distinct.len() > RUN && !words
}

fn has(text: &str, kind: fn(&u8) -> bool) -> bool {
    text.bytes().any(|byte| kind(&byte))
}

/// Whether a password is a place to be filled in.
fn is_blank(password: &str) -> bool {
    password.contains(['{', '}', '$', '*', '…', '%', '[', '('])
        || password.chars().all(|c| matches!(c, '.' | 'x' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::secrets;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = secrets(text).into_iter().map(|(_, what)| what).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn secrets_are_told_from_samples() {
        check(&format!("key {}{}", "AKIA", "Q3XGD7PLM2ZTW9KV"), &["an AWS access key id"]);
        check(&format!("{}{}", "ghp_", "a8Fk2LqP0vXz7Rt5Yb3Nc9Wd1Hj6Ms4Ue0Gi"), &["a GitHub token"]);
        check(&format!("-----BEGIN RSA {} KEY-----\nMIIEowIBAAKCAQEAx1", "PRIVATE"), &["a private key"]);
        check("postgres://app:s3cr3t-pw@db.internal:5432/app", &["a URL with a password"]);
        check("AKIAIOSFODNN7EXAMPLE AKIAXXXXXXXXXXXXXXXX ghp_abcdefghijklmnopqrstuvwxyz0123456789", &[]);
        check("https://me:secret@api.example.com/ https://me:secret@db.test ftp://a:b@x.invalid.", &[]);
        check("https://me:{{password}}@api.acme.com https://acme.com:8080/@me", &[]);
        check("sk-this-is-only-a-very-long-name-of-some-skill-or-other", &[]);
        check("Never show -----BEGIN PRIVATE KEY----- to anyone.", &[]);
    }
}
