//! Turns the text of a pack into a typed, spanned model plus problems.
//!
//! The room holds JSON with spans, schemas, templates, references, digests, and the [`Tree`](tree::Tree) that a
//! pack's files are read from. It does no IO, knows no clock and no environment, and cannot fail: what is wrong
//! with a pack is part of the value.
#![forbid(unsafe_code)]

pub mod digest;
pub mod json;
pub mod model;
pub mod number;
pub mod pointer;
pub mod schema;
pub mod schema_file;
pub mod similar;
pub mod skill;
pub mod span;
pub mod spec;
pub mod template;
pub mod tree;

pub use digest::Digest;
pub use json::{Document, JsonType, Node};
pub use pointer::Pointer;
pub use span::{LineIndex, Position, Span};
pub use spec::SpecVersion;
