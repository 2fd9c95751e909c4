//! The pages: a second rendering of what the API shows, for people, readable without JavaScript.
//!
//! Texts of packs reach a page only through maud, which escapes them; nothing here builds HTML out of strings.

use super::answer::{Answer, Caching};

pub(crate) mod changes;
pub(crate) mod compare;
pub(crate) mod contents;
pub(crate) mod docs;
pub(crate) mod home;
pub(crate) mod layout;
pub(crate) mod login;
pub(crate) mod pack;
pub(crate) mod parts;
pub(crate) mod problems;
pub(crate) mod release;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod sources;

/// How the pages look.
pub(crate) async fn style() -> Answer {
    Answer::text(include_str!("style.css"), "text/css; charset=utf-8").caching(Caching::Revalidate)
}
