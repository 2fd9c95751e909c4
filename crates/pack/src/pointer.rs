//! JSON Pointers (RFC 6901).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A JSON Pointer: the empty text for the root, else `/` and an escaped token per level.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer of the whole document.
    pub fn root() -> Self {
        Pointer::default()
    }

    /// Takes a pointer as it is written; a text that does not start with `/` names the root.
    pub fn parse(text: &str) -> Self {
        if text.starts_with('/') { Pointer(text.to_owned()) } else { Pointer::root() }
    }

    /// Appends one level.
    pub fn push(&mut self, token: &str) {
        self.0.push('/');
        for character in token.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
    }

    /// This pointer with one more level.
    #[must_use]
    pub fn join(&self, token: impl fmt::Display) -> Pointer {
        let mut pointer = self.clone();
        pointer.push(&token.to_string());
        pointer
    }

    /// The pointer of the value that holds this one; none for the root.
    pub fn parent(&self) -> Option<Pointer> {
        self.0.rfind('/').map(|at| Pointer(self.0[..at].to_owned()))
    }

    /// The levels, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(|token| {
            if token.contains('~') {
                Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(token)
            }
        })
    }

    /// Whether this is `other` or a place inside it.
    pub fn is_within(&self, other: &Pointer) -> bool {
        self.0.strip_prefix(&other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The pointer as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for Pointer {
    fn from(text: &str) -> Self {
        Pointer::parse(text)
    }
}
