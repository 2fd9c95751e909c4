//! Flags shorthand provider keys with characters that keys may not have.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-provider-key",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a provider key in shorthand is no valid key",
    why: "The shorthand stands for an object with that key, and an object with such a key is refused.",
    fix: "Use letters, digits, `_` and `-`.",
    example: r#""requires": { "providers": ["fast model"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for provider in pack.pack.providers() {
        let Some(key) = provider.as_str().filter(|key| !is_key(key)) else { continue };
        let message = match key {
            "" => "the provider key is empty".to_owned(),
            key => format!("`{key}` is no provider key"),
        };
        findings.report(provider.0, message).help("use letters, digits, `_` and `-`");
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
