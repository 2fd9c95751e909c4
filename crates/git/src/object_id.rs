//! The name of a Git object.

use std::fmt;
use std::str::FromStr;

use git2::{ObjectType, Oid};

/// The SHA-1 id of a commit, tree, blob or tag; printed and parsed as 40 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(Oid);

impl ObjectId {
    /// Computes the id that Git gives to a file with these bytes.
    pub fn of_blob(bytes: &[u8]) -> ObjectId {
        ObjectId(
            Oid::hash_object(ObjectType::Blob, bytes).expect("hashing memory needs nothing from outside"),
        )
    }

    /// Takes the id from its 20 bytes.
    pub fn from_bytes(bytes: [u8; 20]) -> ObjectId {
        ObjectId(Oid::from_bytes(&bytes).expect("20 bytes are an id"))
    }

    /// The 20 bytes of the id.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(crate) fn oid(self) -> Oid {
        self.0
    }
}

impl From<Oid> for ObjectId {
    fn from(oid: Oid) -> ObjectId {
        ObjectId(oid)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ObjectId({})", self.0)
    }
}

/// A text that is not the full id of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an object id: expected 40 hexadecimal digits")]
pub struct NotAnObjectId {
    text: String,
}

impl FromStr for ObjectId {
    type Err = NotAnObjectId;

    fn from_str(text: &str) -> Result<ObjectId, NotAnObjectId> {
        let refuse = || NotAnObjectId { text: text.to_owned() };
        if text.len() != 40 {
            return Err(refuse());
        }
        Oid::from_str(text).map(ObjectId).map_err(|_| refuse())
    }
}
