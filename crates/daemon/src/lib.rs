//! The loop and the web: hints in; API, pages and events out.

pub mod web;
