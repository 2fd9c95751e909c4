//! The API: a file per noun, each with its handlers.

pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod events;
pub(crate) mod fetch;
pub(crate) mod hooks;
pub(crate) mod operations;
pub(crate) mod packs;
pub(crate) mod releases;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod sources;
mod surroundings;
